"""Turns as OpenTelemetry spans: OTLP JSON, a line for each turn, as collectors read from files.

The rule: a span says only what its source tells. Tool calls follow the conventions for generative AI (status:
development): a span ``execute_tool NAME`` of kind INTERNAL with ``gen_ai.operation.name``, ``gen_ai.tool.name``,
``gen_ai.tool.call.id``, and ``error.type`` (the outcome's name) where it failed. Inputs and outputs are not written:
they may be confidential. Unit: nanoseconds since the epoch; what was simulated starts at 0.

Each turn is a trace: ``interlock.turn``, in it an ``interlock.response`` for each attempt, and the calls that executed,
each with its hooks and its question. A call that never executed, or of which nothing tells when, is an event of the
turn's span. Attributes that the
conventions do not know begin with ``interlock.``.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TextIO

from sim.analysis.course import CallCourse
from sim.analysis.placed import PlacedTurn
from sim.show.amounts import tally
from sim.show.visible import visible

from .phases import executed, queued

MOST_EVENTS: Final = 128
"""How many events a span carries, which is what OpenTelemetry's own limit is without configuration."""

_INTERNAL: Final = 1
_ERROR: Final = 2

Json = dict[str, Any]


def write_otlp(turns: Iterable[PlacedTurn], out: TextIO, *, source: str) -> list[str]:
    """Write turns as OTLP JSON lines.

    Args:
        turns: in any order; those whose start is unknown have no times and are left out.
        out: where to write.
        source: what they are of, such as a file's name: kept as ``gen_ai.conversation.id``, and ids are made of it.

    Returns:
        What was left out, and what is not known, a line each.
    """
    left_out, untold = list[str](), Counter[str]()
    for turn in turns:
        if turn.start_ns is None:
            left_out.append(f"{turn.name} of {turn.track}: when it began is not told")
            continue
        resource = {"attributes": _attributes({"service.name": "interlock"})}
        told = list(spans(turn, source))
        untold += turn.course.untold
        untold[f"events beyond the {MOST_EVENTS} of a span"] += sum(one.get("droppedEventsCount", 0) for one in told)
        scope = {"scope": {"name": "interlock"}, "spans": told}
        line = {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
        out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    return left_out + tally(untold)


def spans(turn: PlacedTurn, source: str) -> Iterator[Json]:
    """Give the spans of one turn whose start is known, the turn's own first."""
    trace_id = hashlib.sha256(json.dumps([source, turn.track, turn.name]).encode()).hexdigest()[:32]
    yield from _Trace(turn, turn.course.span_ns, turn.start_ns or 0, trace_id, source).spans()


@dataclass(frozen=True, slots=True)
class _Trace:
    turn: PlacedTurn
    span_ns: int
    start_ns: int
    id: str
    source: str

    def spans(self) -> Iterator[Json]:
        course = self.turn.course
        told = {
            "gen_ai.conversation.id": visible(self.source),
            "interlock.turn": visible(self.turn.name),
            "interlock.track": visible(self.turn.track),
            "interlock.ended": course.ended,
            "interlock.halted": course.halted or None,
            "interlock.broken_rules": [broken.rule for broken in course.violations] or None,
        }
        never = [self._never_executed(call) for call in course.calls if executed(call, self.span_ns) is None]
        acts = [self._event(f"interlock.{act}", at_ns, {}) for at_ns, act in course.stops]
        yield self._span("interlock.turn", "", 0, self.span_ns, told) | _events(acts + never)
        for response in course.responses:
            if response.started_ns is not None:
                end_ns = self.span_ns if response.ended_ns is None else response.ended_ns
                span = self._span("interlock.response", f"response {response.attempt}", response.started_ns, end_ns, {})
                yield span | _status("the response failed" if response.failed else None)
        for number, call in enumerate(course.calls):
            yield from self._call(call, f"call {number}")

    def _call(self, call: CallCourse, key: str) -> Iterator[Json]:
        time = executed(call, self.span_ns)
        if time is None:
            return
        wait = queued(call)
        told = (
            {"gen_ai.operation.name": "execute_tool"}
            | _of_call(call)
            | {
                "interlock.queued_ns": None if wait is None else wait.end_ns - wait.start_ns,
                "interlock.open": True if time.told else None,
            }
        )
        name = f"execute_tool {visible(call.tool)}"
        moments = {
            "body_started": call.started_ns,
            "body_ended": call.ended_ns,
            "signalled": call.signalled_ns,
            "emitted": call.emitted_ns,
        }
        seen = [(at_ns, key) for key, at_ns in moments.items() if at_ns is not None]
        seen += [(at_ns, "progress") for at_ns in call.progress_ns]
        events = [self._event(f"interlock.{what}", at_ns, {}) for at_ns, what in sorted(seen)]
        span = self._span(name, key, time.start_ns, time.end_ns, told) | _events(events)
        yield span | _status(_error(call))
        for place, hook in enumerate(call.hooks):
            end_ns = time.end_ns if hook.ended_ns is None else hook.ended_ns
            told = {"interlock.hook": visible(hook.name)}
            yield self._span("interlock.hook", f"{key} hook {place}", hook.started_ns, end_ns, told, parent=key)
        if call.question_asked_ns is not None:
            end_ns = time.end_ns if call.question_answered_ns is None else call.question_answered_ns
            yield self._span("interlock.question", f"{key} question", call.question_asked_ns, end_ns, {}, parent=key)

    def _never_executed(self, call: CallCourse) -> Json:
        at_ns = next((at_ns for at_ns in (call.settled_ns, call.emitted_ns, call.arrived_ns) if at_ns is not None), 0)
        what = "execution_not_told" if call.started else "never_executed"
        return self._event(f"interlock.{what}", at_ns, _of_call(call))

    def _span(
        self, name: str, key: str, start_ns: int, end_ns: int, told: Mapping[str, Any], *, parent: str = ""
    ) -> Json:
        return {
            "traceId": self.id,
            "spanId": self._span_id(key),
            **({"parentSpanId": self._span_id(parent)} if key else {}),
            "name": name,
            "kind": _INTERNAL,
            "startTimeUnixNano": str(self.start_ns + start_ns),
            "endTimeUnixNano": str(self.start_ns + max(start_ns, end_ns)),
            "attributes": _attributes(told),
        }

    def _event(self, name: str, at_ns: int, told: Mapping[str, Any]) -> Json:
        return {"name": name, "timeUnixNano": str(self.start_ns + at_ns), "attributes": _attributes(told)}

    def _span_id(self, key: str) -> str:
        return hashlib.sha256(f"{self.id} {key}".encode()).hexdigest()[:16]


def _of_call(call: CallCourse) -> dict[str, Any]:
    return {
        "gen_ai.tool.name": visible(call.tool),
        "gen_ai.tool.call.id": visible(call.call),
        "error.type": _error(call),
        "interlock.concurrency_safe": call.concurrency_safe,
        "interlock.outcome": call.outcome,
        "interlock.started": call.started,
        "interlock.attempt": call.attempt,
        "interlock.abandoned": call.abandoned or None,
        "interlock.taken_back": call.taken_back,
        "interlock.estimated": call.estimated or None,
        "interlock.blocked_by": None if call.blocked_by is None else visible(call.blocked_by),
    }


def _error(call: CallCourse) -> str | None:
    return None if call.outcome == "ok" else call.outcome


def _status(error: str | None) -> Json:
    return {} if error is None else {"status": {"code": _ERROR, "message": error}}


def _events(events: list[Json]) -> Json:
    dropped = {"droppedEventsCount": len(events) - MOST_EVENTS} if len(events) > MOST_EVENTS else {}
    return {"events": events[:MOST_EVENTS]} | dropped


def _attributes(told: Mapping[str, Any]) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in told.items() if value is not None]


def _value(value: bool | int | str | list[Any]) -> Json:
    """Write a value by its type; 64-bit integers are texts in protobuf's JSON."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"stringValue": value}
