"""The register of known-bad executors: what each gets wrong, and the rule that must catch it.

The rule: a defect is a few lines of difference from a good executor, and one thing only. No times here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal
from unittest.mock import patch

from plain import Plain
from seasoning import Season, as_it_is

from scenarios import Scenario
from sim import Run, SimLoop, check, from_object, simulate
from sim.world import OwnEngine

Play = Callable[[Scenario], Run]
"""Plays a scenario with an executor that has the defect."""
Judge = Callable[[Run], list[str]]
"""Gives the rules that a run broke."""


@dataclass(frozen=True)
class Defect:
    """One known-bad executor.

    Args:
        name: SPEC 11's words for it, or 12's.
        where: the section of SPEC, with the item's number in 12.
        rule: the rule that catches it.
        play: plays a scenario with it.
        judge: gives the rules that a run broke, by instant.
        season: gives a random turn what the defect needs.
        calls: how many calls the smallest scenario has at most.
        budget: in how many random scenarios it is found.
    """

    name: str
    where: str
    rule: str
    play: Play
    judge: Judge
    season: Season
    calls: int
    budget: int

    def breaks(self, scenario: Scenario) -> list[str]:
        """Give the rules that it breaks in a scenario, the earliest first."""
        return self.judge(self.play(scenario))


DEFECTS: Final[dict[str, Defect]] = {}


def by_oracle(run: Run) -> list[str]:
    """Judge a run by its log alone."""
    return [violation.rule for violation in check(run)]


def defect(
    rule: str,
    where: str = "11",
    *,
    judge: Judge = by_oracle,
    season: Season = as_it_is,
    start: Literal["block", "response_end"] = "block",
    calls: int = 4,
    budget: int = 600,
) -> Callable[[type[Plain]], type[Plain]]:
    """Register a subclass of :class:`Plain`; the first line of its docstring is the defect's name.

    Args:
        rule: see :class:`Defect`, as ``where``, ``judge``, ``calls`` and ``budget``.
        season: gives a random turn what the defect needs.
        start: when it says that it may start calls.
    """

    def register(kind: type[Plain]) -> type[Plain]:
        engine = replace(engine_of(kind), start=start)
        name = (kind.__doc__ or "").split("\n")[0].rstrip(".")
        DEFECTS[name] = Defect(name, where, rule, partial(play, engine), judge, season, calls, budget)
        return kind

    return register


def play(engine: OwnEngine, scenario: Scenario) -> Run:
    """Play a scenario; who spins need not spin long for it to be seen."""
    with patch("sim.world.run.SimLoop", partial(SimLoop, max_steps_per_instant=2_000)):
        return simulate(scenario, engine)


def engine_of(kind: type[Plain]) -> OwnEngine:
    """Make an engine of a plain executor that can be told of everything."""
    return from_object(kind, supports=Plain.supports)
