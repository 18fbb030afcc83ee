"""``interlock replay``: what recorded sessions cost, and would have cost."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from scenarios.traces import TraceReader, read_trace
from sim.analysis.replay import ReplayedTurn, with_last
from sim.analysis.replay import replay as replay_turn
from sim.analysis.session import width
from sim.clock import NS_PER_S
from sim.oracle import Violation
from sim.show import report
from sim.show.amounts import seconds
from sim.show.html import HtmlReport
from sim.show.html.replayed import MEASURES, replayed_page, replayed_row

from .answers.recordings import Makespans, Replayed, ReplayedFile
from .answers.recordings import ReplayedTurn as TurnAnswer
from .answers.shape import BrokenRule, Damage
from .console import can_draw_unicode, console, may_colour, write_json
from .exits import OK, UNUSABLE, Unusable
from .options import AsHtml, AsJson
from .outputs import writable, write_text
from .profiles import AsProfile, chosen_profile, profile_json
from .recordings import Recordings, lonely_results


def replay(
    files: Annotated[list[Path], typer.Argument(help="Session transcripts (*.jsonl).", show_default=False)],
    turn: Annotated[int | None, typer.Option(help="Draw this turn of the last file.", show_default=False)] = None,
    profile: AsProfile = None,
    as_json: AsJson = False,
    html: AsHtml = None,
) -> None:
    """Replay recorded sessions: what each turn's tool calls cost, and what every engine would have made of them.

    Examples:
        interlock replay ~/.claude/projects/*/*.jsonl
        interlock replay session.jsonl --turn 2
        interlock replay *.jsonl --html report.html
        interlock replay session.jsonl --json
    """
    writable("--html", html, files)
    if as_json and turn is not None:
        raise Unusable("--turn chooses what is drawn, and --json draws nothing: leave one of them out")
    recordings = Recordings(files, partial(read_trace, profile=chosen_profile(profile)))
    total = report.FileReport("all sessions together")
    reports: list[report.FileReport] = []
    rows: list[ReplayedFile] = []
    drawn: tuple[str, ReplayedTurn] | None = None
    page = None if html is None else HtmlReport("What the tool calls cost", MEASURES)
    for reader in recordings:
        found, row = report.FileReport(str(reader.path), reader.format), _file_json(reader)
        chosen: ReplayedTurn | None = None
        met: set[int] = set()
        for recorded, is_last in with_last(reader):
            replayed = replay_turn(recorded, is_last=is_last)
            met.update(stray.line for stray in recorded.unmatched)
            found.session.add(replayed)
            total.session.add(replayed)
            if page is not None:
                page.add(replayed_row(str(reader.path), replayed))
            if as_json:
                row["turns"].append(_turn_json(replayed))
            chosen = replayed if recorded.number == turn else chosen
        lonely = lonely_results(reader, met)
        found.damage, found.versions = reader.damage, tuple(reader.versions)
        found.strays, found.copied_calls = len(lonely), reader.counts.copied_calls
        total.format = found.format if total.format in ("", found.format) else "several formats"
        total.strays, total.damage = total.strays + found.strays, total.damage + found.damage
        row["damage"] = damage_json(reader)
        row["violations"] = lonely
        reports.append(found)
        rows.append(row)
        drawn = _worth_drawing(drawn, found, chosen, asked=turn is not None)
    if html is not None and page is not None and reports:
        write_text("--html", html, replayed_page(page, reports, total))
        typer.echo(f"interlock: wrote {html}", err=True)
    if as_json:
        write_json(Replayed(files=rows))
    elif reports:
        if turn is not None and drawn is None:
            last = reports[-1]
            raise Unusable(f"--turn {turn}: {last.file} has no such turn; its last is {last.session.turns}")
        _print(reports, total, drawn)
    raise typer.Exit(UNUSABLE if recordings.unreadable else OK)


def _worth_drawing(
    drawn: tuple[str, ReplayedTurn] | None, found: report.FileReport, chosen: ReplayedTurn | None, *, asked: bool
) -> tuple[str, ReplayedTurn] | None:
    """Choose what to draw: the turn asked for in the last file, else the one with the most to see in all of them."""
    if asked:
        return (found.file, chosen) if chosen is not None else None
    widest = found.session.widest
    if widest is None or (drawn is not None and width(widest) <= width(drawn[1])):
        return drawn
    return found.file, widest


def _print(reports: list[report.FileReport], total: report.FileReport, drawn: tuple[str, ReplayedTurn] | None) -> None:
    out = console()
    if len(reports) == 1:
        out.print(report.details(reports[0]))
        out.print()
    out.print(report.overview(reports, total, width=out.width))
    if len(reports) > 1:
        for found in reports:
            if found.broken or found.damage or found.session.unanswered or found.session.simulated:
                out.print(report.findings(found))
        out.print(report.numbers(total))
    if drawn is not None:
        out.print()
        cells, unicode = min(out.width, 120), can_draw_unicode()
        out.print(report.picture(*drawn, width=cells, ascii=not unicode, colour=may_colour()))


def _file_json(reader: TraceReader) -> ReplayedFile:
    return {"file": str(reader.path), "format": reader.format, "damage": [], "turns": [], "violations": []}


def file_json(reader: TraceReader) -> ReplayedFile:
    """Replay a recording and write what came of it as JSON."""
    row, met = _file_json(reader), set[int]()
    for recorded, is_last in with_last(reader):
        met.update(stray.line for stray in recorded.unmatched)
        row["turns"].append(_turn_json(replay_turn(recorded, is_last=is_last)))
    return row | {"damage": damage_json(reader), "violations": lonely_results(reader, met)}


def _turn_json(replayed: ReplayedTurn) -> TurnAnswer:
    return {
        "turn": replayed.turn.number,
        "line": replayed.turn.line,
        "agent": replayed.turn.agent,
        "profile": profile_json(replayed.turn.choice),
        "calls": len(replayed.turn.calls),
        "makespan_s": Makespans(
            recorded=seconds(replayed.makespan_ns["recorded"]),
            streaming=seconds(replayed.makespan_ns["streaming"]),
            batch=seconds(replayed.makespan_ns["batch"]),
            serial=seconds(replayed.makespan_ns["serial"]),
        ),
        "unknown": replayed.why_unknown,
        "refutes_its_classes": replayed.refutes_its_classes,
        "unanswered": list(replayed.unanswered),
        "violations": [violation_json(violation) for violation in replayed.violations],
        "simulated_violations": [violation_json(violation) for violation in replayed.simulated],
    }


def damage_json(reader: TraceReader) -> list[Damage]:
    """Write what is wrong with a file as JSON."""
    return [{"line": damage.line, "what": damage.what} for damage in reader.damage]


def violation_json(violation: Violation) -> BrokenRule:
    """Write a violation as JSON."""
    return {
        "rule": violation.rule,
        "at_s": violation.at_ns / NS_PER_S,
        "calls": list(violation.calls),
        "message": violation.message,
    }
