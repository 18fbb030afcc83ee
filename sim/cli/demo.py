"""``interlock demo``: what the project does, on its own samples."""

from contextlib import ExitStack
from importlib.resources import as_file, files

from rich.rule import Rule

from scenarios import load
from scenarios.expect import ENGINES
from sim.world import simulate

from .console import can_draw_unicode, console, may_colour
from .replaying import replay

SCENARIO = "three_calls_in_a_stream.yaml"


def demo() -> None:
    """Show one turn under each engine, then replay the recorded sessions that come with the project.

    Examples:
        interlock demo
    """
    out = console()
    out.print(Rule("one turn, three engines: the real executor on a virtual clock", align="left"))
    with as_file(files("scenarios") / "library" / SCENARIO) as path:
        scenario = load(path)
    for engine in ENGINES:
        done = simulate(scenario, engine, source=f"scenarios/library/{SCENARIO}")
        out.print()
        width, unicode = min(out.width, 100), can_draw_unicode()
        out.out(done.timeline(width=width, ascii=not unicode, colour=may_colour()), highlight=False)
    out.print()
    out.print(Rule("recorded sessions, replayed: interlock replay scenarios/samples/*.jsonl", align="left"))
    with ExitStack() as stack:
        samples = sorted(files("scenarios").joinpath("samples").iterdir(), key=lambda sample: sample.name)
        replay([stack.enter_context(as_file(sample)) for sample in samples if sample.name.endswith(".jsonl")])
