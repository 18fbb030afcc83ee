"""Langfuse exports: one document with a trace and its observations.

The rule: an observation that ran a tool is a call; its duration is the end less the start, because the unit of the
``latency`` beside them differs. Calls between two generations belong to one response, which is estimated.
"""

from typing import Any, ClassVar, Final

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

    habits: ClassVar[Habits] = Habits()

    def take(self, record: Record) -> None:
        """Take an export's observations in the order of their starts."""
        listed = record.value.get("observations")
        observations = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        turn: OpenTurn | None = None
        for one in sorted(observations, key=lambda one: instant_ns(one.get("startTime")) or 0):
            kind = word(one.get("type"))
            self._findings.counts.types[kind] += 1
            attributes = _attributes(one)
            if _is_tool(one, attributes):
                turn = turn or self._open(f"before {word(one.get('id'))}", None, self.conversations.main)
                self._tool(one, attributes, turn)
            elif kind == "GENERATION":
                turn = None

    def _tool(self, one: dict[str, Any], attributes: dict[str, Any], turn: OpenTurn) -> None:
        main = self.conversations.main
        call_id = next((attributes[key] for key in _CALLED if word(attributes.get(key))), one.get("id"))
        tool = next((attributes[key] for key in _NAMED if word(attributes.get(key))), one.get("name"))
        call = self._add_call(call_id, tool, object_of(one.get("input")), None, turn, main)
        ended_ns = instant_ns(one.get("endTime"))
        if call is None:
            return
        call.started_ns = instant_ns(one.get("startTime"))
        if ended_ns is not None:
            self._answer(call.id, ended_ns, main)
            call.outcome = Outcome.ERROR if one.get("level") == "ERROR" else Outcome.OK


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
        arrival=UNKNOWN,
        start=told("startTime"),
        end=told("endTime"),
        progress=UNKNOWN,
        error=told("level"),
        group=estimated("tools between two generations"),
    ),
    fits=lambda record: {"trace", "observations"} <= record.keys(),
    collector=Langfuse,
)
