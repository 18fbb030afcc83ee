"""A trial: one run under a plan, and what came of it, for scenarios and for anybody's coroutine alike.

The rule: what is broken is told by kind, so that the same fault of two runs is one. Times in nanoseconds.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from scenarios import Scenario
from sim import clock
from sim.clock import Environment, SimLoop
from sim.world import Run, check

from .plan import Plan

Program = Callable[[], Coroutine[Any, Any, Any]]
"""Makes the coroutine that is to be explored, anew for each run."""


@dataclass(frozen=True)
class Ended:
    """How one run ended.

    Args:
        plan: what it was, with the choices that were made.
        outcome: what came of it, in words: two runs with the same words ended alike.
        broken: what was wrong, by kind: the rule, or the error's name; empty if all is well.
        counts: how many events tied at each choice point.
        waits: at how many points the consumer, or the coroutine, waited.
        instants_ns: the instants at which something happened; of a scenario only.
        run: the run, of a scenario only.
    """

    plan: Plan
    outcome: str
    broken: dict[str, str]
    counts: tuple[int, ...]
    waits: int
    instants_ns: tuple[int, ...] = ()
    run: Run | None = None


Trial = Callable[[Plan], Ended]


def scenario_trial(scenario: Scenario, source: str = "") -> Trial:
    """Make the trial that plays a scenario and judges it by every rule."""

    def play(plan: Plan) -> Ended:
        choices, waits = plan.start_choices(), plan.start_waits()
        run = plan.play(scenario, source=source, choices=choices, waits=waits)
        broken: dict[str, str] = {}
        for violation in check(run):
            broken.setdefault(violation.rule, str(violation))
        if run.trouble is not None and not broken:
            broken["trouble"] = run.trouble
        return Ended(
            plan=plan.made_plain(choices),
            outcome=_outcome(run),
            broken=broken,
            counts=tuple(choices.counts),
            waits=waits.count,
            instants_ns=tuple(dict.fromkeys(event.t_ns for event in run.events)),
            run=run,
        )

    return play


def _outcome(run: Run) -> str:
    results = ", ".join(f"{result.call_id} {result.outcome}" for result in run.results) or "no result"
    context = "".join(f", {name}={value!r}" for name, value in run.context.items())
    return results + context


def program_trial(program: Program) -> Trial:
    """Make the trial that runs a coroutine: an error it raises is what is broken, and what it leaves when cut short."""

    def play(plan: Plan) -> Ended:
        choices, waits = plan.start_choices(), plan.start_waits()
        loop = SimLoop(Environment(pick=choices))
        left: list[str] = []

        def look() -> None:
            ours = sorted(asyncio.all_tasks(loop), key=hash)
            left.extend(task.get_name() for task in ours)

        broken: dict[str, str] = {}
        try:
            outcome = repr(clock.run(waits.watch(program()), loop=loop, on_over=look))
        except asyncio.CancelledError:
            outcome = "cancelled"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
            broken[type(error).__name__] = outcome
        if plan.cuts and left:
            broken["left behind"] = f"left behind: {', '.join(left)} still ran when the cancelled coroutine had ended"
        return Ended(plan.made_plain(choices), outcome, broken, tuple(choices.counts), waits.count)

    return play
