"""Gemini CLI: sessions (one JSON document, or messages of one), and its ``stream-json`` output.

The rule: a call's id holds the millisecond in which it came up, before anybody was asked; its stamp is its end. Unit:
nanoseconds.
"""

import re
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, word
from .lines import Record
from .opened import Habits

_BORN: Final = re.compile(r"-(1[0-9]{12})-")
_STATUS: Final = {"success": Outcome.OK, "error": Outcome.ERROR, "cancelled": Outcome.USER_INTERRUPTED}
_LINES: Final = frozenset(("init", "message", "tool_use", "tool_result", "error", "result"))


class GeminiSession(Collector):
    """Takes a session's document, its messages one by one, or the lines of its output."""

    habits: ClassVar[Habits] = Habits(program="Gemini CLI")

    def take(self, record: Record) -> None:
        """Take a document, a message or a line."""
        value = record.value
        messages = value.get("messages")
        for message in messages if isinstance(messages, list) else (value,):
            if isinstance(message, dict):
                self._message(message)
            else:
                self._findings.report("a message that is no object, skipped")

    def _message(self, message: dict[str, Any]) -> None:
        kind = word(message.get("type"))
        self._findings.counts.types[kind] += 1
        if kind == "tool_use":
            self._used(message)
        elif kind == "tool_result":
            self._resulted(message)
        elif kind == "gemini":
            self._said(message)
        elif kind not in _LINES | {"user", "info", "warning"}:
            self._findings.counts.unknown_types[visible(kind)] += 1

    def _said(self, message: dict[str, Any]) -> None:
        main, calls = self.conversations.main, message.get("toolCalls")
        key = word(message.get("id")) or f"message {self._findings.counts.types['gemini']}"
        turn = self._open(key, None, main)
        for one in calls if isinstance(calls, list) else ():
            if not isinstance(one, dict):
                continue
            born = _BORN.search(word(one.get("id")))
            at_ns = int(born[1]) * 1_000_000 if born else None
            turn.arrived(at_ns)
            call = self._add_call(one.get("id"), one.get("name"), one.get("args"), at_ns, turn, main)
            outcome = _STATUS.get(word(one.get("status")))
            if call is None or outcome is None:
                continue
            call.started_ns = at_ns
            self._answer(call.id, instant_ns(one.get("timestamp")), main)
            call.outcome = outcome

    def _used(self, line: dict[str, Any]) -> None:
        main, at_ns = self.conversations.main, instant_ns(line.get("timestamp"))
        current = main.current
        if current is None or current.closed or current.answered:
            current = self._open(f"line {self._findings.place[0]}", at_ns, main)
        else:
            current.arrived(at_ns)
        self._add_call(line.get("tool_id"), line.get("tool_name"), line.get("parameters"), at_ns, current, main)

    def _resulted(self, line: dict[str, Any]) -> None:
        found = self._answer(line.get("tool_id"), instant_ns(line.get("timestamp")), self.conversations.main)
        if found is not None:
            found[1].outcome = _STATUS.get(word(line.get("status")), Outcome.ERROR)


def is_gemini_session(record: dict[str, Any]) -> bool:
    """Say whether a record is such a session, a message of one, or a line of such output."""
    kind = word(record.get("type"))
    if kind == "gemini":
        return True
    if kind in ("init", "tool_use", "tool_result"):
        return {"session_id", "model"} <= record.keys() or "tool_id" in record
    return {"sessionId", "messages"} <= record.keys() and isinstance(record["messages"], list)


GEMINI: Final = Format(
    name="gemini_cli",
    title="Gemini CLI sessions",
    facts=Facts(
        arrival=estimated("the millisecond in the call's id; told by the stamp in stream-json output"),
        start=estimated("the arrival: approval is inside the duration; unknown in stream-json output"),
        end=told("the call's stamp; some older files repeat the message's"),
        progress=UNKNOWN,
        error=told("status"),
        group=told("the message; in stream-json output estimated: calls that were open together"),
    ),
    fits=is_gemini_session,
    collector=GeminiSession,
)
