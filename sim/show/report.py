"""The report of replayed sessions, for a terminal. Times taken from recordings are estimates and marked so (B121)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from scenarios.expect import ENGINES
from scenarios.traces.model import Damage, RecordedCall
from scenarios.traces.recorded_log import JUDGED, to_log
from sim.analysis.replay import ReplayedTurn
from sim.analysis.session import Session

from .amounts import about, counted, share
from .timeline import timeline
from .visible import visible

_COLUMNS: Final = ("turns", "calls", "together", "recorded", *ENGINES, "saved", "broken", "damage")
_TABLE_FROM: Final = 104
"""From how many cells on there is a table; in fewer each session is told in lines, for a number is never cut."""
_TITLE: Final = "What the tool calls cost, and what each engine would have made of them (estimates)"
_CAPTION: Final = "together: calls that share a response · saved: by streaming against batch · broken: rules"
_SHOWN: Final = 10
"""How many damages of a file are listed."""
_LONGEST_NAME: Final = 60
"""How many characters of a tool's name are shown: no tool of an agent has a longer one on purpose."""


@dataclass(slots=True)
class FileReport:
    """What was found in one file, or in all of them together."""

    file: str
    format: str = ""
    versions: tuple[str, ...] = ()
    damage: list[Damage] = field(default_factory=list)
    strays: int = 0
    """Results that belong to no call of the file (P2)."""
    copied_calls: int = 0
    session: Session = field(default_factory=Session)

    @property
    def broken(self) -> int:
        """How often a rule is broken."""
        return len(self.session.violations) + self.strays


def overview(reports: Sequence[FileReport], total: FileReport, *, width: int) -> RenderableType:
    """Tell the numbers of each session, and of all of them where there are several.

    Args:
        reports: one for each file.
        total: all of them together.
        width: cells in a line.
    """
    rows = [(report.file.rsplit("/", 1)[-1], _cells(report)) for report in reports]
    all_of_them = [(counted(len(reports), "session"), _cells(total))] if len(reports) > 1 else []
    if width < _TABLE_FROM:
        return Group(_text(_TITLE), *_lines(rows + all_of_them), _text(_CAPTION))
    table = Table(
        title=_TITLE,
        caption=_CAPTION,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 0),
    )
    table.add_column("session", overflow="fold", min_width=12)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for name, cells in rows:
        table.add_row(escape(visible(name)), *cells)
    for name, cells in all_of_them:
        table.add_section()
        table.add_row(name, *cells)
    return table


def details(report: FileReport) -> RenderableType:
    """Say what stands behind a row: comparison, slowest calls, classes assumed, rules, damage."""
    return Group(_text(report.file, style="bold"), *_numbers(report), *_rules(report), *_damage(report))


def numbers(report: FileReport) -> RenderableType:
    """Say of all sessions together what :func:`details` says of one, without the rules and damages of each file."""
    return Group(_text(report.file, style="bold"), *_numbers(report))


def findings(report: FileReport) -> RenderableType:
    """Say which rules one session breaks and what is damaged in its file."""
    return Group(_text(report.file, style="bold"), *_rules(report), *_damage(report))


def picture(file: str, replayed: ReplayedTurn, *, width: int, ascii: bool, colour: bool) -> RenderableType:
    """Draw one recorded turn as a text timeline.

    Args:
        file: where it was recorded.
        replayed: the turn.
        width: cells in a line.
        ascii: draw with ASCII characters only.
        colour: colour with ANSI escapes.
    """
    turn = replayed.turn
    header, events = to_log(turn)
    note = "; starts by rule are estimates" if any(call.start_basis == "rule" for call in turn.calls) else ""
    title = f"{file}: turn {turn.number}, line {turn.line}, as recorded{note}"
    drawing = timeline(header, events, width=width, ascii=ascii, colour=colour, broken=replayed.violations)
    return Group(_text(title, style="bold"), Text.from_ansi(drawing))


def _text(told: str, style: str = "") -> Text:
    return Text(visible(told), style=style)


