"""Examine an executor: play what it can be asked to play, judge each run, make what fails as simple as can be.

The rule: the same executor gets the same report card, in every process. No times here.
"""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from scenarios import Scenario
from sim.oracle import RULES, Violation, judge
from sim.world import Ability, AnyExecutor, OwnEngine, as_engine, simulate

from .card import Counterexample, Mark, ReportCard
from .shrinking import simplest
from .suite import scenarios_for

RANDOM_TURNS: Final = 300

NEEDS: Final[dict[str, tuple[Ability, ...]]] = {
    "S5": ("limit",),
    "F1": ("cascade",),
    "F4": ("stop",),
    "F5": ("stop", "submit"),
    "F6": ("discard",),
    "G1": ("progress",),
    "K1": ("context",),
    "N1": ("hooks", "questions"),
    "L2": ("stop", "submit", "discard", "cascade"),
}
"""What a rule is about: without any of these it cannot be seen whether an executor keeps it."""


def check_engine(
    engine: AnyExecutor,
    *,
    random_turns: int = RANDOM_TURNS,
    again: str = "",
    on_progress: Callable[[int, int], None] | None = None,
) -> ReportCard:
    """Examine an executor of your own by every rule that it can be judged by.

    Args:
        engine: an ``async`` function of an :class:`~sim.OwnStage`, a class with ``add()``, or what
            :func:`~sim.from_coroutine`, :func:`~sim.from_object` and :func:`~sim.from_turn` make of one, which declare
            what it supports.
        random_turns: how many random scenarios are played besides the library's.
        again: the command that shows a failure again, with ``{rule}`` for the rule's number and ``{scenario}`` for the
            scenario as JSON, quoted for a shell; a line of Python without.
        on_progress: told after each scenario how many have been played, and of how many.

    Raises:
        TypeError: it is no executor.

    >>> async def one_by_one(stage):
    ...     async for block in stage.blocks():
    ...         stage.emit(await stage.call(block))
    >>> card = check_engine(one_by_one, random_turns=20)
    >>> card.marks["P4"], card.marks["S3"], card.marks["F6"]
    ('holds', 'broken', 'not observable')
    """
    own = as_engine(engine)
    rules = {rule.id: NEEDS.get(rule.id, ()) for rule in RULES}
    unseen = {
        rule: f"{' and '.join(needs)} not declared"
        for rule, needs in rules.items()
        if needs and not own.supports.intersection(needs)
    }
    judged = [rule for rule in rules if rule not in unseen]
    caught: dict[str, list[Scenario]] = {}
    skipped: dict[str, str] = {}
    seen: set[str] = set()
    given_up: set[str] = set()
    scenarios = list(scenarios_for(own, random_turns))
    for played, scenario in enumerate(scenarios, start=1):
        run = simulate(scenario, own)
        verdict = judge(run.header, run.events, rules=judged)
        skipped |= verdict.skipped
        # Of a run that was given up nobody knows what else would have come.
        (seen if run.trouble is None else given_up).update(rule for rule in judged if rule not in verdict.skipped)
        for rule in {violation.rule for violation in verdict.violations}:
            caught.setdefault(rule, []).append(scenario)
        if on_progress is not None:
            on_progress(played, len(scenarios))
    skipped |= dict.fromkeys(given_up, "no run came to its end")
    unseen |= {rule: reason for rule, reason in skipped.items() if rule not in seen | caught.keys()}
    broken = {rule: _counterexample(own, rule, caught[rule], again) for rule in judged if rule in caught}
    return ReportCard(own.name, len(scenarios), {rule: _mark(rule, broken, unseen) for rule in rules}, broken, unseen)


def _mark(rule: str, broken: dict[str, Counterexample], unseen: dict[str, str]) -> Mark:
    return "broken" if rule in broken else "not observable" if rule in unseen else "holds"


def _counterexample(engine: OwnEngine, rule: str, caught: list[Scenario], again: str) -> Counterexample:
    """Make the scenario with the fewest calls as simple as it can be while the rule is broken in it."""

    def shows(scenario: Scenario) -> Violation | None:
        run = simulate(scenario, engine)
        return next(iter(judge(run.header, run.events, rules=[rule]).violations), None)

    scenario = simplest(min(caught, key=lambda one: len(one.every_call)), lambda one: shows(one) is not None)
    violation = shows(scenario)
    assert violation is not None, "it was kept because the rule is broken in it"
    words = json.dumps(scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    line = (
        again.format(rule=rule, scenario=shlex.quote(words))
        if again
        else f"check(simulate(loads({words!r}), {engine.name}))"
    )
    return Counterexample(scenario, replace(violation, reproduce=line), len(caught))
