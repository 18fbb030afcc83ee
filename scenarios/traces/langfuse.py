"""Langfuse exports: one document with a trace and its observations.

The rule: an observation that ran a tool is a call; its duration is the end less the start, because the unit of the
``latency`` beside them differs. Calls between two generations belong to one response, and arrived at the latest when
the generation before them was over; both are estimated.
"""

from typing import Any, ClassVar, Final, NamedTuple

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, object_of, word
from .lines import Record
from .opened import Habits, OpenTurn

_CALLED: Final = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
_NAMED: Final = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name")


class Langfuse(Collector):
    """Takes an export."""

    habits: ClassVar[Habits] = Habits(arrival_bound=True)

    def take(self, record: Record) -> None:
        """Take an export's observations in the order of their starts."""
        listed = record.value.get("observations")
        observations = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        turn: OpenTurn | None = None
        spans = [_span(one) for one in observations if one.get("type") == "GENERATION"]
        for one in sorted(observations, key=lambda one: instant_ns(one.get("startTime")) or 0):
            kind = word(one.get("type"))
            self._findings.counts.types[kind] += 1
            attributes = _attributes(one)
            if _is_tool(one, attributes):
                asked = _asked_in(spans, instant_ns(one.get("startTime")))
                turn = turn or self._open(f"before {word(one.get('id'))}", asked.start_ns, self.conversations.main)
                turn.arrived(asked.end_ns)
                self._tool(one, attributes, turn, asked.end_ns)
            elif kind == "GENERATION":
                turn = None

    def _tool(self, one: dict[str, Any], attributes: dict[str, Any], turn: OpenTurn, at_ns: int | None) -> None:
        main = self.conversations.main
        call_id = next((attributes[key] for key in _CALLED if word(attributes.get(key))), one.get("id"))
        tool = next((attributes[key] for key in _NAMED if word(attributes.get(key))), one.get("name"))
        call = self._add_call(call_id, tool, object_of(one.get("input")), at_ns, turn, main)
        ended_ns = instant_ns(one.get("endTime"))
        if call is None:
            return
        call.started_ns = instant_ns(one.get("startTime"))
        if ended_ns is not None:
            self._answer(call.id, ended_ns, main)
            call.outcome = Outcome.ERROR if one.get("level") == "ERROR" else Outcome.OK


class _Span(NamedTuple):
    """When something began and was over."""

    start_ns: int | None
    end_ns: int | None


def _span(one: dict[str, Any]) -> _Span:
    return _Span(instant_ns(one.get("startTime")), instant_ns(one.get("endTime")))


def _asked_in(generations: list[_Span], started_ns: int | None) -> _Span:
    """Give the response that asked for a tool: the last one that was over when it started; else that start alone."""
    if started_ns is None:
        return _Span(None, None)
    over = [one for one in generations if one.end_ns is not None and one.end_ns <= started_ns]
    return max(over, key=lambda one: one.end_ns or 0, default=_Span(started_ns, started_ns))


def _attributes(one: dict[str, Any]) -> dict[str, Any]:
    metadata = object_of(one.get("metadata")) or {}
    return object_of(metadata.get("attributes")) or {}


def _is_tool(one: dict[str, Any], attributes: dict[str, Any]) -> bool:
    operation = word(attributes.get("gen_ai.operation.name")) or word(attributes.get("operation.name"))
    return one.get("type") == "TOOL" or operation in ("execute_tool", "ai.toolCall")


LANGFUSE: Final = Format(
    name="langfuse_trace",
    title="Langfuse exports",
    facts=Facts(
        arrival=estimated("the generation's endTime, else startTime"),
        start=told("startTime"),
        end=told("endTime"),
        progress=UNKNOWN,
        error=told("level"),
        group=estimated("tools between two generations"),
    ),
    fits=lambda record: {"trace", "observations"} <= record.keys(),
    collector=Langfuse,
)
