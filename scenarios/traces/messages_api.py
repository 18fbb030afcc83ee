"""Messages API streams (Server-Sent Events, or one event a line) and recorded HTTP exchanges with that API.

The rule: a call is there when its block has stopped; results are found in the requests that follow, if the file has
them. Nothing in these files has a time.
"""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, told
from .fields import word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits, OpenTurn
from .outcomes import outcome_of

_TYPES: Final = frozenset(
    (
        *("message_start", "message_delta", "message_stop", "ping", "error", "message"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
    )
)


@dataclass(slots=True)
class _Block:
    """A ``tool_use`` block that has not stopped yet."""

    id: object
    name: object
    input: object
    json: list[str] = field(default_factory=list)


class MessagesApi(Collector):
    """Takes the events of streamed responses, whole responses, and requests."""

    habits: ClassVar[Habits] = Habits(results_told=False)

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._blocks: dict[object, _Block] = {}

    def take(self, record: Record) -> None:
        """Take one event, response or request."""
        value, counts = record.value, self._findings.counts
        if "request" in value:
            counts.types["request"] += 1
            self._request(value["request"])
            return
        kind = word(value.get("type"))
        counts.types[kind] += 1
        if kind == "message_start":
            self._begin(value.get("message"))
        elif kind == "message":
            self._begin(value)
            self._cut_off()
            self._turn = None
        elif kind == "content_block_start":
            self._start(value.get("index"), value.get("content_block"))
        elif kind == "content_block_delta":
            self._delta(value.get("index"), value.get("delta"))
        elif kind == "content_block_stop":
            self._stop(value.get("index"))
        elif kind == "message_stop":
            self._cut_off()
            self._turn = None
        elif kind == "error":
            self._findings.report("the response failed here: an error event")
            self._cut_off()
        elif kind not in _TYPES:
            counts.unknown_types[visible(kind)] += 1

    def end(self) -> None:
        """Report what the end of the file cuts off."""
        self._cut_off()
        super().end()

    def _begin(self, message: object) -> None:
        """Begin a response; a block that an earlier one left open will not be completed any more."""
        self._cut_off()
        begun = message if isinstance(message, dict) else {}
        key = begun.get("id")
        if not isinstance(key, str) or not key:
            key = f"record {self._findings.counts.records}"
        self._turn = self._open(key, None, self.conversations.main)
        content = begun.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            self._start(index, block)
            self._stop(index)

    def _start(self, index: object, block: object) -> None:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            self._blocks[_key(index)] = _Block(block.get("id"), block.get("name"), block.get("input"))

    def _delta(self, index: object, delta: object) -> None:
        block = self._blocks.get(_key(index))
        if block is not None and isinstance(delta, dict) and isinstance(delta.get("partial_json"), str):
            block.json.append(delta["partial_json"])

    def _stop(self, index: object) -> None:
        block = self._blocks.pop(_key(index), None)
        if block is None:
            return
        if self._turn is None:
            self._turn = self._open(f"record {self._findings.counts.records}", None, self.conversations.main)
        text, given = "".join(block.json), block.input
        if text.strip():
            try:
                given = json.loads(text)
            except (ValueError, RecursionError):
                given = None
                self._findings.report("the input of a completed tool_use is no JSON, taken as unknown")
        self._add_call(block.id, block.name, given, None, self._turn, self.conversations.main)

    def _cut_off(self) -> None:
        """Give up the blocks that are open: a call whose input is not whole is none (W3)."""
        for block in self._blocks.values():
            self._findings.report(f"tool_use {block.id!a} is cut off before its end, no call")
        self._blocks.clear()

    def _request(self, body: object) -> None:
        """Read the results a request brings: those after the last answer of the model in it."""
        messages = body.get("messages") if isinstance(body, dict) else None
        latest: list[Any] = []
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict) and message.get("role") == "user":
                content = message.get("content")
                latest += content if isinstance(content, list) else []
            else:
                latest.clear()
        for block in latest:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                outcome = outcome_of(block.get("content"), block.get("is_error"), None)
                self._answer_again(block.get("tool_use_id"), outcome)


def _key(index: object) -> object:
    return index if isinstance(index, int) else None


def is_messages_api(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only the Messages API has."""
    kind = word(record.get("type"))
    if kind in ("message_start", "message"):
        message = record if kind == "message" else record.get("message")
        return isinstance(message, dict) and isinstance(message.get("content"), list) and bool(word(message.get("id")))
    return kind in ("content_block_start", "content_block_delta") and "index" in record


MESSAGES_API: Final = Format(
    name="anthropic_sse",
    title="Messages API streams and VCR cassettes",
    facts=Facts(
        arrival=UNKNOWN,
        start=UNKNOWN,
        end=UNKNOWN,
        progress=UNKNOWN,
        error=told("is_error of the result in a recorded request; a bare stream has no results"),
        group=told("message_start"),
    ),
    fits=is_messages_api,
    collector=MessagesApi,
)
