"""``interlock replay``: what recorded sessions cost, and would have cost."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.analysis.replay import ReplayedTurn
from sim.analysis.replay import replay as replay_turn
from sim.clock import NS_PER_S
from sim.oracle import Violation
from sim.show import report

from .console import can_draw_unicode, console, may_colour, write_json
from .exits import OK, UNUSABLE
from .recordings import Recordings, lonely_results


def replay(
    files: Annotated[list[Path], typer.Argument(help="Session transcripts (*.jsonl).", show_default=False)],
    turn: Annotated[int | None, typer.Option(help="Draw this turn of the (last) file.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Replay recorded sessions: what each turn's tool calls cost, and what every engine would have made of them.

    Example: interlock replay ~/.claude/projects/*/*.jsonl
    """
    recordings = Recordings(files)
    reports: list[report.FileReport] = []
    rows: list[dict[str, Any]] = []
    drawn: ReplayedTurn | None = None
    for reader in recordings:
        found = report.FileReport(str(reader.path), reader.format)
        row: dict[str, Any] = {"file": str(reader.path), "format": reader.format, "damage": [], "turns": []}
        met: set[int] = set()
        for recorded in reader:
            replayed = replay_turn(recorded)
            met.update(stray.line for stray in recorded.unmatched)
            found.session.add(replayed)
            if as_json:
                row["turns"].append(_turn_json(replayed))
            if recorded.number == turn:
                drawn = replayed
        lonely = lonely_results(reader, met)
        found.damage, found.versions = reader.damage, tuple(reader.versions)
        found.strays, found.copied_calls = len(lonely), reader.counts.copied_calls
        row["damage"] = [{"line": damage.line, "what": damage.what} for damage in reader.damage]
        row["violations"] = lonely
        reports.append(found)
        rows.append(row)
    if as_json:
        write_json({"files": rows})
    elif reports:
        _print(reports, drawn, turn)
    raise typer.Exit(UNUSABLE if recordings.unreadable else OK)


def _print(reports: list[report.FileReport], drawn: ReplayedTurn | None, number: int | None) -> None:
    out = console()
    if len(reports) == 1:
        out.print(report.details(reports[0]))
        out.print()
    out.print(report.overview(reports))
    for found in reports if len(reports) > 1 else ():
        if found.session.violations or found.damage or found.strays:
            out.print(report.findings(found))
    if number is not None and drawn is None:
        out.print(f"there is no turn {number} in {reports[-1].file}")
    widest = max((found.session.widest for found in reports if found.session.widest), key=_calls, default=None)
    shown = drawn or widest
    if shown is not None:
        out.print()
        width, unicode = min(out.width, 120), can_draw_unicode()
        out.print(report.picture(shown, width=width, ascii=not unicode, colour=may_colour()))


def _calls(replayed: ReplayedTurn) -> int:
    return len(replayed.turn.calls)


def _turn_json(replayed: ReplayedTurn) -> dict[str, Any]:
    spans = replayed.makespan_ns.items()
    return {
        "turn": replayed.turn.number,
        "line": replayed.turn.line,
        "agent": replayed.turn.agent,
        "calls": len(replayed.turn.calls),
        "makespan_s": {name: None if span is None else span / NS_PER_S for name, span in spans},
        "unknown": replayed.why_unknown,
        "violations": [violation_json(violation) for violation in replayed.violations],
    }


def violation_json(violation: Violation) -> dict[str, Any]:
    """Write a violation as JSON."""
    return {
        "rule": violation.rule,
        "at_s": violation.at_ns / NS_PER_S,
        "calls": list(violation.calls),
        "message": violation.message,
    }
