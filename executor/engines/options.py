"""How an executor is set: one set of options for every engine."""

import os
from dataclasses import dataclass, field
from typing import Final, Literal

from ..pipeline.hooks import Hooks
from ..pipeline.permissions import PermissionRules
from ..pipeline.questions import CanUseTool
from .emission import EmissionOrder

CascadePolicy = Literal["exclusive", "any", "never"]
"""Which errors of cascading tools cancel siblings: those of exclusive calls, all, none (A2)."""

DEFAULT_MAX_CONCURRENCY: Final = 10
DEFAULT_MAX_OUTPUT: Final = 100_000
VARIABLE: Final = "INTERLOCK_MAX_CONCURRENCY"


def default_max_concurrency() -> int:
    """Read the default limit from ``INTERLOCK_MAX_CONCURRENCY``: not a number or below 1 means 10 (E3)."""
    try:
        limit = int(os.environ.get(VARIABLE, ""))
    except ValueError:
        return DEFAULT_MAX_CONCURRENCY
    return limit if limit >= 1 else DEFAULT_MAX_CONCURRENCY


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What can be chosen about an executor.

    Args:
        max_concurrency: how many calls may execute at once, at least 1; ``None`` for no limit (E3).
        emission: the order of results (E6).
        cascade: which errors cancel siblings (A2).
        grace_s: seconds between a call's signal and the cancellation of its task, and again until it is
            abandoned (A9).
        hooks: what is said before and after bodies (H1, H5).
        permissions: rules that decide what may run without asking, is asked about, may not run (H2).
        can_use_tool: answers for what hooks and rules leave open; see :data:`~executor.pipeline.questions.CanUseTool`.
        question_timeout_s: seconds a question may stay open before the call is denied; ``None`` for no limit (X5).
        max_output: how many characters of output a result may have, unless its tool says otherwise; ``None`` for no
            limit (X6).

    Raises:
        ValueError: a value outside its range.
    """

    max_concurrency: int | None = field(default_factory=default_max_concurrency)
    emission: EmissionOrder = "ordered"
    cascade: CascadePolicy = "exclusive"
    grace_s: float = 2.0
    hooks: Hooks = field(default_factory=Hooks)
    permissions: PermissionRules = field(default_factory=PermissionRules)
    can_use_tool: CanUseTool | None = None
    question_timeout_s: float | None = None
    max_output: int | None = DEFAULT_MAX_OUTPUT

    def __post_init__(self) -> None:
        limit = self.max_concurrency
        if limit is not None and (type(limit) is not int or limit < 1):
            raise ValueError(f"max_concurrency: expected a number from 1 on, or None for no limit, got {limit!r}")
        if self.emission not in ("ordered", "eager"):
            raise ValueError(f"emission: expected 'ordered' or 'eager', got {self.emission!r}")
        if self.cascade not in ("exclusive", "any", "never"):
            raise ValueError(f"cascade: expected 'exclusive', 'any' or 'never', got {self.cascade!r}")
        if not self.grace_s >= 0:
            raise ValueError(f"grace_s: expected seconds, 0 or more, got {self.grace_s}")
        if self.question_timeout_s is not None and not self.question_timeout_s > 0:
            raise ValueError(f"question_timeout_s: expected seconds above 0, or None, got {self.question_timeout_s!r}")
        if self.max_output is not None and not self.max_output > 0:
            raise ValueError(f"max_output: expected a number from 1 on, or None for no limit, got {self.max_output!r}")
