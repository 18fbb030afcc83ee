"""Reads a recorded turn into its course.

The rule: what the file does not tell stays ``None`` (B120), and who kept a call from starting is found by the rule that
its start was found by: a safe call waits for the exclusive ones before it, an exclusive one for all. Times in
nanoseconds from the turn's first block.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from executor.calls.outcome import Outcome
from scenarios.traces.model import RecordedCall, RecordedTurn
from scenarios.traces.recorded_log import to_log

from .course import CallCourse, TurnCourse, Wait
from .reading import in_lanes, read_log

_RAN: Final = (Outcome.OK, Outcome.ERROR, Outcome.TIMEOUT)
"""The outcomes of calls that must have had a body, even where nothing tells when it began."""


def read_recorded(turn: RecordedTurn) -> TurnCourse:
    """Read a recorded turn, its violations aside."""
    course = read_log(*to_log(turn))
    told = {call.call: call for call in course.calls}
    for recorded in turn.calls:
        _complete(told[recorded.id], recorded, turn)
    for place, recorded in enumerate(turn.calls):
        call = told[recorded.id]
        call.waits = _waits(call, course, (told[earlier.id] for earlier in turn.calls[:place]))
    unknown = turn.first_ns is None or turn.last_block_ns is None
    return replace(
        course,
        calls=in_lanes(told[recorded.id] for recorded in turn.calls),
        responses=tuple(replace(one, ended_ns=None) for one in course.responses) if unknown else course.responses,
        turn_ended_ns=None if unknown else course.turn_ended_ns,
    )


def _complete(call: CallCourse, recorded: RecordedCall, turn: RecordedTurn) -> None:
    """Take back the instants that a log must have and the file does not tell, and add how the start is known."""
    call.start_basis = recorded.start_basis
    call.admitted_ns, call.settled_ns = call.started_ns, call.ended_ns
    if recorded.arrived_ns is None or turn.first_ns is None:
        call.arrived_ns = None
    if recorded.ended_ns is None or turn.first_ns is None:
        call.emitted_ns = None
    elif call.settled_ns is None:
        call.settled_ns = turn.since_start_ns(recorded.ended_ns)
    call.outcome = None if recorded.outcome is None else recorded.outcome.value
    call.started = recorded.started_ns is not None or recorded.outcome in _RAN


def _waits(call: CallCourse, course: TurnCourse, earlier: Iterable[CallCourse]) -> tuple[Wait, ...]:
    arrived_ns, started_ns, response_ns = call.arrived_ns, call.started_ns, course.response_ended_ns
    if arrived_ns is None or started_ns is None or started_ns <= arrived_ns:
        return ()
    over = {
        other.ended_ns: other
        for other in earlier
        if other.ended_ns is not None
        and arrived_ns < other.ended_ns <= started_ns
        and not (call.concurrency_safe and other.concurrency_safe)
    }
    last_ns = max(over, default=arrived_ns)
    starts_at_end = course.header["options"]["start"] == "response_end"
    if starts_at_end and response_ns is not None and last_ns < response_ns <= started_ns:
        return (Wait("response", None, arrived_ns, started_ns),)
    return (Wait("exclusive", over[last_ns].call, arrived_ns, started_ns),) if over else ()
