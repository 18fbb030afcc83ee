"""Recorded sessions as a page: each turn as it was, and as every engine would have run it.

The rule: times of recordings are estimates and shown as such, but for those of event logs (B121). Times in
nanoseconds from each turn's start.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from scenarios.expect import ENGINES
from scenarios.traces.fields import summary_of
from sim.analysis.courses import courses
from sim.analysis.replay import ReplayedTurn

from ..amounts import about, counted, precise, share
from ..report import FileReport
from .drawing import LONGEST_TEXT
from .report import HtmlReport, TurnRow

MEASURES: Final = ("recorded", *ENGINES, "saved")
"""What a turn took, what each engine would have taken, what streaming saves against batch."""


def replayed_row(file: str, replayed: ReplayedTurn) -> TurnRow:
    """Show one recorded turn.

    Args:
        file: where it was recorded.
        replayed: the turn.
    """
    turn, spans = replayed.turn, replayed.makespan_ns
    streaming_ns, batch_ns = spans["streaming"], spans["batch"]
    notes = [
        f"line {turn.line}",
        f"sub-agent {turn.agent}" if turn.agent else "",
        f"not simulated: {replayed.why_unknown}" if replayed.why_unknown else "",
        "calls ran side by side that the assumed classes keep apart" if replayed.refutes_its_classes else "",
        f"the file ends before {counted(len(replayed.unanswered), 'result')}" if replayed.unanswered else "",
        "our own run breaks a rule, please report it" if replayed.simulated else "",
    ]
    return TurnRow(
        f"turn {turn.number}",
        {
            "recorded": courses(turn, violations=replayed.violations),
            **{engine: courses(run, violations=()) for engine, run in replayed.runs.items()},
        },
        [
            *(spans[name] for name in MEASURES[:-1]),
            None if streaming_ns is None or batch_ns is None else batch_ns - streaming_ns,
        ],
        {call.id: summary_of(call.input, most=LONGEST_TEXT) or call.summary for call in turn.calls},
        session=Path(file).name,
        note=", ".join(filter(None, notes)),
        estimated=turn.log is None,
    )


def replayed_page(report: HtmlReport, found: Sequence[FileReport], total: FileReport) -> str:
    """Give the page of all turns that were added to a report.

    Args:
        report: holds a :func:`replayed_row` for each turn.
        found: what each file came to.
        total: all of them together.
    """
    session = total.session
    saved = share(session.saving_ns, session.spans_ns["batch"])
    exact = session.logs == session.turns
    amount = precise if exact else about
    facts = {
        "sessions": str(len(found)),
        "turns": str(session.turns),
        "calls": str(session.calls),
        "share a response": share(session.together, session.calls),
        "turns compared": str(session.compared),
        "saved by streaming": f"{amount(session.saving_ns)} ({saved})" if session.compared else "?",
        "broken rules": str(len(session.violations) + total.strays),
        "damages": str(len(total.damage)),
    }
    spans_ns = {name: session.spans_ns[name] for name in MEASURES[:-1]} if session.compared else {}
    estimates = "" if exact else "estimates; "
    told = f"The compared turns together, under each engine ({estimates}saved: by streaming against batch)"
    return report.page(facts, totals_ns=spans_ns, totals_told=told, notes=list(_notes(found, total)))


def _notes(found: Sequence[FileReport], total: FileReport) -> Iterator[str]:
    for reason, count in total.session.left_out.items():
        yield f"{counted(count, 'turn')} not compared because {reason}"
    for report in found:
        if report.strays:
            yield f"{report.file}: P2: {counted(report.strays, 'result')} of no call of this file"
        if report.copied_calls:
            yield f"{report.file}: {counted(report.copied_calls, 'call')} copied from an earlier file, left out"
        for damage in report.damage[:_DAMAGES]:
            yield f"{report.file}, line {damage.line}: {damage.what}"
        if len(report.damage) > _DAMAGES:
            yield f"{report.file}: {counted(len(report.damage) - _DAMAGES, 'more damage')}"


_DAMAGES: Final = 10
