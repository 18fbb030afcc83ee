"""The register of known-bad executors: what each gets wrong, and the rule that must catch it.

The rule: a defect is a few lines of difference from a good executor, and one thing only. No times here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal
from unittest.mock import patch

from plain import Plain
from seasoning import Season, as_it_is

from scenarios import Scenario
from scenarios.strategies import Feature
from sim import Run, check, from_object, simulate
from sim.world import OwnEngine

Play = Callable[[Scenario], Run]
"""Plays a scenario with an executor that has the defect."""
Judge = Callable[[Run], list[str]]
"""Gives the rules that a run broke."""


def by_oracle(run: Run) -> list[str]:
    """Judge a run by its log alone."""
    return [violation.rule for violation in check(run)]


@dataclass(frozen=True)
class Defect:
    """One known-bad executor.

    Args:
        name: SPEC 11's words for it, or 12's.
        where: the section of SPEC, with the item's number in 12.
        rule: the rule that catches it.
        play: plays a scenario with it.
        judge: gives the rules that a run broke, by instant.
        beside: plays a scenario with what it is compared with, if its own log does not show that it is wrong.
        about: what every random turn has, and nothing else; without it a turn has this or that.
        season: gives a random turn what the defect needs.
        calls: how many calls the smallest scenario has at most.
        budget: in how many random scenarios it is found.
    """

    name: str
    where: str
    rule: str
    play: Play
    judge: Judge = by_oracle
    beside: Play | None = None
    about: frozenset[Feature] = frozenset()
    season: Season = as_it_is
    calls: int = 4
    budget: int = 600

    def breaks(self, scenario: Scenario) -> list[str]:
        """Give the rules that it breaks in a scenario, the earliest first."""
        return self.judge(self.play(scenario))


DEFECTS: Final[dict[str, Defect]] = {}


def register(defect: Defect) -> None:
    DEFECTS[defect.name] = defect


def defect(
    rule: str, where: str = "11", *, start: Literal["block", "response_end"] = "block", **more: Any
) -> Callable[[type[Plain]], type[Plain]]:
    """Register a subclass of :class:`Plain`; the first line of its docstring is the defect's name.

    Args:
        rule: see :class:`Defect`, as ``where`` and ``more``.
        start: when it says that it may start calls.
    """

    def take(kind: type[Plain]) -> type[Plain]:
        engine = replace(engine_of(kind), start=start)
        register(Defect(name_of(kind), where, rule, partial(play, engine), **more))
        return kind

    return take


def name_of(thing: object) -> str:
    return (thing.__doc__ or "").split("\n")[0].rstrip(".")


def play(engine: OwnEngine, scenario: Scenario) -> Run:
    """Play a scenario; who spins need not spin long for it to be seen."""
    with patch("sim.world.run.STEPS_PER_CALL", 200):
        return simulate(scenario, engine)


def engine_of(kind: type[Plain]) -> OwnEngine:
    """Make an engine of a plain executor that can be told of everything."""
    return from_object(kind, supports=Plain.supports)
