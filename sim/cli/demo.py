"""``interlock demo``: what the project does, on its own samples."""

from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

from rich.rule import Rule

from scenarios import load
from scenarios.expect import ENGINES
from scenarios.traces import read_trace
from sim.world import Run, judge_run, simulate
from sim.world.expectations import unmet

from .answers.simulation import Shown
from .console import can_draw_unicode, console, may_colour, write_json
from .options import AsJson
from .replaying import file_json, replay
from .running import run_json

SCENARIO = "three_calls_in_a_stream.yaml"


def demo(as_json: AsJson = False) -> None:
    """Show one turn under each engine, then replay the recorded sessions that come with the project.

    Examples:
        interlock demo
        interlock demo --json
    """
    with as_file(files("scenarios") / "library" / SCENARIO) as path:
        scenario = load(path)
    runs = [simulate(scenario, engine, source=f"scenarios/library/{SCENARIO}") for engine in ENGINES]
    with ExitStack() as stack:
        samples = sorted(files("scenarios").joinpath("samples").iterdir(), key=lambda sample: sample.name)
        paths = [stack.enter_context(as_file(sample)) for sample in samples if sample.name.endswith(".jsonl")]
        if as_json:
            told = [run_json(done, judge_run(done), unmet(done)) for done in runs]
            write_json(Shown(runs=told, files=[file_json(read_trace(path)) for path in paths]))
        else:
            _print(runs, paths)


def _print(runs: list[Run], samples: list[Path]) -> None:
    out = console()
    out.print(Rule("one turn, three engines: the real executor on a virtual clock", align="left"))
    for done in runs:
        out.print()
        width, unicode = min(out.width, 100), can_draw_unicode()
        out.out(done.timeline(width=width, ascii=not unicode, colour=may_colour()), highlight=False)
    out.print()
    out.print(Rule("recorded sessions, replayed: interlock replay scenarios/samples/*.jsonl", align="left"))
    replay(samples)