def _numbers(report: FileReport) -> Iterator[RenderableType]:
    session = report.session
    versions = f", written by {', '.join(report.versions)}" if report.versions else ""
    turns, calls = counted(session.turns, "turn"), counted(session.calls, "call")
    yield _text(f"  {report.format}{versions}: {turns} with {calls}")
    yield from _profiles(session)
    yield _text(f"  compared: {session.compared} of {turns}" + _because(session.left_out))
    if session.compared:
        saves = share(session.saving_ns, session.spans_ns["batch"])
        yield _text(f"  streaming saves {about(session.saving_ns)} of the batch engine's time ({saves})")
    if session.slowest:
        yield from _slowest(session)
    yield _text("  starts: " + _listed(session.bases) + " (rule = by the schedule; an estimate)")
    yield _text("  assumed safe: " + _listed(session.safe))
    yield _text("  assumed exclusive: " + _listed(session.exclusive) + " (a shell's calls by their command)")
    if session.waits:
        yield _text(f"  {counted(session.waits, 'call')} waited for a person; the wait is in the time")


def _rules(report: FileReport) -> Iterator[Text]:
    session = report.session
    if not report.broken:
        only_logs = 0 < session.logs == session.turns
        rest = f"{', '.join(JUDGED)} hold; a recording tells too little to judge the others"
        yield _text(f"  rules: {'all hold that the log tells enough for' if only_logs else rest}")
    for turn, violation in session.violations:
        yield _text(f"  line {turn.line}, turn {turn.number}: {violation.rule}: {violation.message}", style="red")
    if report.strays:
        yield _text(f"  P2: {counted(report.strays, 'result')} of no call of this file", style="red")
    for turn, call in session.unanswered:
        yield _text(f"  line {turn.line}, turn {turn.number}: {call} is unanswered, for the file ends here")
    for turn, violation in session.simulated:
        seen = f"{violation.rule}: {violation.message}"
        yield _text(f"  our own run of turn {turn.number} breaks a rule, please report it: {seen}", style="red")


def _damage(report: FileReport) -> Iterator[Text]:
    if report.copied_calls:
        yield _text(f"  left out: {counted(report.copied_calls, 'call')} copied from an earlier file")
    for damage in report.damage[:_SHOWN]:
        yield _text(f"  line {damage.line}: {damage.what}", style="yellow")
    if len(report.damage) > _SHOWN:
        more = counted(len(report.damage) - _SHOWN, "damage")
        yield _text(f"  … and {more} more (--json lists all)", style="yellow")


def _lines(rows: Iterable[tuple[str, list[str]]]) -> Iterator[Text]:
    for name, cells in rows:
        told = [f"{column} {cell}" for column, cell in zip(_COLUMNS, cells, strict=True)]
        yield _text(name, style="bold")
        # Three lines: how much, how long, how well.
        for part in (told[:3], told[3:8], told[8:]):
            yield _text("  " + " · ".join(part))


def _profiles(session: Session) -> Iterator[Text]:
    """Say how the turns were run when they were recorded; of how many turns where that differs."""
    for choice, count in session.profiles.most_common():
        share_of_it = f" of {counted(count, 'turn')}" if len(session.profiles) > 1 else ""
        yield _text(f"  profile{share_of_it}: {choice}")


def _slowest(session: Session) -> Iterator[Text]:
    yield _text("  slowest calls:")
    for duration_ns, _, call in session.slowest:
        yield _text(f"  {about(duration_ns):>9}  {_named(call)}, known from {_basis(call)}")


def _named(call: RecordedCall) -> str:
    return f"{_cut(call.tool)}({call.summary})" if call.summary else _cut(call.tool)


def _basis(call: RecordedCall) -> str:
    known = {
        "recorded": "the recording",
        "hook": "a hook's line",
        "progress": "progress",
        "reported": "the tool itself",
    }
    wait = ", with a wait" if call.permission_wait else ""
    return known.get(call.start_basis, "the rule") + wait


def _cells(report: FileReport) -> list[str]:
    session = report.session
    spans = session.spans_ns
    cells = {
        "turns": str(session.turns),
        "calls": str(session.calls),
        "together": share(session.together, session.calls),
        **{name: about(spans[name] if session.compared else None) for name in ("recorded", *ENGINES)},
        "saved": about(session.saving_ns if session.compared else None),
        "broken": str(report.broken),
        "damage": str(len(report.damage)),
    }
    return [cells[name] for name in _COLUMNS]


def _listed(counter: Counter[str]) -> str:
    return ", ".join(f"{_cut(name)} {count}" for name, count in counter.most_common()) or "none"


def _cut(name: str) -> str:
    """Cut a name that is beyond all measure."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _because(reasons: Counter[str]) -> str:
    return (
        f" (left out: {', '.join(f'{count} because {reason}' for reason, count in reasons.items())})" if reasons else ""
    )
