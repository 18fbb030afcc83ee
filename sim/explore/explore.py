"""Explore: the same turn, or the same coroutine, under many schedules.

The rule (SPEC A11): only what comes from outside and ties at one instant is reordered, never asyncio's ready queue.
Times in nanoseconds.
"""

from collections.abc import Callable
from itertools import islice
from typing import Literal, get_args

from scenarios import Scenario
from scenarios.durations import parse_duration
from sim.world import AnyExecutor

from .exploration import Exploration, Notes
from .interrupts import Interrupted, between_runs
from .plan import Plan
from .searches import Search, exhaustive, seeded, sweep, tried
from .trial import Ended, Program, Trial, program_trial, scenario_trial

Scheduler = Literal["random", "exhaustive", "hypothesis", "sweep"]


def explore(
    subject: Scenario | Program,
    engine: str | AnyExecutor = "streaming",
    *,
    scheduler: Scheduler = "random",
    schedules: int = 1_000,
    deviations: int | None = None,
    depth: int = 2,
    jitter: float | str = 0,
    seed: int = 0,
    source: str = "",
    on_progress: Callable[[int], None] = lambda tried: None,
) -> Exploration:
    """Run a scenario, or a coroutine of yours, under many schedules, and judge every run.

    Args:
        subject: the scenario, or a function that makes the coroutine anew for each run; that may use SimPy processes
            (``asyncio.get_running_loop().env``), and what it raises is a failure.
        engine: what runs a scenario's calls, as for :class:`Plan`.
        scheduler: ``random`` draws the order by seeds, first-come first; ``exhaustive`` tries every order;
            ``hypothesis`` sparse deviations mixed with seeds; ``sweep`` cancels the consumer, or the coroutine,
            wherever it waits, and lets the user stop or submit at each instant.
        schedules: at most so many runs.
        deviations: for ``exhaustive``, the most deviations from first-come in one run.
        depth: for ``sweep``, the most cuts in one run.
        jitter: how far fixed durations and instants are moved, in seconds or words (``50ms``); by another seed in
            each run where the order is drawn.
        seed: the first seed.
        source: the scenario's file, for the lines that reproduce failures.
        on_progress: told after each run how many there were.

    Raises:
        ValueError: a scheduler that is none, a bound that is too small, or jitter that is no duration.
        RuntimeError: the coroutine does something else in each run although its schedule is the same.
        Interrupted: Ctrl-C was pressed; a :class:`KeyboardInterrupt` that holds what was seen so far.

    >>> import asyncio
    >>> async def lost_update():
    ...     total = 0
    ...     async def add(after_s):
    ...         nonlocal total
    ...         await asyncio.sleep(after_s)
    ...         seen = total
    ...         await asyncio.sleep(2)
    ...         total = seen + 1
    ...     await asyncio.gather(add(0), add(2))
    ...     return total
    >>> found = explore(lost_update, scheduler="exhaustive")
    >>> print(found, dict(found.outcomes))
    all 2 schedules hold {'1': 1, '2': 1}
    """
    if scheduler not in get_args(Scheduler):
        raise ValueError(f"scheduler: expected one of {', '.join(get_args(Scheduler))}, got {scheduler!r}")
    for name, value, least in (("schedules", schedules, 1), ("depth", depth, 1), ("deviations", deviations, 0)):
        if value is not None and value < least:
            raise ValueError(f"{name}: expected {least} or more, got {value}")
    trial = scenario_trial(subject, source) if isinstance(subject, Scenario) else program_trial(subject)
    plan = Plan(engine=engine, seed=seed, jitter_ns=parse_duration(jitter))
    notes = Notes()

    def note(ended: Ended) -> None:
        notes(ended)
        on_progress(notes.tried)

    def seen(*, complete: bool, shrink_by: Trial | None) -> Exploration:
        return Exploration(
            tried=notes.tried,
            failing=notes.failing,
            complete=complete,
            bounds=_bounds(scheduler, deviations, depth),
            seed=seed,
            outcomes=dict(notes.outcomes),
            violations=notes.failures(shrink_by),
        )

    try:
        with between_runs(trial) as run:
            complete = False
            if scheduler == "hypothesis":
                from . import by_hypothesis

                by_hypothesis.search(plan, run, schedules, note)
            else:
                runs = tried(_search(scheduler, plan, deviations, depth), run)
                for ended in islice(runs, schedules):
                    note(ended)
                complete = scheduler != "random" and next(runs, None) is None
            return seen(complete=complete, shrink_by=run)
    except KeyboardInterrupt:
        raise Interrupted(seen(complete=False, shrink_by=None)) from None


def _search(scheduler: Scheduler, plan: Plan, deviations: int | None, depth: int) -> Search:
    match scheduler:
        case "exhaustive":
            return exhaustive(plan, deviations)
        case "sweep":
            return sweep(plan, depth)
    return seeded(plan)


def _bounds(scheduler: Scheduler, deviations: int | None, depth: int) -> str:
    if scheduler == "sweep":
        return f"with <= {depth} cuts"
    return "" if deviations is None else f"with <= {deviations} deviations"
