"""Sort a transcript's records into open turns: what each line adds to which turn of which conversation.

The rule: lines of one message id are one response whatever stands between them (B090, B091, B095); every block of
every message is looked at (B102); what fits nowhere is reported, never dropped in silence.
"""

from collections import deque
from typing import Any, Final

from .builtins import classify
from .conversations import Conversations
from .fields import instant_ns, printable, reported_ns
from .findings import Findings
from .lines import Record
from .model import StrayResult
from .opened import Conversation, OpenCall, OpenTurn
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


class Sorter:
    """Take records one by one; ``queue`` holds the responses they opened, in file order, to be handed out when closed.

    ``seen`` holds the answered calls of this file and those before it, as hashes of (message id, call id): a call that
    is among them when its response begins is a copy (B094).
    """

    def __init__(self, findings: Findings, seen: set[int]) -> None:
        self.queue: deque[OpenTurn] = deque()
        self.conversations = Conversations()
        self._findings = findings
        self._seen = seen
        self._uuids: dict[str, int] = {}
        self._older_uuids: dict[str, int] = {}
        self._call_ids: set[int] = set()

    def take(self, record: Record) -> None:
        """Sort one record by its type; whatever is no message is transparent (B091)."""
        findings, value = self._findings, record.value
        counts = findings.counts
        findings.place = (record.line, record.offset)
        counts.records += 1
        kind = value.get("type")
        if not isinstance(kind, str):
            counts.unknown_types["none"] += 1
            findings.report("a record without a type, skipped")
            return
        counts.types[kind] += 1
        if kind not in KNOWN_TYPES:
            counts.unknown_types[printable(kind)] += 1
        conversation = self.conversations.of(value)
        if kind == "progress":
            _note_progress(value, conversation)
            return
        is_message = kind in ("assistant", "user")
        if self._is_copy(record, is_message=is_message):
            return
        if is_message:
            self._message(kind, value, conversation)
        elif kind == "system" and value.get("subtype") == "compact_boundary":
            counts.compactions += 1

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
            self._findings.report(f"uuid {printable(uuid)} again, with other content; both lines are kept")
        return False

    def _message(self, kind: str, value: dict[str, Any], conversation: Conversation) -> None:
        message, version = value.get("message"), value.get("version")
        if isinstance(version, str) and version not in self._findings.versions:
            self._findings.versions.append(version)
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
        place, at_ns = self._findings.place, instant_ns(value.get("timestamp"))
        key = message.get("id") or value.get("requestId")
        if not isinstance(key, str) or not key:
            key = f"record {self._findings.counts.records}"
        turn = conversation.turns.get(key)
        if turn is None:
            version = value.get("version")
            turn = OpenTurn(key, place, conversation.agent, self._findings.counts.compactions)
            turn.version = version if isinstance(version, str) else None
            turn.first_ns = at_ns
            conversation.begin(turn)
            self.queue.append(turn)
            if conversation.agent is None:
                self.conversations.main_went_on()
        turn.arrived(at_ns)
        for block in blocks:
            if block.get("type") == "tool_use":
                self._call(block, at_ns, turn, conversation)
        conversation.saw(at_ns, turn)

    def _call(self, block: dict[str, Any], at_ns: int | None, turn: OpenTurn, conversation: Conversation) -> None:
        call_id, tool, given = block.get("id"), block.get("name"), block.get("input")
        if not isinstance(call_id, str) or not call_id:
            self._findings.report("a tool_use without an id, skipped: nothing can answer it")
            return
        call_id = printable(call_id)
        tool = printable(tool) if isinstance(tool, str) and tool else "?"
        given = given if isinstance(given, dict) else None
        earlier = turn.calls.get(call_id)
        if earlier is not None:
            self._findings.counts.copied_calls += 1
            if (earlier.tool, earlier.input) != (tool, given):
                kept = f"the first one, on line {earlier.place[0]}, is kept"
                self._findings.report(f"tool_use {call_id} again with other content; {kept}")
            return
        call = OpenCall(call_id, tool, classify(tool), given, self._findings.place, at_ns)
        call.copy = hash((turn.key, call_id)) in self._seen
        self._findings.counts.copied_calls += call.copy
        if hash(call_id) in self._call_ids and not call.copy:
            self._findings.report(f"tool_use id {call_id} was used by an earlier response")
        self._call_ids.add(hash(call_id))
        turn.calls[call_id] = call
        conversation.calls[call_id] = (turn, call)

    def _user(self, value: dict[str, Any], blocks: list[dict[str, Any]], conversation: Conversation) -> None:
        at_ns = instant_ns(value.get("timestamp"))
        results = [block for block in blocks if block.get("type") == "tool_result"]
        detail = value.get("toolUseResult") if len(results) == 1 else None
        answered: OpenTurn | None = None
        for n, block in enumerate(results, start=1):
            found = self._result(block, detail, at_ns, conversation)
            if found is not None:
                answered, call = found
                call.shared_line = n < len(results)
        if len(results) < len(blocks) and any(_is_interrupt(block) for block in blocks):
            self._findings.counts.interrupts += 1
            if conversation.current is not None:
                conversation.current.interrupted_ns = at_ns
        conversation.saw(at_ns, answered)

    def _result(
        self, block: dict[str, Any], detail: object, at_ns: int | None, conversation: Conversation
    ) -> tuple[OpenTurn, OpenCall] | None:
        """Pair one result and give its call, if it is the first for that call; later ones are kept aside (B005)."""
        findings = self._findings
        findings.counts.results += 1
        named = block.get("tool_use_id")
        call_id = printable(named) if isinstance(named, str) else "?"
        found = conversation.calls.get(call_id)
        if found is None:
            self._stray(call_id, at_ns, conversation)
            return None
        turn, call = found
        call.result_count += 1
        if call.result_place is not None:
            what = f"a further result of {call_id}, answered on line {call.result_place[0]}; the first one counts"
            findings.counts.duplicate_results += 1
            findings.report(what)
            turn.duplicates.append(StrayResult(call_id, findings.place[0], at_ns, what))
            return None
        call.result_place = findings.place
        self._seen.add(hash((turn.key, call_id)))
        turn.emitted.append(call_id)
        if turn.segment != findings.counts.compactions:
            call.split = True
            findings.report(f"result of {call_id} (called on line {call.place[0]}) is split from it by compaction")
            return found
        call.ended_ns = at_ns
        call.outcome = outcome_of(block.get("content"), block.get("is_error"), detail)
        call.reported_ns = reported_ns(detail)
        return found

    def _stray(self, call_id: str, at_ns: int | None, conversation: Conversation) -> None:
        """Keep a result that pairs with nothing, with the turn it stands in."""
        if hash(call_id) not in self._call_ids:
            why = "but no call of that id stands before it"
        elif any(call_id in other.calls for other in self.conversations):
            why = "whose call belongs to another conversation"
        else:
            why = "whose turn was over: answered already, or too late"
        stray = StrayResult(call_id, self._findings.place[0], at_ns, f"tool_result for {call_id}, {why}")
        self._findings.counts.stray_results += 1
        self._findings.strays.append(stray)
        self._findings.report(stray.what)
        current = conversation.current
        (conversation.strays if current is None or current.closed else current.unmatched).append(stray)


def _is_interrupt(block: dict[str, Any]) -> bool:
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and text.strip() in INTERRUPTS


def _note_progress(value: dict[str, Any], conversation: Conversation) -> None:
    """Note a hook's or a tool's sign of life with its call, which ``parentToolUseID`` names."""
    data, call_id, at_ns = value.get("data"), value.get("parentToolUseID"), instant_ns(value.get("timestamp"))
    found = conversation.calls.get(call_id) if isinstance(call_id, str) else None
    if found is None or not isinstance(data, dict) or at_ns is None:
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
