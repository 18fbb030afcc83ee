"""The scenarios that an executor is examined by: the library's, and random ones that are always the same.

The rule: nothing is in them that the executor does not declare to know of. Needs the ``testing`` extra for random ones.
"""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from scenarios import Scenario
from scenarios.shipped import library
from sim.world import Ability, OwnEngine

if TYPE_CHECKING:
    from scenarios.strategies import Feature

_FEATURES: Final[dict[Ability, tuple["Feature", ...]]] = {
    "stop": ("stop", "refusals"),
    "submit": ("submit",),
    "discard": ("discard", "stream_error"),
    "hooks": ("hooks", "rewrites"),
    "questions": ("rules", "questions"),
    "deadline": ("deadlines",),
    "background": ("background",),
    "consumer": ("consumer", "cancel"),
    "progress": ("progress",),
    "context": ("modifiers",),
    "limit": ("limit",),
}
"""Which features of random turns an ability is about."""

CALLS: Final = 5
"""How many calls a random turn has at most."""


def scenarios_for(engine: OwnEngine, random_turns: int) -> Iterator[Scenario]:
    """Give the scenarios that an executor can be examined by, those of the library first.

    Args:
        engine: the executor, with what it declares.
        random_turns: how many random ones there are.
    """
    yield from (scenario for _, scenario in library() if not engine.lacks(scenario))
    yield from (turn for turn in random_turns_for(engine.supports, random_turns) if not engine.lacks(turn))


def features_beyond(supports: Collection[Ability]) -> list["Feature"]:
    """Give the features of random turns that an executor of these abilities would not know of."""
    return [each for ability, features in _FEATURES.items() if ability not in supports for each in features]


def random_turns_for(supports: Collection[Ability], count: int) -> list[Scenario]:
    """Draw random turns, always the same, without what an executor of these abilities would not know of."""
    from hypothesis import HealthCheck, Phase, given, settings

    from scenarios import strategies

    turns: list[Scenario] = []
    kinds = strategies.turns(CALLS, without=features_beyond(supports))
    if "attempts" in supports:
        kinds |= strategies.retried_turns()

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(kinds)
    def collect(turn: Scenario) -> None:
        turns.append(turn)

    collect()
    return turns
