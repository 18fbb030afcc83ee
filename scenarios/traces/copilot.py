"""Copilot CLI events: ``~/.copilot/session-state/*/events.jsonl``.

The rule: every step has an event with its own stamp, so starts and ends are told; calls are written when their whole
response was there.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, word
from .lines import Record
from .opened import Conversation, Habits

_FAMILIES: Final = frozenset(
    ("session", "system", "user", "assistant", "tool", "hook", "permission", "abort", "subagent", "skill")
)
_REFUSED: Final = frozenset(("denied", "rejected"))


class CopilotEvents(Collector):
    """Takes the events of a session."""

    habits: ClassVar[Habits] = Habits(program="Copilot CLI", arrival_bound=True, own_ids=True)

    def take(self, record: Record) -> None:
        """Take one event by its type."""
        kind, data = word(record.value.get("type")), record.value.get("data")
        counts = self._findings.counts
        if not kind or not isinstance(data, dict):
            self._findings.report("an event without a type and data, skipped")
            return
        counts.types[kind] += 1
        if kind.partition(".")[0] not in _FAMILIES:
            counts.unknown_types[visible(kind)] += 1
        at_ns, parent = instant_ns(record.value.get("timestamp")), data.get("parentToolCallId")
        conversation = self.conversations.named(parent if isinstance(parent, str) else None)
        if kind == "session.start":
            self._tells_version(data.get("copilotVersion"))
        elif kind == "assistant.message":
            self._message(data, at_ns, conversation)
        elif kind == "tool.execution_start":
            self._start(data, at_ns, conversation)
        elif kind == "tool.execution_complete":
            self._complete(data, at_ns, conversation)
        elif kind == "permission.requested":
            self._asked(data, conversation)
        elif kind == "abort":
            self._interrupt(at_ns, conversation)

    def _message(self, data: dict[str, Any], at_ns: int | None, conversation: Conversation) -> None:
        key, requests = data.get("messageId"), data.get("toolRequests")
        name = key if isinstance(key, str) and key else f"record {self._findings.counts.records}"
        turn = self._open(name, at_ns, conversation)
        for asked in requests if isinstance(requests, list) else ():
            if isinstance(asked, dict):
                call_id, tool, given = asked.get("toolCallId"), asked.get("name"), asked.get("arguments")
                self._add_call(call_id, tool, given, at_ns, turn, conversation)

    def _start(self, data: dict[str, Any], at_ns: int | None, conversation: Conversation) -> None:
        call_id = data.get("toolCallId")
        if isinstance(call_id, str) and call_id not in conversation.calls:
            # Its message is not in the file: what runs has been asked for, at an instant that is unknown.
            turn = self._open(f"record {self._findings.counts.records}", None, conversation)
            self._add_call(call_id, data.get("toolName"), data.get("arguments"), None, turn, conversation)
        found = conversation.calls.get(str(call_id))
        if found is not None and found[1].started_ns is None:
            found[1].started_ns = at_ns

    def _complete(self, data: dict[str, Any], at_ns: int | None, conversation: Conversation) -> None:
        found = self._answer(data.get("toolCallId"), at_ns, conversation)
        if found is None:
            return
        error = data.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        failed = Outcome.DENIED if word(code) in _REFUSED else Outcome.ERROR
        found[1].outcome = Outcome.OK if data.get("success") is True else failed

    def _asked(self, data: dict[str, Any], conversation: Conversation) -> None:
        request = data.get("permissionRequest")
        call_id = data.get("toolCallId", request.get("toolCallId") if isinstance(request, dict) else None)
        found = conversation.calls.get(str(call_id))
        if found is not None:
            found[1].asked = True


def is_copilot_event(record: dict[str, Any]) -> bool:
    """Say whether a record is an event of such a session."""
    family = word(record.get("type")).partition(".")[0]
    return family in _FAMILIES and isinstance(record.get("data"), dict) and {"id", "timestamp"} <= record.keys()


COPILOT_EVENTS: Final = Format(
    name="copilot_events",
    title="Copilot CLI events",
    facts=Facts(
        arrival=estimated("the message's stamp, written when the whole response was there"),
        start=told("tool.execution_start"),
        end=told("tool.execution_complete"),
        progress=UNKNOWN,
        error=told("success, and the error's code"),
        group=told("messageId"),
    ),
    fits=is_copilot_event,
    collector=CopilotEvents,
)
