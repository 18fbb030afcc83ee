"""``interlock check``: only the rules."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from executor.events import load_lines
from sim.analysis.replay import judge_recorded
from sim.oracle import judge

from .console import may_colour, write_json
from .exits import BROKEN, OK, UNUSABLE, Unusable
from .recordings import Recordings, lonely_results
from .replaying import violation_json


def check(
    files: Annotated[
        list[Path], typer.Argument(help="Session transcripts or event logs (*.jsonl).", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Judge recorded sessions and event logs by the rules; exit 1 if one is broken, 2 if a file cannot be read.

    Example: interlock check session.jsonl
    """
    logs = [path for path in files if _is_log(path)]
    recordings = Recordings([path for path in files if path not in logs])
    rows = [_check_log(path) for path in logs]
    for reader in recordings:
        violations: list[dict[str, Any]] = []
        met: set[int] = set()
        for turn in reader:
            met.update(stray.line for stray in turn.unmatched)
            found = (violation_json(violation) for violation in judge_recorded(turn))
            violations += [{"turn": turn.number, "line": turn.line} | violation for violation in found]
        row = {"file": str(reader.path), "format": reader.format, "turns": reader.counts.turns}
        rows.append(row | {"violations": violations + lonely_results(reader, met), "damage": len(reader.damage)})
    if as_json:
        write_json({"files": rows})
    else:
        _print(rows)
    broken = any(row["violations"] for row in rows)
    raise typer.Exit(UNUSABLE if recordings.unreadable else BROKEN if broken else OK)


def _is_log(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(_HEADER_BYTES))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "log" in first


_HEADER_BYTES = 1_000_000
"""A longer first line is no header: sessions may begin with lines of megabytes, which need not be decoded twice."""


def _check_log(path: Path) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            header, events = load_lines(file)
        verdict = judge(header, events)
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; an event log is what `interlock run --log` writes") from error
    violations = [violation_json(violation) for violation in verdict.violations]
    return {"file": str(path), "format": "event_log", "turns": 1, "violations": violations, "damage": 0}


def _print(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        for violation in row["violations"]:
            where = f"{row['file']}:{violation['line']}" if "line" in violation else row["file"]
            typer.secho(f"{where}: {violation['rule']}: {violation['message']}", fg="red", color=may_colour())
    broken = sum(bool(row["violations"]) for row in rows)
    typer.echo(f"{len(rows)} files judged, {broken} with broken rules")
