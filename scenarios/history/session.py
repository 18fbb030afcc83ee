"""A recorded session as the histories it tells of: the main conversation's, and each sub-agent's.

The rule: the lines of one message id are one response, and the results up to the next response answer it, in the order
of its calls, whatever stands between the lines (B010, B090, B095): so its program sends them. Conversations are kept
apart (B097), and a compaction begins a new segment (B096).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..traces.claude import CLAUDE_TRANSCRIPT
from ..traces.containers import records
from ..traces.findings import Findings
from ..traces.lines import BUFFER_BYTES
from ..traces.messages import Sorter
from ..traces.model import TraceError
from ..traces.opened import Conversation
from ..traces.reader import OnProgress
from ..traces.sniff import sniff
from ..traces.stream_json import STREAM_JSON, StreamJson
from .blocks import Message
from .model import History, HistoryFile

Written = tuple[Mapping[str, Any], int]
"""A block, and its line."""


@dataclass(slots=True)
class _Conversation:
    """One conversation as it is heard; ``results`` and ``said`` have come since its last response."""

    messages: list[Message] = field(default_factory=list)
    lines: list[list[int]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    segment: int = 0
    responses: dict[str, int] = field(default_factory=dict)
    results: list[Written] = field(default_factory=list)
    said: list[list[Written]] = field(default_factory=list)

    def enter(self, segment: int) -> None:
        """Go on in a segment; the first message in a new one begins it."""
        if segment != self.segment:
            self.flush()
            self.segment = segment
            self.starts.append(len(self.messages))

    def response(self, key: str, blocks: list[Written]) -> None:
        """Hear a line of a response; a call that it has already is a copy (B067)."""
        if key not in self.responses:
            self.flush()
            self.responses[key] = len(self.messages)
            self._add("assistant", [])
        number = self.responses[key]
        content: list[Mapping[str, Any]] = self.messages[number]["content"]
        calls = {block.get("id") for block in content if block["type"] == "tool_use"}
        for block, line in blocks:
            if block["type"] != "tool_use" or block.get("id") not in calls:
                content.append(block)
                self.lines[number].append(line)

    def user(self, blocks: list[Written]) -> None:
        """Hear a user's line: the results it begins with are answers, the rest is said beside them."""
        ahead = next((n for n, (block, _) in enumerate(blocks) if block["type"] != "tool_result"), len(blocks))
        self.results += blocks[:ahead]
        if ahead < len(blocks):
            self.said.append(blocks[ahead:])

    def flush(self) -> None:
        """Write down what the user's side has said since the last response."""
        if self.results:
            order = self._order()
            self._add("user", sorted(self.results, key=lambda result: order(result[0])))
        for blocks in self.said:
            self._add("user", blocks)
        self.results, self.said = [], []

    def _order(self) -> Callable[[Mapping[str, Any]], int]:
        asked = self.messages[-1]["content"] if self.messages else []
        order = {block.get("id"): n for n, block in enumerate(asked)}
        return lambda result: order.get(result.get("tool_use_id"), len(order))

    def _add(self, role: str, blocks: list[Written]) -> None:
        self.messages.append({"role": role, "content": [block for block, _ in blocks]})
        self.lines.append([line for _, line in blocks])


class _Listener(Sorter):
    """Sorts a session's records, and writes down what each message line says."""

    def __init__(self, findings: Findings, *, contents: bool) -> None:
        super().__init__(findings, None)
        self._contents = contents
        self.heard: dict[str | None, _Conversation] = {}

    def _response(
        self, value: dict[str, Any], message: dict[str, Any], blocks: list[dict[str, Any]], conversation: Conversation
    ) -> None:
        super()._response(value, message, blocks, conversation)
        turn = conversation.last_turn
        if turn is not None and message.get("model") != "<synthetic>":
            self._goes_on(conversation).response(turn.key, self._placed(blocks))

    def _user(self, value: dict[str, Any], blocks: list[dict[str, Any]], conversation: Conversation) -> None:
        super()._user(value, blocks, conversation)
        self._goes_on(conversation).user(self._placed(blocks))

    def _goes_on(self, conversation: Conversation) -> _Conversation:
        segment = self._findings.counts.compactions
        heard = self.heard.setdefault(conversation.agent, _Conversation(segment=segment))
        heard.enter(segment)
        return heard

    def _placed(self, blocks: list[dict[str, Any]]) -> list[Written]:
        line, _ = self._findings.place
        typed = (block for block in blocks if isinstance(block.get("type"), str))
        return [(block if self._contents else _bare(block), line) for block in typed]


class _StreamJsonListener(_Listener, StreamJson):
    """Listens to lines that have other names for what a transcript's say."""


_LISTENERS: Final = {CLAUDE_TRANSCRIPT.name: _Listener, STREAM_JSON.name: _StreamJsonListener}
SESSIONS: Final = frozenset(_LISTENERS)
"""The names of the formats that tell whole messages."""


def read_session(path: Path, *, contents: bool = True, on_progress: OnProgress | None = None) -> HistoryFile:
    """Read a transcript, or stream-json output, as histories, the main conversation first; damage is told.

    Args:
        path: the session.
        contents: whether to keep what blocks hold besides types and ids; judging needs no more than these.
        on_progress: takes bytes read and bytes in all, about once a megabyte.

    Raises:
        TraceError: the file as a whole is no session, or one of a format that does not tell whole messages.
    """
    source = sniff(path)
    if source.name not in SESSIONS:
        formats = " or ".join(sorted(SESSIONS))
        raise TraceError(f"{path}: this is {source.name}; a history is read from messages, or from {formats}")
    findings = Findings()
    listener = _LISTENERS[source.name](findings, contents=contents)
    size = path.stat().st_size
    with path.open("rb", buffering=BUFFER_BYTES) as stream:
        forward = None if on_progress is None else lambda done: on_progress(done, size)
        for record in records(stream, findings, forward):
            findings.begin(record.line, record.offset)
            listener.take(record)
            listener.queue.clear()
    given = []
    for agent, heard in sorted(listener.heard.items(), key=lambda item: item[0] or ""):
        heard.flush()
        rest = {} if agent is None else {"agent": agent}
        given.append(History(heard.messages, heard.lines, tuple(heard.starts), growing=True, rest=rest))
    return HistoryFile("session", given, findings.damage, source.name)


def _bare(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: block[key] for key in ("type", "id", "tool_use_id") if key in block}
