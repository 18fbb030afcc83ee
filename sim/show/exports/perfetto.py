"""Turns as Chrome trace events, which ui.perfetto.dev and chrome://tracing open.

The rule: on a track slices follow each other or nest, they never overlap (B122). What executes lies in lanes; what
waits is a pair of asynchronous events with an id of its own. Times are microseconds from the first turn's start, with
decimals down to the nanosecond.

=================  ====================================================================================================
process            one for each engine or agent, a second one where turns of it overlap
thread ``turn``    a slice for each turn
``response``       a slice for each attempt at the response
``user``           an instant for each stop and submit
``rules``          an instant for each broken rule
``moments``        an instant for each call of which nothing lasts: answered at once, or not told when it ran
``lane N``         a slice for each call from its admission to its settlement, in it hooks, question and body where they
                   are not the whole of it
``queued``         asynchronous: from a call's arrival to its admission, or to its end where it never ran
``held``           asynchronous: from a call's settlement to its result's emission
``background``     asynchronous: work that went on after its call was settled (X8)
=================  ====================================================================================================
"""

import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TextIO

from sim.analysis.course import CallCourse, TurnCourse
from sim.analysis.lanes import lanes
from sim.analysis.placed import PlacedTurn
from sim.show.amounts import tally
from sim.show.visible import visible

from .phases import Phase, executed, held, phases, queued

_TURN, _RESPONSE, _USER, _RULES, _MOMENTS, _LANES = 1, 2, 3, 4, 5, 10
_NAMES: Final = {_TURN: "turn", _RESPONSE: "response", _USER: "user", _RULES: "rules", _MOMENTS: "moments"}
_CATEGORY: Final = "interlock"

Row = dict[str, Any]


