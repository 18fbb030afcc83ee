"""The report of replayed sessions, for a terminal. Times taken from recordings are estimates and marked so (B121)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from scenarios.traces.model import Damage, RecordedCall
from scenarios.traces.recorded_log import JUDGED, to_log
from sim.analysis.replay import ENGINES, ReplayedTurn
from sim.analysis.session import Session

from .amounts import about, share
from .timeline import timeline

COLUMNS = ("recorded", *ENGINES)


@dataclass(slots=True)
class FileReport:
    """What was found in one file."""

    file: str
    format: str = ""
    versions: tuple[str, ...] = ()
    damage: list[Damage] = field(default_factory=list)
    strays: int = 0
    copied_calls: int = 0
    session: Session = field(default_factory=Session)


def overview(reports: Iterable[FileReport]) -> Table:
    """Draw a row for each session, and their sum where there are several."""
    table = Table(
        title="What the tool calls cost, and what each engine would have made of them (estimates)",
        caption="together: calls that share a response · saved: by streaming against batch · broken: rules",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 0),
    )
    # The one column that may shrink: a name without spaces is cut, not wrapped.
    table.add_column("session", overflow="ellipsis", min_width=12)
    for name in ("turns", "calls", "together", *COLUMNS, "saved", "broken", "damage"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = list(reports)
    for report in rows:
        table.add_row(*_row(report.file.rsplit("/", 1)[-1], report.session, len(report.damage), report.strays))
    if len(rows) > 1:
        total = [_sum(rows, name) for name in ("turns", "calls", "together", "saving_ns")]
        spans = sum((report.session.spans_ns for report in rows), Counter[str]())
        broken = sum(len(report.session.violations) + report.strays for report in rows)
        damage = sum(len(report.damage) for report in rows)
        table.add_section()
        table.add_row(
            f"{len(rows)} sessions", *_cells(total[0], total[1], total[2], spans, total[3]), str(broken), str(damage)
        )
    return table


def details(report: FileReport) -> RenderableType:
    """Say what stands behind one session's row: comparison, slowest calls, classes assumed, rules, damage."""
    return Group(*_details(report))


def findings(report: FileReport) -> RenderableType:
    """Say which rules one session breaks and what is damaged in its file."""
    return Group(Text(report.file, style="bold"), *_rules(report), *_damage(report))


def picture(replayed: ReplayedTurn, *, width: int, ascii: bool, colour: bool) -> RenderableType:
    """Draw one recorded turn as a text timeline."""
    turn = replayed.turn
    header, events = to_log(turn)
    note = " (starts by rule are estimates)" if any(call.start_basis == "rule" for call in turn.calls) else ""
    title = f"turn {turn.number}, line {turn.line}, as recorded{note}"
    drawing = timeline(header, events, width=width, ascii=ascii, colour=colour)
    return Group(Text(title, style="bold"), Text.from_ansi(drawing))


def _details(report: FileReport) -> Iterator[RenderableType]:
    session = report.session
    yield Text(report.file, style="bold")
    versions = f", written by {', '.join(report.versions)}" if report.versions else ""
    yield Text(f"  {report.format}{versions}: {session.turns} turns with {session.calls} calls")
    yield Text(f"  compared: {session.compared} of {session.turns} turns" + _because(session.unknown))
    if session.compared:
        saves = share(session.saving_ns, session.spans_ns["batch"])
        yield Text(f"  streaming saves {about(session.saving_ns)} of the batch engine's time ({saves})")
    if session.slowest:
        yield _slowest(session)
    yield Text("  starts: " + _counted(session.bases) + " (rule = by the schedule; an estimate)")
    yield Text("  assumed safe: " + _counted(session.safe))
    yield Text("  assumed exclusive: " + _counted(session.exclusive) + " (a shell counts per tool)")
    if session.waits:
        yield Text(f"  {session.waits} calls waited for a person; the wait is in their time")
    yield from _rules(report)
    yield from _damage(report)


def _rules(report: FileReport) -> Iterator[Text]:
    found = report.session.violations
    if not found and not report.strays:
        yield Text(f"  rules: {', '.join(JUDGED)} hold; a recording tells too little to judge the others")
    for turn, violation in found:
        yield Text(f"  line {turn.line}, turn {turn.number}: {violation.rule}: {violation.message}", style="red")
    if report.strays:
        yield Text(f"  P2: {report.strays} results belong to no call of this file", style="red")


def _damage(report: FileReport) -> Iterator[Text]:
    if report.copied_calls:
        yield Text(f"  {report.copied_calls} calls are copies of an earlier file's and were left out")
    for damage in report.damage[:_SHOWN]:
        yield Text(f"  line {damage.line}: {damage.what}", style="yellow")
    if len(report.damage) > _SHOWN:
        yield Text(f"  … and {len(report.damage) - _SHOWN} damages more (--json lists all)", style="yellow")


_SHOWN = 10


def _slowest(session: Session) -> Table:
    table = Table(title="  slowest calls", title_justify="left", box=None, pad_edge=True)
    table.add_column("time", justify="right")
    table.add_column("call", overflow="ellipsis", no_wrap=True)
    table.add_column("known from")
    for duration_ns, _, call in session.slowest:
        table.add_row(about(duration_ns), escape(_named(call)), _basis(call))
    return table


def _named(call: RecordedCall) -> str:
    return f"{call.tool}({call.summary})" if call.summary else call.tool


def _basis(call: RecordedCall) -> str:
    known = {"hook": "a hook's line", "progress": "progress", "reported": "the tool itself"}
    wait = ", holds a wait for a person" if call.permission_wait else ""
    return known.get(call.start_basis, "the schedule's rule") + wait


def _row(name: str, session: Session, damage: int, strays: int) -> list[str]:
    cells = _cells(session.turns, session.calls, session.together, session.spans_ns, session.saving_ns)
    return [escape(name), *cells, str(len(session.violations) + strays), str(damage)]


def _cells(turns: int, calls: int, together: int, spans_ns: Counter[str], saving_ns: int) -> list[str]:
    known = bool(spans_ns)
    spans = [about(spans_ns[name] if known else None) for name in COLUMNS]
    return [str(turns), str(calls), share(together, calls), *spans, about(saving_ns if known else None)]


def _sum(reports: Iterable[FileReport], name: str) -> int:
    return sum(getattr(report.session, name) for report in reports)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common()) or "none"


def _because(reasons: Counter[str]) -> str:
    return f" (left out: {_counted(reasons)})" if reasons else ""
