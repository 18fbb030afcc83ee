"""What a random turn may have besides reads of some length. Each example has some of it only."""

from collections.abc import Collection
from typing import Final, Literal, get_args

Feature = Literal[
    "classes",
    "overrides",
    "cascading",
    "classifier",
    "unknown",
    "invalid",
    "failures",
    "foreign_cancel",
    "stubborn",
    "progress",
    "modifiers",
    "hooks",
    "rewrites",
    "rules",
    "questions",
    "refusals",
    "deadlines",
    "background",
    "consumer",
    "limit",
    "eager",
    "policies",
    "late_end",
    "stop",
    "submit",
    "discard",
    "stream_error",
    "cancel",
]
FEATURES: Final[tuple[Feature, ...]] = get_args(Feature)
"""What a turn may have besides reads of some length: exclusive tools; calls of another class than their tool's;
cascading tools; a classifier that raises; unknown tools; invalid inputs; bodies that fail; bodies that cancel
themselves; bodies, hooks and background work that ignore being stopped; progress; context modifiers; hooks; inputs that
hooks and people rewrite; permission rules; tools that ask and people who answer; people and bodies that end the turn;
deadlines, with bodies, hooks and questions that would never end; background work; a consumer that is slow or leaves;
another limit than ten; eager emission; every cascade policy; a response that ends after its last call; and the five
ways in which a turn can be cut short."""

INTERRUPTIONS: Final[tuple[Feature, ...]] = ("stop", "submit", "discard", "stream_error", "cancel")


def allowed(without: Collection[Feature]) -> list[Feature]:
    """Give all features but some; :class:`ValueError` for one there is not."""
    if unknown := set(without) - set(FEATURES):
        raise ValueError(f"expected features among {', '.join(FEATURES)}, got {', '.join(sorted(unknown))}")
    return [feature for feature in FEATURES if feature not in without]
