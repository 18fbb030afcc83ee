"""The columns of every frame: name, type, unit, meaning, and where the value comes from; one table for all of it.

The rule: a time is there twice, ``NAME_s`` in seconds to count with and ``NAME_ns`` exact; both are missing where it is
not known. Needs no pandas.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from executor.events import INSIDE, Event
from sim.oracle import Violation

from . import metrics
from .course import CallCourse, Hook, Response, TurnCourse
from .numbers import TurnNumbers

DType = Literal["string", "Int64", "float64", "boolean"]


class CallRow(NamedTuple):
    """What a row of a frame of calls is made of; ``broken`` are the rules whose violation names the call."""

    source: str
    turn: int
    engine: str
    course: TurnCourse
    call: CallCourse
    broken: tuple[Violation, ...]


class EventRow(NamedTuple):
    """What a row of a frame of events is made of."""

    source: str
    turn: int
    engine: str
    number: int
    event: Event


class TurnRow(NamedTuple):
    """One turn with its numbers: a row of a frame of turns, and of a comparison.

    Args:
        source: the scenario's name, or the recording's file.
        turn: its number in it.
        engine: by what it was run.
        policy: under which options, in words; empty for a turn that was not compared.
        line: where a recorded turn begins in its file.
        recorded_ns: its makespan as it was recorded.
        numbers: what it came to.
    """

    source: str
    turn: int
    engine: str
    policy: str
    line: int | None
    recorded_ns: int | None
    numbers: TurnNumbers


class SessionRow(NamedTuple):
    """What a row of a frame of a session is made of; ``began_ns`` counts from the first turn's start."""

    name: str
    track: str
    began_ns: int | None
    turn: TurnRow


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a frame.

    Args:
        name: what it is called.
        dtype: its pandas type; strings, numbers and truths may be missing (``NA``), seconds are ``NaN`` then.
        unit: ``s``, ``ns``, or nothing.
        meaning: what it says.
        of: gives its value for a row.
    """

    name: str
    dtype: DType
    unit: str
    meaning: str
    of: Callable[[Any], Any]


def seconds(at_ns: int | None) -> float:
    """Give a time in seconds; not a number where it is not known.

    Args:
        at_ns: the time in nanoseconds.
    """
    return float("nan") if at_ns is None else at_ns / 1e9


def _plain(name: str, dtype: DType, meaning: str, of: Callable[[Any], Any]) -> list[Column]:
    return [Column(name, dtype, "", meaning, of)]


def _time(name: str, meaning: str, of: Callable[[Any], int | None]) -> list[Column]:
    return [
        Column(f"{name}_s", "float64", "s", meaning, lambda row: seconds(of(row))),
        Column(f"{name}_ns", "Int64", "ns", meaning, of),
    ]


def _instant(name: str, meaning: str) -> list[Column]:
    return _time(name, meaning, lambda row: getattr(row.call, f"{name}_ns"))


def _number(name: str, meaning: str) -> list[Column]:
    return _time(name, meaning, lambda row: getattr(row.numbers, f"{name}_ns"))


def _count(name: str, meaning: str) -> list[Column]:
    return _plain(name, "Int64", meaning, lambda row: getattr(row.numbers, name))


_PLACE: Final = (
    *_plain("source", "string", "the scenario's name, or the recording's file", lambda row: row.source),
    *_plain("turn", "Int64", "the turn's number in it, from 1 on", lambda row: row.turn),
    *_plain("engine", "string", "by what it was run: an engine, or `recorded`", lambda row: row.engine),
)


def _response(row: CallRow) -> Response | None:
    return next((one for one in row.course.responses if one.attempt == row.call.attempt), None)


def _response_started_ns(row: CallRow) -> int | None:
    response = _response(row)
    return None if response is None else response.started_ns


def _response_ended_ns(row: CallRow) -> int | None:
    response = _response(row)
    return None if response is None else response.ended_ns


def _hooks(row: CallRow, *, before: bool) -> Iterator[Hook]:
    body_ns = row.call.started_ns
    return (hook for hook in row.call.hooks if (body_ns is None or hook.started_ns <= body_ns) is before)


def _hooks_began(*, before: bool) -> Callable[[CallRow], int | None]:
    return lambda row: min((hook.started_ns for hook in _hooks(row, before=before)), default=None)


def _hooks_ended(*, before: bool) -> Callable[[CallRow], int | None]:
    def last(row: CallRow) -> int | None:
        ends = [hook.ended_ns for hook in _hooks(row, before=before)]
        return max((end_ns for end_ns in ends if end_ns is not None), default=None)

    return last


def _broken(row: CallRow) -> str | None:
    return " ".join(dict.fromkeys(one.rule for one in row.broken)) or None


def _broken_at_ns(row: CallRow) -> int | None:
    return min((one.at_ns for one in row.broken), default=None)


_CALLS: Final = (
    *_PLACE,
    *_plain("call", "string", "the call's id", lambda row: row.call.call),
    *_plain("tool", "string", "its tool", lambda row: row.call.tool),
    *_plain("concurrency_safe", "boolean", "whether it may run beside others", lambda row: row.call.concurrency_safe),
    *_plain("attempt", "Int64", "which attempt at the response asked for it", lambda row: row.call.attempt),
    *_plain("outcome", "string", "how it ended", lambda row: row.call.outcome),
    *_plain("started", "boolean", "whether its body ran at all", lambda row: row.call.started),
    *_plain("abandoned", "boolean", "whether it was given up while its body ran (A9)", lambda row: row.call.abandoned),
    *_plain("taken_back", "string", "`withdrawn` or `discarded` with its attempt", lambda row: row.call.taken_back),
    *_plain("lane", "Int64", "its lane: nothing in a lane overlaps (B122)", lambda row: row.call.lane),
    *_plain("blocked_by", "string", "what let it start in the end: a call's id, `response`, `permission`, …",
            lambda row: row.call.blocked_by),
    *_plain("blocked_why", "string", "how that held it up: `exclusive`, `limit`, `response`, `hook`, …",
            lambda row: row.call.blocked_why),
    *_time("response_started", "its response began", _response_started_ns),
    *_time("response_ended", "its response was over", _response_ended_ns),
    *_instant("arrived", "its block was complete"),
    *_instant("admitted", "it got its slot"),
    *_time("pre_hooks_started", "the first hook before its body began", _hooks_began(before=True)),
    *_time("pre_hooks_ended", "the last hook before its body ended", _hooks_ended(before=True)),
    *_instant("question_asked", "somebody was asked whether it may run"),
    *_instant("question_answered", "that question was closed"),
    *_instant("started", "its body was entered"),
    *_instant("signalled", "its abort signal fired"),
    *_instant("ended", "its body was left"),
    *_time("post_hooks_started", "the first hook after its body began", _hooks_began(before=False)),
    *_time("post_hooks_ended", "the last hook after its body ended", _hooks_ended(before=False)),
    *_instant("settled", "it had its final outcome"),
    *_instant("emitted", "the consumer took its result"),
    *_instant("background_until", "the work that went on after its result was over"),
    *_time("queue_wait", "from arrival to its slot, or to its result if it never got one",
           lambda row: metrics.queue_wait_ns(row.call)),
    *_time("hook_wait", "how long hooks kept it from its body", lambda row: metrics.hook_wait_ns(row.call)),
    *_time("permission_wait", "how long it waited for an answer", lambda row: metrics.permission_wait_ns(row.call)),
    *_time("ran", "how long its body ran", lambda row: row.call.ran_ns),
    *_time("head_of_line", "how long its result waited to be taken", lambda row: metrics.head_of_line_ns(row.call)),
    *_plain("progress", "Int64", "how often it reported progress", lambda row: len(row.call.progress_ns)),
    *_plain("start_basis", "string", "how its start is known", lambda row: row.call.start_basis),
    *_plain("estimated", "boolean", "whether a time of it is only a bound (B121)", lambda row: row.call.estimated),
    *_plain("broken", "string", "the rules that name it as broken", _broken),
    *_time("broken_at", "when the first of them was broken", _broken_at_ns),
)  # fmt: skip

_EVENTS: Final = (
    *_PLACE,
    *_plain("row", "Int64", "its place in the log, from 0 on", lambda row: row.number),
    *_time("t", "when, from the turn's start", lambda row: row.event.t_ns),
    *_plain("kind", "string", "what happened", lambda row: row.event.kind.value),
    *_plain("call", "string", "to which call", lambda row: row.event.call),
    *_plain("inside", "boolean", "whether only our own executor tells of it", lambda row: row.event.kind in INSIDE),
    *_plain("detail", "string", "what else the row says, as JSON", lambda row: _json(row.event.detail)),
)

_TURNS: Final = (
    *_PLACE,
    *_plain("policy", "string", "under which options, where it was compared", lambda row: row.policy or None),
    *_plain("line", "Int64", "where a recorded turn begins in its file", lambda row: row.line),
    *_count("calls", "calls"),
    *_count("started", "calls whose body ran"),
    *_count("failed", "calls whose result is not `ok`"),
    *_count("attempts", "attempts at the response"),
    *_count("peak", "bodies at once at most"),
    *_number("makespan", "from the turn's start to its last result or its response's end"),
    *_time("recorded", "the makespan as it was recorded", lambda row: row.recorded_ns),
    *_number("lower_bound", "the makespan that no engine beats which keeps order and exclusivity"),
    *_number("first_result", "until the first result was taken"),
    *_number("stream", "how long responses streamed"),
    *_number("after_stream", "how long it went on after its response"),
    *_number("busy", "how long at least one body ran"),
    *_number("total", "all bodies' times added up"),
    *_number("model", "the response streamed and no body ran"),
    *_number("overlap", "bodies ran while it streamed"),
    *_number("tools", "bodies ran and nothing streamed"),
    *_number("waiting", "neither"),
    *_number("queue_wait", "the calls' waits for a slot added up"),
    *_number("head_of_line", "the waits of finished results added up"),
    *_plain("critical", "string", "what its makespan is made of, in order", lambda row: _path(row.numbers)),
    *_count("violations", "rules that were broken, each time counted"),
    *_plain("ended", "string", "how it ended", lambda row: row.numbers.ended),
    *_plain("estimated", "boolean", "whether its times are estimates (B121)", lambda row: row.numbers.estimated),
)  # fmt: skip


def _of_turn(column: Column, row: SessionRow) -> Any:
    return column.of(row.turn)


_SESSION: Final = (
    *_plain("name", "string", "what the turn is called", lambda row: row.name),
    *_plain("track", "string", "which of the things that go on side by side it belongs to", lambda row: row.track),
    *_time("began", "when it began, from the first turn's start", lambda row: row.began_ns),
    *(replace(column, of=partial(_of_turn, column)) for column in _TURNS),
)  # fmt: skip

_EXPLORED: Final = (
    *_plain("what", "string", "`outcome` or `failure`", lambda row: row[0]),
    *_plain("text", "string", "how the run ended, or the rule that was broken", lambda row: row[1]),
    *_plain("times", "Int64", "in how many schedules", lambda row: row[2]),
)  # fmt: skip

COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "calls": _CALLS,
    "events": _EVENTS,
    "turns": _TURNS,
    "session": _SESSION,
    "explored": _EXPLORED,
}
"""The columns by frame, in order."""


def _json(detail: Mapping[str, Any]) -> str:
    return json.dumps(dict(detail), ensure_ascii=False, sort_keys=True, default=repr)


def _path(of: TurnNumbers) -> str | None:
    return " → ".join(of.critical_calls) or None