def write_perfetto(turns: Iterable[PlacedTurn], out: TextIO) -> list[str]:
    """Write turns as one JSON object, event by event.

    Args:
        turns: in any order; those whose start is unknown cannot be placed and are left out.
        out: where to write.

    Returns:
        What was left out, and what is not known, a line each.
    """
    left_out: list[str] = []
    before = '{"displayTimeUnit":"ms","traceEvents":[\n'
    for row in trace_events(turns, left_out):
        # Letters as they are: the trace processor shows a JSON escape as it is written.
        out.write(before + json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        before = ",\n"
    out.write(("" if before == ",\n" else before) + "\n],")
    out.write('"otherData":' + json.dumps({"written_by": "interlock", "left_out": left_out}) + "}\n")
    return left_out


def trace_events(turns: Iterable[PlacedTurn], left_out: list[str] | None = None) -> Iterator[Row]:
    """Give the trace events of turns; lines about what cannot be placed are added to ``left_out``.

    >>> from scenarios import Call, Scenario
    >>> from sim import simulate
    >>> from sim.analysis.courses import courses
    >>> course = courses(simulate(Scenario(calls=[Call(id="a", at="1us", takes="2us")])))
    >>> rows = trace_events([PlacedTurn("t", "e", 0, course)])
    >>> [(row["name"], row["ts"], row["dur"]) for row in rows if row["ph"] == "X"]
    [('t', 0, 3), ('response', 0, 1), ('Read a', 1, 2)]
    """
    desk, untold = _Desk(), Counter[str]()
    for turn in turns:
        if turn.start_ns is None:
            if left_out is not None:
                left_out.append(f"{turn.name} of {turn.track}: when it began is not told")
        else:
            untold += turn.course.untold
            yield from desk.rows(turn, turn.start_ns)
    if left_out is not None:
        left_out += tally(untold)


@dataclass(slots=True)
class _Desk:
    """Hands out processes, threads and ids."""

    start_ns: int | None = None
    pids: dict[tuple[str, int], int] = field(default_factory=dict)
    over_ns: dict[str, list[int]] = field(default_factory=dict)
    """By track: when the latest turn of each of its processes is over."""
    threads: set[tuple[int, int]] = field(default_factory=set)
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def rows(self, turn: PlacedTurn, start_ns: int) -> Iterator[Row]:
        """Give the events of one turn."""
        self.start_ns = start_ns if self.start_ns is None else self.start_ns
        span_ns = turn.course.span_ns
        pid = yield from self._process(turn.track, start_ns, start_ns + span_ns)
        sheet = _Sheet(turn.course, span_ns, pid, start_ns - self.start_ns, self.ids)
        for row in sheet.rows(turn.name):
            tid = row.get("tid", 0)
            if tid and (pid, tid) not in self.threads:
                self.threads.add((pid, tid))
                yield from _thread(pid, tid)
            yield row

    def _process(self, track: str, start_ns: int, end_ns: int) -> Generator[Row, None, int]:
        """Choose the first process of a track that is free at a turn's start; one never used before is announced."""
        over = self.over_ns.setdefault(track, [])
        slot = next((slot for slot, over_ns in enumerate(over) if over_ns <= start_ns), len(over))
        over[slot : slot + 1] = [max(end_ns, start_ns + 1)]
        pid = self.pids.get((track, slot))
        if pid is None:
            pid = self.pids[track, slot] = len(self.pids) + 1
            name = visible(track) + (f" ({slot + 1})" if slot else "")
            yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
            yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
        return pid


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The events of one turn in one process."""

    course: TurnCourse
    span_ns: int
    pid: int
    offset_ns: int
    ids: Iterator[int]

    def rows(self, name: str) -> Iterator[Row]:
        course = self.course
        how: Row = {"ended": course.ended, "calls": len(course.calls), "halted": visible(course.halted)}
        yield self._slice(_TURN, Phase(visible(name), 0, self.span_ns), how)
        for response in course.responses:
            if response.started_ns is not None:
                end_ns = self.span_ns if response.ended_ns is None else response.ended_ns
                told: Row = {"attempt": response.attempt, "failed": response.failed, "open": response.ended_ns is None}
                yield self._slice(_RESPONSE, Phase("response", response.started_ns, end_ns), told)
        for at_ns, act in course.stops:
            yield self._instant(_USER, act, at_ns, {})
        for broken in course.violations:
            seen: Row = {
                "rule": broken.statement,
                "seen": visible(broken.message),
                "calls": [*map(visible, broken.calls)],
            }
            yield self._instant(_RULES, f"{broken.rule} broken", broken.at_ns, seen)
        yield from self._calls()

    def _calls(self) -> Iterator[Row]:
        placed = [(call, span) for call in self.course.calls if (span := executed(call, self.span_ns)) is not None]
        chosen = lanes([(span.start_ns, span.end_ns) for _, span in placed])
        for (call, span), lane in zip(placed, chosen, strict=True):
            yield self._slice(_LANES + lane, span._replace(name=_named(call)), _args(call) | dict(span.told))
            for phase in phases(call, span):
                yield self._slice(_LANES + lane, phase, dict(phase.told))
        for call in self.course.calls:
            background = Phase.between("background", call.ended_ns, call.background_until_ns)
            waits = [wait for wait in (queued(call), held(call), background) if wait is not None]
            for wait in waits:
                yield from self._pair(wait, _args(call))
            if not waits and executed(call, self.span_ns) is None and call.life_ns is not None:
                yield self._instant(_MOMENTS, _named(call), call.life_ns[1], _args(call))

    def _slice(self, tid: int, phase: Phase, args: Row) -> Row:
        dur = _us(phase.end_ns - phase.start_ns)
        return self._row("X", phase.name, phase.start_ns) | {"tid": tid, "dur": dur, "args": args}

    def _instant(self, tid: int, name: str, at_ns: int, args: Row) -> Row:
        return self._row("i", name, at_ns) | {"tid": tid, "s": "t", "args": args}

    def _pair(self, wait: Phase, args: Row) -> Iterator[Row]:
        same: Row = {"id2": {"local": hex(next(self.ids))}}
        yield self._row("b", wait.name, wait.start_ns) | same | {"args": args}
        yield self._row("e", wait.name, wait.end_ns) | same

    def _row(self, phase: str, name: str, at_ns: int) -> Row:
        return {"ph": phase, "cat": _CATEGORY, "name": name, "pid": self.pid, "ts": _us(self.offset_ns + at_ns)}


def _thread(pid: int, tid: int) -> Iterator[Row]:
    name = _NAMES.get(tid, f"lane {tid - _LANES}")
    yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}
    yield {"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": {"sort_index": tid}}


def _named(call: CallCourse) -> str:
    return visible(f"{call.tool} {call.call}")


def _args(call: CallCourse) -> Row:
    told = {
        "call": visible(call.call),
        "tool": visible(call.tool),
        "safe": call.concurrency_safe,
        "outcome": call.outcome,
        "started": call.started,
        "blocked_by": None if call.blocked_by is None else visible(call.blocked_by),
        "estimated": call.estimated,
        "abandoned": call.abandoned,
        "taken_back": call.taken_back,
    }
    return {key: value for key, value in told.items() if value is not None}


def _us(amount_ns: int) -> float:
    """Give microseconds: a whole number where it is one, else with three decimals."""
    whole, rest = divmod(amount_ns, 1000)
    return amount_ns / 1000 if rest else whole
