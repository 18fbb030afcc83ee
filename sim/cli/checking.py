"""``interlock check``: only the rules."""

import json
import stat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from executor.events import load_logs
from scenarios.history import HistoryError
from scenarios.history.files import holds_messages, read_messages
from scenarios.history.model import HistoryFile
from scenarios.history.session import SESSIONS, read_session
from scenarios.traces import TraceError, TraceReader, read_trace
from scenarios.traces.fingerprints import Seen
from scenarios.traces.recorded_log import JUDGED
from sim.analysis.replay import judge_log, judge_recorded, with_last
from sim.show.amounts import counted
from sim.show.visible import visible, visible_lines

from .answers.recordings import Checked, CheckedFile
from .answers.shape import BrokenRule, Damage
from .console import OnRead, may_colour, write_json
from .exits import BROKEN, OK, UNUSABLE, Unusable
from .histories import history_row
from .options import AsJson
from .recordings import Recordings, lonely_results
from .replaying import damage_json, violation_json
from .running import STANDARD_INPUT

_HEADER_BYTES = 1_000_000
"""A longer first line is no header: sessions may begin with lines of megabytes, which need not be decoded twice."""


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Histories (JSON, JSON lines), transcripts, event logs; - for standard input.", show_default=False
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Judge histories, recorded sessions and event logs; exit 1 if a rule is broken, 2 if a file cannot be read.

    Examples:
        interlock check session.jsonl
        interlock check history.json session.jsonl --json
    """
    recordings = Recordings(list(dict.fromkeys(files)), _check_file)
    rows = list(recordings)
    if as_json:
        write_json(Checked(files=rows))
    else:
        _print(rows)
    broken = any(row["violations"] for row in rows)
    raise typer.Exit(UNUSABLE if recordings.unreadable else BROKEN if broken else OK)


def _check_file(path: Path, *, seen: Seen, on_progress: OnRead | None) -> CheckedFile:
    if path != STANDARD_INPUT:
        return _check_on_disk(path, seen=seen, on_progress=on_progress)
    # What it is shows in its beginning, so it is read more than once.
    with TemporaryDirectory() as folder:
        copy = Path(folder, "standard input")
        copy.write_bytes(typer.get_binary_stream("stdin").read())
        try:
            return _check_on_disk(copy, seen=seen, on_progress=None) | {"file": copy.name}
        except (TraceError, Unusable) as error:
            raise Unusable(str(error).replace(str(copy), copy.name)) from error


def _check_on_disk(path: Path, *, seen: Seen, on_progress: OnRead | None) -> CheckedFile:
    if _is_log(path):
        return _check_log(path)
    if holds_messages(path):
        return history_row(path, _read_messages(path))
    reader = read_trace(path, seen=seen, on_progress=on_progress)
    if reader.format in SESSIONS:
        return history_row(path, read_session(path, contents=False, on_progress=on_progress))
    return _check_recording(reader)


def _read_messages(path: Path) -> HistoryFile:
    try:
        return read_messages(path)
    except (HistoryError, OSError) as error:
        raise Unusable(f"{path}: {error}") from error


def _check_recording(reader: TraceReader) -> CheckedFile:
    violations: list[BrokenRule] = []
    unanswered: list[str] = []
    met: set[int] = set()
    for turn, is_last in with_last(reader):
        met.update(stray.line for stray in turn.unmatched)
        found, open_calls = judge_recorded(turn, is_last=is_last)
        violations += [violation_json(one) | {"turn": turn.number, "line": turn.line} for one in found]
        unanswered += open_calls
    return {
        "file": str(reader.path),
        "format": reader.format,
        "turns": reader.counts.turns,
        "violations": violations + lonely_results(reader, met),
        "unanswered": unanswered,
        "damage": damage_json(reader),
    }


def _is_log(path: Path) -> bool:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            first = json.loads(file.readline(_HEADER_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "log" in first


def _check_log(path: Path) -> CheckedFile:
    violations: list[BrokenRule] = []
    unanswered: tuple[str, ...] = ()
    turn = 0
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        damage = _cut_off(lines)
        logs = load_logs(lines[: len(lines) - len(damage)])
        for turn, ((header, events), is_last) in enumerate(with_last(logs), start=1):
            broken, unanswered = judge_log(header, events, may_go_on=is_last)
            violations += [violation_json(one) | {"turn": turn, "report": str(one)} for one in broken]
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; an event log is what `interlock run --log` writes") from error
    return {
        "file": str(path),
        "format": "event_log",
        "turns": turn,
        "violations": violations,
        "unanswered": list(unanswered),
        "damage": damage,
    }


def _cut_off(lines: list[str]) -> list[Damage]:
    """Tell of a last line that a crash cut off in mid-write; whoever wrote the log got no further."""
    if len(lines) < 2 or lines[-1].endswith("\n"):
        return []
    try:
        json.loads(lines[-1])
    except (ValueError, RecursionError):
        return [{"line": len(lines), "what": "cut off in mid-line, left out"}]
    return []


def _print(rows: list[CheckedFile]) -> None:
    for row in rows:
        for violation in row["violations"]:
            where = f"{row['file']}:{violation['line']}" if "line" in violation else row["file"]
            told = violation.get("report") or f"{violation['rule']}: {violation['message']}"
            typer.secho(visible_lines(f"{where}: {told}"), fg="red", color=may_colour())
        for call in row["unanswered"]:
            typer.echo(visible(f"{row['file']}: {call} is unanswered, for the file ends there"))
        if row["damage"]:
            typer.echo(f"{row['file']}: {counted(len(row['damage']), 'damage')} (--json lists them)")
    broken = sum(bool(row["violations"]) for row in rows)
    typer.echo(f"{counted(len(rows), 'file')} judged, {broken} with broken rules")
    formats = {row["format"] for row in rows} - {"event_log"}
    if formats & {"messages", *SESSIONS}:
        typer.echo("A history is judged by P1, P2, P3 and W7; it tells too little for the other rules.")
    if formats - {"messages", *SESSIONS}:
        typer.echo(f"A recording without whole messages is judged by {' and '.join(JUDGED)} alone.")
