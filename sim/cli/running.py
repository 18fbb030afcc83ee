"""``interlock run``: play scenarios and judge them."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from executor.events import Kind
from scenarios import Expect, Scenario, ScenarioError, load, loads
from scenarios.durations import parse_duration
from scenarios.expect import ENGINES
from sim.clock import format_choices, parse_choices
from sim.explore import Cut, Plan
from sim.explore.plan import engine_named
from sim.explore.twins import Difference, differences
from sim.oracle import Verdict
from sim.show.html.played import PlayedReport
from sim.world import Run, judge_run
from sim.world.expectations import unmet

from .answers.simulation import LogDifference, Played, PlayedRun
from .console import aside, can_draw_unicode, console, counting, may_colour, write_json
from .exits import BROKEN, OK, UNUSABLE, Unusable
from .options import ENGINE_HELP, AsHtml, AsJson, engine_names
from .outputs import writable, write_text
from .recordings import hint_at_replay
from .replaying import violation_json
from .shelf import run_library

STANDARD_INPUT: Final = Path("-")


def run(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Scenario files (*.yaml); - for standard input.", show_default=False)
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help=f"{ENGINE_HELP} Without it the first that the file expects something of.",
            autocompletion=engine_names,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the durations that a scenario leaves open.")] = 0,
    jitter: Annotated[str, typer.Option(help="Move fixed durations and instants by up to this; by the seed.")] = "0s",
    choices: Annotated[
        str, typer.Option(help="What is taken first where something ties: STEP:PICK,… as a report prints it.")
    ] = "",
    cut: Annotated[
        list[str] | None,
        typer.Option(help="Cut the run short: cancel@POINT, wake@POINT, stop@INSTANT, submit@INSTANT."),
    ] = None,
    check_determinism: Annotated[
        bool,
        typer.Option("--check-determinism", help="Run it again, here and in other processes, and compare the logs."),
    ] = False,
    log: Annotated[Path | None, typer.Option(help="Write the event log here (one file only).")] = None,
    html: AsHtml = None,
    as_json: AsJson = False,
    library: Annotated[
        bool, typer.Option("--library", help="Run the scenarios that come with the project, under their engines.")
    ] = False,
    keep_digests: Annotated[
        bool, typer.Option("--keep-digests", help="With --library: keep the digests of these runs as the right ones.")
    ] = False,
) -> None:
    """Play scenarios on the virtual clock, judge each run by the rules and by what its file expects.

    Examples:
        interlock run scenarios/library/three_calls_in_a_stream.yaml --engine batch
        interlock run scenarios/library/a_limit_of_two.yaml --log turn.jsonl --check-determinism
        interlock run scenarios/library/*.yaml --json
        interlock run scenarios/library/*.yaml --html report.html
        interlock run --library
    """
    if library:
        if files:
            raise Unusable(f"--library takes no files, got {len(files)}: leave one of the two out")
        run_library(as_json, keep_digests)
    if not files:
        raise Unusable("expected scenario files or --library, got neither; name a .yaml file")
    if keep_digests:
        raise Unusable("--keep-digests goes with --library; leave it out")
    if log is not None and len(files) > 1:
        raise Unusable(f"--log takes the log of one scenario, got {len(files)} files: run them one by one")
    writable("--log", log, files)
    writable("--html", html, files)
    asked = _plan(engine or ENGINES[0], seed, jitter, choices, cut or [])
    rows: list[PlayedRun] = []
    page = PlayedReport(f"Simulated{f' by {engine}' if engine else ''}, seed {seed}")
    broken, unreadable = False, 0
    try:
        for path in _in_turn(files, is_silent=as_json):
            try:
                scenario = load(path) if path != STANDARD_INPUT else loads(sys.stdin.read(), "standard input", Path())
            except ScenarioError as error:
                unreadable += 1
                typer.echo(f"interlock: {error}{hint_at_replay(path)}", err=True)
                continue
            plan = asked if engine else replace(asked, engine=next(iter(scenario.expect.engines), ENGINES[0]))
            done = _play(plan, scenario, path)
            parted = _part(scenario, plan) if check_determinism else None
            verdict, failures = judge_run(done), unmet(done)
            broken = broken or bool(verdict.violations or failures or parted)
            row = run_json(done, verdict, failures)
            if parted is not None:
                row |= {"deterministic": not parted, "differences": list(map(_difference_json, parted))}
            rows.append(row)
            if html is not None:
                page.add_run(str(path), done, verdict.violations, failures)
            if log is not None:
                write_text("--log", log, "".join(f"{line}\n" for line in done.lines))
            if not as_json:
                _print(done, verdict, failures, parted)
    finally:
        # Whoever reads only the beginning of what is printed still gets the report of what was played.
        if html is not None and rows:
            write_text("--html", html, page.page())
            typer.echo(f"interlock: wrote {html}", err=True)
    if as_json:
        write_json(Played(runs=rows))
    raise typer.Exit(UNUSABLE if unreadable else BROKEN if broken else OK)


def _in_turn(files: list[Path], *, is_silent: bool) -> Iterator[Path]:
    """Give the files one by one; where nothing is printed of each, it is shown how far that has come."""
    if not is_silent:
        yield from files
        return
    with counting("playing", len(files)) as tell:
        for done, path in enumerate(files):
            tell(done)
            yield path


def chosen_engine(name: str, where: str = "--engine") -> str:
    """Make sure that an option or argument names an engine; one of the user's own may lie in the present folder."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        with aside():
            engine_named(name)
    except ValueError as error:
        raise Unusable(f"{where}: {error}") from None
    return name


def _part(scenario: Scenario, plan: Plan) -> list[Difference]:
    try:
        return differences(scenario, plan)
    except RuntimeError as error:
        raise Unusable(f"--check-determinism: {error}") from None


def _plan(engine: str, seed: int, jitter: str, choices: str, cuts: list[str]) -> Plan:
    try:
        option = "--jitter"
        jitter_ns = parse_duration(jitter)
        option = "--choices"
        chosen = parse_choices(choices)
        option = "--cut"
        return Plan(chosen_engine(engine), seed, jitter_ns, chosen, cuts=tuple(map(Cut.parse, cuts)))
    except ValueError as error:
        raise Unusable(f"{option}: {error}") from None


def _play(plan: Plan, scenario: Scenario, path: Path) -> Run:
    choices, waits = plan.start_choices(), plan.start_waits()
    try:
        with aside():
            done = plan.play(scenario, source=str(path), choices=choices, waits=waits)
    except ValueError as error:
        raise Unusable(f"{path}: {error}") from None
    if choices.deviations != plan.choices:
        asked, made = format_choices(plan.choices), format_choices(choices.deviations) or "none"
        raise Unusable(
            f"--choices {asked}: expected choices that this run has, of which it could make {made}: it has "
            f"{len(choices.counts)} choice points; take the line of a report together with its scenario"
        )
    for cut in plan.cuts:
        if not cut.is_act and cut.at > waits.count:
            raise Unusable(
                f"--cut {cut}: expected a point at which this run waits, of which it has {waits.count}; "
                "take the line of a report together with its scenario"
            )
    return done


def _print(done: Run, verdict: Verdict, failures: list[str], parted: list[Difference] | None) -> None:
    # Plain echoes: what is told here is copied and pasted, so it must not be wrapped.
    tell = partial(typer.secho, color=may_colour())
    width, unicode = min(console().width, 120), can_draw_unicode()
    tell(done.timeline(width=width, ascii=not unicode, colour=may_colour(), broken=verdict.violations))
    for violation in verdict.violations:
        tell(str(violation), fg="red")
    for failure in failures:
        tell(f"not as expected: {failure}", fg="red")
    if not verdict.violations:
        judged = [rule for rule in verdict.rules if rule not in verdict.skipped]
        tell(f"rules hold: {', '.join(judged)}", fg="green")
    for rule, reason in verdict.skipped.items():
        tell(f"{rule} skipped: {reason}")
    if not failures:
        expects = done.scenario.expect != Expect() and done.engine in done.scenario.expect.engines
        tell("as expected" if expects else "the file expects nothing of this engine")
    for difference in parted or ():
        tell(f"not deterministic: {difference}", fg="red")
    if parted == []:
        tell("deterministic: the same again here, in another process with a moved heap, and under another hash seed")
    tell(f"digest {done.digest}\n")


def _difference_json(parted: Difference) -> LogDifference:
    return LogDifference(twin=parted.twin, at=parted.at, here=list(parted.here), there=list(parted.there))


def run_json(done: Run, verdict: Verdict, failures: list[str]) -> PlayedRun:
    """Write a run and what was found of it as JSON."""
    return {
        "scenario": done.scenario.name,
        "engine": done.engine,
        "seed": done.seed,
        "digest": done.digest,
        "makespan_s": done.makespan_s,
        "results": [(result.call_id, result.outcome.value) for result in done.results],
        "started": [event.call for event in done.events if event.kind is Kind.ENTERED and event.call],
        "violations": [violation_json(violation) for violation in verdict.violations],
        "expect": {"met": not failures, "failures": failures},
    }
