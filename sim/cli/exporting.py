"""``interlock export``: turns as files for other people's tools."""

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sim.analysis.placed import PlacedTurn
from sim.show.exports.otlp import write_otlp
from sim.show.exports.perfetto import write_perfetto

from .answers.writing import Exported
from .console import write_json
from .exits import Unusable
from .options import AsJson, engine_names
from .outputs import writable
from .sources import Source, tell_left_out


class Form(StrEnum):
    """What turns can be written as."""

    PERFETTO = "perfetto"
    OTLP = "otlp"
    CSV = "csv"
    PARQUET = "parquet"


def export(
    file: Annotated[Path, typer.Argument(help="A scenario, an event log, or a recorded session.", show_default=False)],
    to: Annotated[Form, typer.Option(help="What to write; the tables need the extra 'analysis'.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write here instead of to standard output.", show_default=False)
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="Who runs the calls, may be given several times; without it a session stays as recorded.",
            autocompletion=engine_names,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the durations that a scenario leaves open.")] = 0,
    turn: Annotated[int | None, typer.Option(help="Only this turn of a session.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Write turns as Chrome trace events for ui.perfetto.dev, as OpenTelemetry spans, or as tables of calls.

    Examples:
        interlock export session.jsonl --to perfetto -o session.json
        interlock export turn.yaml --to csv --engine streaming --engine batch
        interlock export session.jsonl --turn 2 --to otlp
    """
    if to is Form.PARQUET and out is None:
        raise Unusable("--to parquet writes no text: name a file by -o OUT")
    if as_json and out is None:
        raise Unusable("--json tells what was written elsewhere: name a file by -o OUT")
    writable("-o", out, [file])
    source = Source(file, engine or (), seed, turn)
    turns = source.begun()
    try:
        left_out = (
            _write_parquet(turns, out) if to is Form.PARQUET and out is not None else _write(to, turns, out, file)
        )
    except OSError as error:
        if out is None:
            raise
        raise Unusable(f"{out}: cannot write it: {error.strerror or error}; choose another path") from error
    left_out = [*source.left_out, *left_out]
    if as_json:
        write_json(Exported(file=str(out), form=to.value, left_out=left_out))
    else:
        tell_left_out(left_out)


def _write(form: Form, turns: Iterable[PlacedTurn], out: Path | None, file: Path) -> list[str]:
    with nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8", newline="\n") as stream:
        if form is Form.PERFETTO:
            return write_perfetto(turns, stream)
        if form is Form.OTLP:
            return write_otlp(turns, stream, source=file.name)
        from sim.show.exports.tables import write_csv  # only here: it needs the extra

        return write_csv(turns, stream)


def _write_parquet(turns: Iterable[PlacedTurn], out: Path) -> list[str]:
    from sim.show.exports.tables import write_parquet

    with out.open("wb") as stream:
        return write_parquet(turns, stream)
