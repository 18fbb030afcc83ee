"""``interlock plot``: pictures of turns, sessions, comparisons and explorations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from scenarios import ScenarioError, load
from scenarios.expect import ENGINES
from sim.show.visible import visible

from .answers.writing import Drawn
from .comparing import tell_unreadable
from .console import write_json
from .exits import Unusable
from .options import AsJson, engine_names
from .outputs import writable
from .running import chosen_engine
from .sources import Source, tell_left_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEDULES: Final = 1_000
"""How many schedules of an exploration are tried at most for its picture."""


class Kind(StrEnum):
    """What can be drawn."""

    GANTT = "gantt"
    ENGINES = "engines"
    SESSION = "session"
    LATENCY = "latency"
    SAVING = "saving"
    MAP = "map"
    OUTCOMES = "outcomes"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for, and what of it could not be drawn."""

    files: list[Path]
    engines: list[str]
    seed: int
    turn: int | None
    left_out: list[str] = field(default_factory=list)

    def source(self, engines: tuple[str, ...] = ()) -> Source:
        """Give the one file that there is to draw."""
        if len(self.files) != 1:
            raise Unusable(f"this kind draws one file, got {len(self.files)}: name one, or choose another --kind")
        return Source(self.files[0], self.engines or engines, self.seed, self.turn, self.left_out)


def plot(
    files: Annotated[
        list[Path], typer.Argument(help="Scenarios, event logs, recorded sessions, folders.", show_default=False)
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to draw: NAME.svg, .png or .pdf.", show_default=False)
    ],
    kind: Annotated[
        Kind | None,
        typer.Option(
            help="gantt: one turn; engines: one above the other; session: all turns in time; of many turns latency, "
            "saving by calls, and a map of savings; outcomes of all schedules. Without it what the files suggest.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(help="Who runs the calls, may be given several times.", autocompletion=engine_names),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the durations that a scenario leaves open.")] = 0,
    turn: Annotated[int | None, typer.Option(help="Only this turn of a session.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Draw turns, sessions, comparisons or explorations; needs the extra 'analysis'.

    Examples:
        interlock plot turn.yaml -o engines.svg
        interlock plot session.jsonl -o session.png
        interlock plot session.jsonl --turn 2 -o turn.svg
        interlock plot scenarios/library/*.yaml --kind saving -o saving.svg
        interlock plot turn.yaml --kind outcomes -o outcomes.pdf
    """
    writable("-o", out, files)
    asked = Asked(files, [chosen_engine(name) for name in engine or ()], seed, turn)
    # Only here: the help must not need the extra.
    from sim.show.figures import kind_of, notes, save

    try:
        kind_of(out)
    except ValueError as error:
        raise Unusable(f"-o {error}") from error
    kind = kind or _suggested(asked)
    ax = _PICTURES[kind](asked)
    try:
        save(ax, out)
    except OSError as error:
        raise Unusable(f"-o {out}: cannot write it: {error.strerror or error}; choose another path") from error
    if as_json:
        write_json(Drawn(file=str(out), kind=kind.value, notes=notes(ax), left_out=asked.left_out))
        return
    tell_left_out(asked.left_out)
    for line in notes(ax):
        typer.echo(visible(line), err=True)


def _suggested(asked: Asked) -> Kind:
    if len(asked.files) > 1 or asked.files[0].is_dir():
        return Kind.LATENCY
    if asked.source().is_scenario:
        return Kind.ENGINES
    return Kind.SESSION if asked.turn is None else Kind.GANTT


def _gantt(asked: Asked) -> "Axes":
    from sim.analysis.frames import calls_frame
    from sim.show.figures import gantt

    source = asked.source()
    turns = list(source.begun())
    if len(turns) != 1:
        way_out = "name one --engine" if source.is_scenario else "choose one by --turn N"
        raise Unusable(f"{source.path}: --kind gantt draws one turn, got {len(turns)}: {way_out}")
    return gantt(calls_frame(turns[0].course))


def _engines(asked: Asked) -> "Axes":
    from sim.analysis.frames import calls_frame
    from sim.show.figures import side_by_side

    source = asked.source(ENGINES)
    turns = list(source.begun())
    if len({turn.name for turn in turns}) > 1:
        raise Unusable(f"{source.path}: --kind engines draws one turn: choose one by --turn N")
    return side_by_side(calls_frame(turn.course for turn in turns))


def _session(asked: Asked) -> "Axes":
    from sim.analysis.frames import session_frame
    from sim.show.figures import session_timeline

    source = asked.source()
    frame = session_frame(source.begun())
    return session_timeline(frame)


def _compared(draw: str) -> Callable[[Asked], "Axes"]:
    def picture(asked: Asked) -> "Axes":
        from sim.analysis.compare import compare
        from sim.show import figures

        # One process is quicker for a file or two, all cores for folders.
        jobs = None if any(path.is_dir() for path in asked.files) else 1
        done = compare(asked.files, asked.engines or ENGINES, jobs=jobs, seed=asked.seed)
        tell_unreadable(done, asked.files)
        if done.unreadable and not done.files:
            raise Unusable("none of the files can be read")
        ax: Axes = getattr(figures, draw)(done.frame())
        return ax

    return picture


def _outcomes(asked: Asked) -> "Axes":
    from sim.analysis.frames import explored_frame
    from sim.explore import explore
    from sim.show.figures import exploration_outcomes

    path = asked.source().path
    try:
        scenario = load(path)
    except ScenarioError as error:
        raise Unusable(str(error)) from error
    engine = next(iter(asked.engines), "streaming")
    found = explore(scenario, engine, scheduler="exhaustive", schedules=SCHEDULES, seed=asked.seed, source=str(path))
    return exploration_outcomes(explored_frame(found))


_PICTURES: Final[Mapping[Kind, Callable[[Asked], "Axes"]]] = {
    Kind.GANTT: _gantt,
    Kind.ENGINES: _engines,
    Kind.SESSION: _session,
    Kind.LATENCY: _compared("latency_ecdf"),
    Kind.SAVING: _compared("saving_by_calls"),
    Kind.MAP: _compared("savings_map"),
    Kind.OUTCOMES: _outcomes,
}
