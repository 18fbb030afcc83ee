"""Sort a transcript's records into open turns: what each line adds to which turn of which conversation.

The rule: lines of one message id are one response whatever stands between them (B090, B091, B095); every block of
every message is looked at (B102); what fits nowhere is reported, never dropped in silence.
"""

from typing import Any, ClassVar, Final

from ..visible import visible
from .collecting import Collector
from .fields import instant_ns, reported_ns
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Conversation, OpenTurn
from .outcomes import INTERRUPTS, outcome_of

KNOWN_TYPES: Final = frozenset(
    (
        *("assistant", "user", "progress", "system", "summary", "attachment", "queue-operation"),
        *("file-history-snapshot", "pr-link", "last-prompt", "mode", "permission-mode", "ai-title", "custom-title"),
        *("agent-name", "tag", "cost-state", "saved_hook_context"),
    )
)
"""Types of lines that transcripts are known to have; others are counted and passed over."""

_DAY_S: Final = 86_400

_REMEMBERED: Final = 2048
"""Messages whose uuid is remembered at least."""


class Sorter(Collector):
    """Takes the records of a transcript."""

    known_types: ClassVar[frozenset[str]] = KNOWN_TYPES

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._uuids: dict[str, int] = {}
        self._older_uuids: dict[str, int] = {}

    def take(self, record: Record) -> None:
        """Sort one record by its type; whatever is no message is transparent (B091)."""
        findings, value = self._findings, record.value
        counts = findings.counts
        kind = value.get("type")
        if not isinstance(kind, str):
            counts.unknown_types["none"] += 1
            findings.report("a record without a type, skipped")
            return
        counts.types[kind] += 1
        if kind not in self.known_types:
            counts.unknown_types[visible(kind)] += 1
        conversation = self.conversations.of(value)
        if kind == "progress":
            data = value.get("data")
            if isinstance(data, dict):
                _note_progress(data, value, conversation)
                if data.get("type") == "agent_progress":
                    self._relayed(data)
            return
        is_message = kind in ("assistant", "user")
        if self._is_copy(record, is_message=is_message):
            return
        if is_message:
            self._message(kind, value, conversation)
        elif kind == "system" and value.get("subtype") == "compact_boundary":
            counts.compactions += 1

    def _relayed(self, data: dict[str, Any]) -> None:
        """Take the message of a sub-agent that a line of its progress carries; its own file has it too (B094, B097)."""
        agent, inner = data.get("agentId"), data.get("message")
        if isinstance(agent, str) and isinstance(inner, dict) and inner.get("type") in ("assistant", "user"):
            self._message(inner["type"], inner, self.conversations.named(agent))

    def _is_copy(self, record: Record, *, is_message: bool) -> bool:
        """Know a message seen shortly before by its uuid; the same uuid with other content is kept and reported (B093).

        Copies from further back are known by their calls, so that memory does not grow with the file.
        """
        uuid = record.value.get("uuid")
        if not isinstance(uuid, str):
            return False
        known = self._uuids.get(uuid) or self._older_uuids.get(uuid)
        if known is None:
            if is_message:
                if len(self._uuids) == _REMEMBERED:
                    self._uuids, self._older_uuids = {}, self._uuids
                self._uuids[uuid] = hash(record.raw)
            return False
        if known == hash(record.raw):
            self._findings.counts.copied_lines += 1
            return True
        self._findings.counts.same_uuid += 1
        if is_message:
            self._findings.report(f"uuid {visible(uuid)} again, with other content; both lines are kept")
        return False

    def _message(self, kind: str, value: dict[str, Any], conversation: Conversation) -> None:
        message = value.get("message")
        self._tells_version(value.get("version"))
        if not isinstance(message, dict):
            self._findings.report(f"{kind} line without a message object, skipped")
            return
        content = message.get("content")
        listed = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(listed, list):
            self._findings.report(f"{kind} message without content, skipped")
            return
        blocks = [block for block in listed if isinstance(block, dict)]
        if len(blocks) < len(listed):
            odd = len(listed) - len(blocks)
            self._findings.report(f"{odd} of {len(listed)} content blocks are no objects, skipped")
        if kind == "assistant":
            self._response(value, message, blocks, conversation)
        else:
            self._user(value, blocks, conversation)

    def _response(
        self, value: dict[str, Any], message: dict[str, Any], blocks: list[dict[str, Any]], conversation: Conversation
    ) -> None:
        if message.get("model") == "<synthetic>":
            self._findings.counts.synthetic += 1
            return
        at_ns = instant_ns(value.get("timestamp"))
        key = message.get("id") or value.get("requestId")
        if not isinstance(key, str) or not key:
            key = f"record {self._findings.counts.records}"
        turn = self._open(key, at_ns, conversation)
        for block in blocks:
            if block.get("type") == "tool_use":
                self._add_call(block.get("id"), block.get("name"), block.get("input"), at_ns, turn, conversation)
        conversation.saw(at_ns, turn)

    def _user(self, value: dict[str, Any], blocks: list[dict[str, Any]], conversation: Conversation) -> None:
        at_ns = instant_ns(value.get("timestamp"))
        results = [block for block in blocks if block.get("type") == "tool_result"]
        detail = value.get("toolUseResult") if len(results) == 1 else None
        answered: OpenTurn | None = None
        for block in results:
            found = self._answer(block.get("tool_use_id"), at_ns, conversation)
            if found is not None:
                answered, call = found
                call.end_bound = block is not results[-1]
                if not call.split:
                    call.outcome = outcome_of(block.get("content"), block.get("is_error"), detail)
                    call.reported_ns = reported_ns(detail)
        if len(results) < len(blocks) and any(_is_interrupt(block) for block in blocks):
            self._interrupt(at_ns, conversation)
        conversation.saw(at_ns, answered)


def _is_interrupt(block: dict[str, Any]) -> bool:
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and text.strip() in INTERRUPTS


def _note_progress(data: dict[str, Any], value: dict[str, Any], conversation: Conversation) -> None:
    """Note a hook's or a tool's sign of life with its call, which ``parentToolUseID`` names."""
    call_id = value.get("parentToolUseID")
    found = conversation.calls.get(call_id) if isinstance(call_id, str) else None
    at_ns = None if found is None else instant_ns(value.get("timestamp"))
    if found is None or at_ns is None:
        return
    call = found[1]
    if data.get("type") == "hook_progress":
        if data.get("hookEvent") == "PreToolUse" and call.hook_ns is None:
            call.hook_ns = at_ns
        return
    elapsed_s = data.get("elapsedTimeSeconds")
    if call.first_progress_ns is None and isinstance(elapsed_s, int | float) and 0 <= elapsed_s < _DAY_S:
        call.first_progress_ns = at_ns - round(elapsed_s * 1_000_000_000)
    call.progress_ns.append(at_ns)
