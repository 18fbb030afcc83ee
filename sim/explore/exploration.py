"""What an exploration has seen: how many schedules, which outcomes, which failures.

The rule: a failure is kept once per kind, with the smallest plan that shows it. No times here.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .confidence import confidence
from .plan import Plan
from .shrink import shrunk
from .trial import Ended, Trial


@dataclass(frozen=True)
class Failure:
    """One kind of failure.

    Args:
        kind: the rule that is broken, or the error's name.
        plan: the smallest plan found that shows it.
        told: all there is to say about it.
        times: how many of the schedules showed it.
    """

    kind: str
    plan: Plan
    told: str
    times: int


@dataclass(frozen=True)
class Exploration:
    """What came of an exploration.

    Args:
        tried: how many schedules were run.
        failing: how many of them broke something.
        complete: every schedule within the bounds was run.
        bounds: the bounds, in words.
        seed: the first seed.
        outcomes: how often each outcome came, the first that came first.
        violations: the kinds of failure, the first that came first.
    """

    tried: int
    failing: int
    complete: bool
    bounds: str
    seed: int
    outcomes: Mapping[str, int]
    violations: tuple[Failure, ...]

    def __str__(self) -> str:
        """Say in one line what the schedules prove."""
        if not self.complete:
            return confidence(self.failing, self.tried)
        bounds = f" {self.bounds}" if self.bounds else ""
        if self.tried == 1:
            return f"the only schedule{bounds} {'fails' if self.failing else 'holds'}"
        if not self.failing:
            return f"all {self.tried:,} schedules{bounds} hold"
        return f"{self.failing:,} of all {self.tried:,} schedules{bounds} fail"


@dataclass
class Notes:
    """Gathers an exploration while it goes on."""

    tried: int = 0
    failing: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    first: dict[str, Ended] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)

    def __call__(self, ended: Ended) -> None:
        """Take note of a run."""
        self.tried += 1
        self.failing += bool(ended.broken)
        self.outcomes[ended.outcome] += 1
        for kind in ended.broken:
            self.first.setdefault(kind, ended)
            self.times[kind] += 1

    def failures(self, trial: Trial | None) -> tuple[Failure, ...]:
        """Give what failed, each as small as the trial can make it; as it was found without one."""
        found = []
        for kind, first in self.first.items():
            shown = first if trial is None else shrunk(first, kind, trial)
            found.append(Failure(kind, shown.plan, shown.broken[kind], self.times[kind]))
        return tuple(found)
