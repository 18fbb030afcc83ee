"""``interlock explore``: one scenario under many schedules."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from scenarios import Scenario, ScenarioError, load
from scenarios.durations import parse_duration
from sim.explore import Exploration, Interrupted, confidence
from sim.explore import explore as explore_schedules
from sim.show.amounts import counted

from .answers.simulation import Explored, FoundFailure
from .console import counting, may_colour, write_json
from .exits import BROKEN, INTERRUPTED, OK, Unusable
from .options import AsJson, Engine
from .recordings import hint_at_replay
from .running import chosen_engine


class SchedulerName(StrEnum):
    """The ways to choose schedules, as the command line offers them."""

    random = "random"
    exhaustive = "exhaustive"
    hypothesis = "hypothesis"
    sweep = "sweep"


def explore(
    file: Annotated[Path, typer.Argument(help="A scenario file (*.yaml).", show_default=False)],
    engine: Engine = "streaming",
    scheduler: Annotated[
        SchedulerName,
        typer.Option(help="How orders are chosen; sweep cuts the run short everywhere instead."),
    ] = SchedulerName.random,
    schedules: Annotated[int, typer.Option(min=1, help="At most so many runs.")] = 1_000,
    deviations: Annotated[
        int | None, typer.Option(min=0, help="With exhaustive: at most so many deviations from first-come.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="With sweep: at most so many cuts in one run; 2 without it.")
    ] = None,
    jitter: Annotated[str, typer.Option(help="Move fixed durations and instants by up to this.")] = "0s",
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Run one scenario under many schedules and judge each run; what fails is shown with the line that repeats it.

    Examples:
        interlock explore scenarios/library/a_limit_of_two.yaml --scheduler exhaustive
        interlock explore scenarios/library/a_limit_of_two.yaml --scheduler sweep --schedules 100
        interlock explore scenarios/library/a_limit_of_two.yaml --jitter 50ms --engine batch
    """
    for option, value, taker in (("--deviations", deviations, "exhaustive"), ("--depth", depth, "sweep")):
        if value is not None and scheduler != taker:
            raise Unusable(f"{option}: expected --scheduler {taker} with it, got {scheduler}")
    try:
        parse_duration(jitter)
    except ValueError as error:
        raise Unusable(f"--jitter: {error}") from None
    interrupted = False
    try:
        scenario = load(file)
        with counting("exploring", schedules) as on_progress:
            done = explore_schedules(
                scenario,
                chosen_engine(engine),
                scheduler=scheduler.value,
                schedules=schedules,
                deviations=deviations,
                depth=depth or 2,
                jitter=jitter,
                seed=seed,
                source=str(file),
                on_progress=on_progress,
            )
    except Interrupted as ended:
        done, interrupted = ended.so_far, True
    except ScenarioError as error:
        raise Unusable(f"{error}{hint_at_replay(file)}") from None
    except ValueError as error:
        raise Unusable(f"{file}: {error}") from None
    if as_json:
        write_json(_explored(scenario, engine, scheduler, done, interrupted))
    else:
        _print(
            done,
            f"{engine} · {scenario.name or file} · {scheduler.value} · seed {seed}{' · interrupted' * interrupted}",
        )
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(BROKEN if done.failing else OK)


def _print(done: Exploration, title: str) -> None:
    tell = partial(typer.secho, color=may_colour())
    tell(title)
    for outcome, times in sorted(done.outcomes.items(), key=lambda item: -item[1])[:_MOST_OUTCOMES]:
        tell(f"{times:>7,} x {outcome}")
    if (more := len(done.outcomes) - _MOST_OUTCOMES) > 0:
        tell(f"        … and {counted(more, 'more outcome')}")
    for failure in done.violations:
        tell(f"\n{failure.told}", fg="red")
        tell(f"  in {failure.times:,} of {done.tried:,} runs; the smallest: {failure.plan}")
    tell(str(done), fg="red" if done.failing else "green")


_MOST_OUTCOMES = 8


def _explored(
    scenario: Scenario, engine: str, scheduler: SchedulerName, done: Exploration, interrupted: bool
) -> Explored:
    return {
        "scenario": scenario.name,
        "engine": engine,
        "scheduler": scheduler.value,
        "seed": done.seed,
        "tried": done.tried,
        "failing": done.failing,
        "complete": done.complete,
        "interrupted": interrupted,
        "summary": str(done),
        "confidence": confidence(done.failing, done.tried),
        "outcomes": dict(done.outcomes),
        "violations": [
            FoundFailure(kind=failure.kind, times=failure.times, plan=str(failure.plan), told=failure.told)
            for failure in done.violations
        ],
    }
