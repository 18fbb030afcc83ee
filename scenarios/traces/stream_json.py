"""``stream-json`` output (``claude -p --output-format stream-json`` and its like), with or without partial messages.

The rule: a line says what a transcript's line says, under other names; only later versions stamp lines, so a time may
be known for one line and unknown for the next. Events of partial messages have no time and repeat what lines say.
"""

from typing import Any, Final

from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import word
from .lines import Record
from .messages import Sorter

_ONLY_HERE: Final = frozenset(("stream_event", "result", "rate_limit_event", "control_request", "control_response"))
_SHARED: Final = frozenset(("system", "assistant", "user"))
_NAMES: Final = {"tool_use_result": "toolUseResult", "request_id": "requestId", "session_id": "sessionId"}


def is_stream_json(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only ``stream-json`` output has."""
    kind = word(record.get("type"))
    if kind == "result":
        return "num_turns" in record
    if kind in _ONLY_HERE:
        return True
    return kind in _SHARED and "session_id" in record and "sessionId" not in record


class StreamJson(Sorter):
    """Takes the lines of ``stream-json`` output."""

    known_types = Sorter.known_types | _ONLY_HERE

    def take(self, record: Record) -> None:
        """Give a line the names of a transcript's, and sort it."""
        value = {_NAMES.get(key, key): field for key, field in record.value.items()}
        if value.get("subtype") == "init":
            self._tells_version(value.get("claude_code_version"))
        parent = value.get("parent_tool_use_id")
        if isinstance(parent, str):
            value |= {"isSidechain": True, "agentId": parent}
        super().take(record._replace(value=value))


STREAM_JSON: Final = Format(
    name="claude_stream_json",
    title="stream-json output (claude -p and its like)",
    facts=Facts(
        arrival=told("the stamp of the assistant line, from 2.1.220 on; unknown before"),
        start=estimated("the schedule's rule, where the arrival is known"),
        end=told("the stamp of the result's line, from 2.1.154 on; unknown before"),
        progress=UNKNOWN,
        error=told("is_error, and the result's text for the kind"),
        group=told("message.id"),
    ),
    fits=is_stream_json,
    collector=StreamJson,
)
