"""Our own event logs: what ``Recorder`` and ``interlock run --log`` write, one turn or several in a file (DESIGN 5).

The rule: everything is told, so nothing is derived. A row that is none costs itself; a turn is judged as a whole log
only where none of its rows was lost. Times in nanoseconds from the turn's start.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind, read_header, read_row

from ..expect import ENGINES
from ..visible import visible
from .choosing import Choice
from .collecting import Collector
from .declaring import Facts, Format, told
from .fields import object_of, word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits, OpenCall, OpenTurn
from .profiles import AS_LOGGED, Profile
from .tool_class import ToolClass

_OUTCOMES: Final = frozenset(map(str, Outcome))


class EventLogs(Collector):
    """Takes the lines of logs."""

    habits: ClassVar[Habits] = Habits()

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._header: dict[str, Any] | None = None
        self._rows: list[Event] = []
        self._settled: dict[str, tuple[int, str]] = {}
        self._damage_before = 0
        self._last_line = 0
        self._attempt = 0
        self._foreign = False
        self._takes: dict[Kind, Callable[[Event, OpenTurn], None]] = {
            Kind.RESPONSE_STARTED: self._response,
            Kind.RESPONSE_ENDED: self._response,
            Kind.RESPONSE_FAILED: self._response,
            Kind.BLOCK: self._block,
            Kind.EMITTED: self._emitted,
            Kind.STOP: self._stopped,
            Kind.SUBMIT: self._stopped,
            Kind.TURN_ENDED: self._ended,
        }

    def take(self, record: Record) -> None:
        """Take a header, with which a turn begins, or one row of its log."""
        before = len(self._findings.damage)
        if "log" in record.value:
            self._close()
            self._damage_before = before
            self._begin(record.value)
        elif not self._foreign:
            self._last_line = record.line
            self._row(record.value)

    def end(self) -> None:
        """Close the last turn: the file is over."""
        self._close()
        super().end()

    def _begin(self, value: dict[str, Any]) -> None:
        self._findings.counts.types["log"] += 1
        self._last_line = self._findings.place[0]
        try:
            self._header = read_header(value)
        except ValueError as error:
            self._findings.report(f"{error}; its rows are skipped")
            self._foreign = True
            return
        self._open_turn(_choice_of(self._header))

    def _open_turn(self, choice: Choice) -> OpenTurn:
        self._turn = self._open(f"log on line {self._findings.place[0]}", 0, self.conversations.main)
        self._turn.choice = choice
        return self._turn

    def _row(self, value: dict[str, Any]) -> None:
        try:
            row = read_row(value)
        except (ValueError, KeyError, TypeError) as error:
            self._findings.report(f"not a row of an event log, skipped: {error!s:.80}")
            return
        if self._rows and row.t_ns < self._rows[-1].t_ns:
            self._findings.report("a row before the one above it; both are kept")
        self._rows.append(row)
        self._findings.counts.types[row.kind.value] += 1
        turn = self._turn
        if turn is None:
            self._findings.report("rows without the header of their log")
            turn = self._open_turn(_choice_of({}))
        if row.kind in self._takes:
            self._takes[row.kind](row, turn)
        elif row.call is not None:
            found = self.conversations.main.calls.get(visible(row.call))
            if found is not None:
                self._step(row, found[1])

    def _response(self, row: Event, turn: OpenTurn) -> None:
        """Note when the response begins and ends; the calls of one that is asked for again are withdrawn (A8)."""
        attempt = row.detail.get("attempt", 0)
        if row.kind is Kind.RESPONSE_STARTED and attempt != self._attempt:
            self._attempt = attempt
            self._findings.counts.withdrawn_calls += len(turn.calls)
            for call_id in turn.calls:
                self.conversations.main.calls.pop(call_id, None)
            turn.calls.clear()
            turn.emitted.clear()
            self._forget_ids()
            turn.first_ns = row.t_ns
        turn.arrived(row.t_ns)

    def _block(self, row: Event, turn: OpenTurn) -> None:
        given = object_of(row.detail.get("input"))
        call = self._add_call(row.call, row.detail.get("tool"), given, row.t_ns, turn, self.conversations.main)
        if call is not None:
            call.tool_class, call.class_told = ToolClass(safe=row.detail.get("safe") is True), True

    def _step(self, row: Event, call: OpenCall) -> None:
        """Note what a call does by itself."""
        if row.kind in (Kind.ADMITTED, Kind.ENTERED):
            call.started_ns = row.t_ns if call.started_ns is None else call.started_ns
        elif row.kind is Kind.PROGRESSED:
            call.progress_ns.append(row.t_ns)
        elif row.kind is Kind.QUESTION_ASKED:
            call.asked = True
        elif row.kind is Kind.LEFT:
            self._settled.setdefault(call.id, (row.t_ns, ""))
        elif row.kind is Kind.COMPLETED:
            self._settled[call.id] = row.t_ns, word(row.detail.get("outcome"))

    def _emitted(self, row: Event, turn: OpenTurn) -> None:
        if row.detail.get("what") == "result":
            self._result(row.call, word(row.detail.get("outcome")), row.t_ns)

    def _result(self, named: object, outcome: str, at_ns: int) -> None:
        settled_ns, _ = self._settled.get(visible(word(named)), (at_ns, ""))
        found = self._answer(named, settled_ns, self.conversations.main)
        if found is not None:
            found[1].outcome = Outcome(outcome) if outcome in _OUTCOMES else Outcome.ERROR
            if outcome not in _OUTCOMES:
                self._findings.report(f"an outcome that is none, {outcome[:40]!a}, taken as an error")

    def _stopped(self, row: Event, turn: OpenTurn) -> None:
        if row.kind is Kind.STOP or row.detail.get("took_effect") is True:
            self._interrupt(row.t_ns, self.conversations.main)

    def _ended(self, row: Event, turn: OpenTurn) -> None:
        """Take the results that nobody took out of the closing report (E10)."""
        closing = row.detail.get("closing")
        for pair in closing if isinstance(closing, list) else ():
            if isinstance(pair, list) and len(pair) == 2:
                self._result(pair[0], word(pair[1]), row.t_ns)

    def _close(self) -> None:
        """End the turn; its log is whole unless something of it, up to its last row, was damaged."""
        if self._turn is not None and self._header is not None:
            damage = self._findings.damage[self._damage_before :]
            if all(found.line > self._last_line for found in damage):
                self._turn.log = self._header, tuple(self._rows)
        self.conversations.main.end()
        self._forget_ids()
        self._turn = self._header = None
        self._rows, self._settled, self._attempt, self._foreign = [], {}, 0, False


def _choice_of(header: Mapping[str, Any]) -> Choice:
    """Read from a header how the calls were run."""
    options, tools = object_of(header.get("options")) or {}, object_of(header.get("tools")) or {}
    engine, emission, cascade = header.get("engine"), options.get("emission"), options.get("cascade")
    limit = options.get("max_concurrency")
    if engine not in ENGINES or emission not in ("ordered", "eager") or cascade not in ("exclusive", "any", "never"):
        return Choice(None, "no header tells how the calls were run", sure=False)
    said = {name: object_of(tool) or {} for name, tool in tools.items()}
    profile = Profile(
        name=AS_LOGGED,
        program="Interlock",
        first=None,
        last=None,
        seen=(0, 1, 0),
        engine=engine,
        emission=emission,
        cascade=cascade,
        culprits=tuple(name for name, tool in said.items() if tool.get("cascades") is True),
        max_concurrency=limit if type(limit) is int and limit > 0 else None,
        together=tuple(name for name, tool in said.items() if tool.get("safe") is True),
        sources={},
    )
    return Choice(profile, "the log's header says so", sure=True)


def is_event_log(record: dict[str, Any]) -> bool:
    """Say whether a record is a log's header, or a row of one."""
    if "log" in record:
        return type(record["log"]) is int
    kind = record.get("kind")
    return type(record.get("t")) is int and isinstance(kind, str) and kind in Kind.__members__.values()


EVENT_LOG: Final = Format(
    name="event_log",
    title="Interlock event logs",
    facts=Facts(
        arrival=told("block"),
        start=told("admitted; entered where only the outside view is told"),
        end=told("completed; left where only the outside view is told"),
        progress=told("progressed"),
        error=told("the outcome"),
        group=told("the header"),
    ),
    fits=is_event_log,
    collector=EventLogs,
)
