"""The pi agent: its sessions (``~/.pi/agent/sessions/*/*.jsonl``) and what ``pi --mode json`` prints.

The rule: calls run when their whole response is there, and results are written in request order when all are there: an
end is the latest possible instant. A message's own stamp is when it was begun, so only a session's entry tells when a
response was there.
"""

import re
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, milliseconds_ns, text_of, word
from .lines import Record
from .opened import Habits

_EVENTS: Final = frozenset(
    (
        *("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end"),
        *("tool_execution_start", "tool_execution_update", "tool_execution_end", "queue_update"),
        *("auto_compaction_start", "auto_compaction_end", "compaction_start", "compaction_end"),
        *("auto_retry_start", "auto_retry_end"),
    )
)
_ENTRIES: Final = frozenset(
    (
        *("session", "message", "model_change", "thinking_level_change", "compaction", "branch_summary", "label"),
        *("custom", "custom_message", "session_info", "context_transform", "ephemeral"),
    )
)
_REFUSALS: Final = (
    (re.compile(r"Operation aborted\b"), Outcome.USER_INTERRUPTED),
    (re.compile(r"Tool \S+ not found$"), Outcome.UNKNOWN_TOOL),
    (re.compile(r"Validation failed for tool\b"), Outcome.INVALID_INPUT),
)


class PiAgent(Collector):
    """Takes the entries of a session, or the events of a run."""

    habits: ClassVar[Habits] = Habits(program="pi", arrival_bound=True, own_ids=True)

    def take(self, record: Record) -> None:
        """Take one entry or event."""
        value, counts = record.value, self._findings.counts
        kind, message = word(value.get("type")), value.get("message")
        counts.types[kind] += 1
        if kind not in _EVENTS | _ENTRIES:
            counts.unknown_types[visible(kind)] += 1
        elif kind == "tool_execution_end":
            self._executed(value)
        elif kind in ("message", "message_end"):
            if isinstance(message, dict):
                self._message(message, instant_ns(value.get("timestamp")))
            else:
                self._findings.report(f"{kind} without a message object, skipped")

    def _message(self, message: dict[str, Any], at_ns: int | None) -> None:
        main, role = self.conversations.main, word(message.get("role"))
        if role == "toolResult":
            self._result(message)
        if role != "assistant":
            return
        content = message.get("content")
        calls = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        calls = [part for part in calls if part.get("type") == "toolCall"]
        # A branch of a session is another file, which begins with the same responses.
        key = word(calls[0].get("id")) if calls else ""
        turn = self._open(key or f"record {self._findings.counts.records}", at_ns, main)
        for call in calls:
            self._add_call(call.get("id"), call.get("name"), call.get("arguments"), at_ns, turn, main)
        if message.get("stopReason") == "aborted":
            self._interrupt(at_ns, main)

    def _executed(self, value: dict[str, Any]) -> None:
        """Take the end of an execution, in the order of ends; its message, which has the stamp, comes later."""
        found = self._answer(value.get("toolCallId"), None, self.conversations.main)
        if found is not None:
            result = value.get("result")
            content = result.get("content") if isinstance(result, dict) else result
            found[1].outcome = _outcome(content, value.get("isError"))

    def _result(self, message: dict[str, Any]) -> None:
        main, at_ns = self.conversations.main, milliseconds_ns(message.get("timestamp"))
        known = main.calls.get(visible(word(message.get("toolCallId"))))
        if known is not None and known[1].result_place is not None and known[1].ended_ns is None:
            known[1].ended_ns, known[1].end_bound = at_ns, True
            return
        found = self._answer(message.get("toolCallId"), at_ns, main)
        if found is not None:
            found[1].outcome, found[1].end_bound = _outcome(message.get("content"), message.get("isError")), True


def _outcome(content: object, is_error: object) -> Outcome:
    if is_error is not True:
        return Outcome.OK
    said = text_of(content).strip()
    return next((outcome for how, outcome in _REFUSALS if how.match(said)), Outcome.ERROR)


def is_pi_agent(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only this agent writes."""
    kind, message = word(record.get("type")), record.get("message")
    if kind == "session":
        return {"id", "timestamp", "cwd"} <= record.keys()
    if kind in ("message", "message_start", "message_end"):
        return isinstance(message, dict) and word(message.get("role")) in ("user", "assistant", "toolResult")
    return kind in ("agent_start", "turn_start") and record.keys() == {"type"}


PI_AGENT: Final = Format(
    name="pi_agent",
    title="pi agent sessions and events",
    facts=Facts(
        arrival=estimated("the stamp of a session's entry, when the whole response was there; unknown in events"),
        start=UNKNOWN,
        end=estimated("the result message's stamp, made when all results were there"),
        progress=UNKNOWN,
        error=told("isError, and the result's text for the kind"),
        group=told("the message"),
    ),
    fits=is_pi_agent,
    collector=PiAgent,
)
