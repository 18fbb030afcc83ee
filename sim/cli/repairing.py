"""``interlock repair``: a valid history of one that breaks the rules, and everything that was done to it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scenarios.history import HistoryError, repair
from scenarios.history.files import holds_messages, read_messages, write_histories
from scenarios.history.session import read_session
from scenarios.traces import TraceError
from sim.show.amounts import counted
from sim.show.visible import visible

from .answers.recordings import Deed, Repaired
from .answers.shape import Damage
from .console import write_json
from .exits import Unusable
from .options import AsJson


class Keep(StrEnum):
    """Which of several results of one call stays."""

    FIRST = "first"
    LAST = "last"


def repair_history(
    file: Annotated[Path, typer.Argument(help="A history (JSON, JSON lines) or a transcript.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the valid one.", show_default=False)],
    keep: Annotated[Keep, typer.Option(help="Which of several results of one call stays.")] = Keep.FIRST,
    close: Annotated[bool, typer.Option(help="Answer the calls that it ends with, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a history valid and tell everything that was done; FILE stays as it is, a transcript becomes messages.

    Examples:
        interlock repair history.json -o valid.json
        interlock repair session.jsonl -o valid.json --keep last --close
    """
    if out.exists() and file.exists() and out.samefile(file):
        raise Unusable(f"--out {out}: this is the file to be mended, which stays as it is; name another")
    written, deeds = [], []
    try:
        read = read_messages(file) if holds_messages(file) else read_session(file)
        for history in (part for whole in read.histories for part in whole.segments()):
            repaired = repair(history.messages, keep=keep.value, close=close)
            written.append((repaired.messages, history.rest))
            deeds += [Deed(line=history.line(deed.place), what=deed.what, taken=deed.taken) for deed in repaired.deeds]
    except TraceError as error:
        raise Unusable(str(error)) from error
    except (HistoryError, OSError) as error:
        raise Unusable(f"{file}: {error}") from error
    try:
        out.write_text(write_histories(read.form, written), encoding="utf-8")
    except OSError as error:
        raise Unusable(f"--out {out}: cannot be written ({error.strerror or error})") from error
    deeds.sort(key=lambda deed: deed["line"])
    damage = [Damage(line=one.line, what=one.what) for one in read.damage]
    if as_json:
        write_json(Repaired(file=str(file), out=str(out), deeds=deeds, damage=damage))
        return
    for deed in deeds:
        typer.echo(visible(f"{file}:{deed['line']}: {deed['what']}"))
    if damage:
        typer.echo(f"{file}: {counted(len(damage), 'damage')} (--json lists them)")
    typer.echo(f"{counted(len(deeds), 'change')}; {out} is valid")
