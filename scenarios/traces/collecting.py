"""Collect a file's responses, calls and results while it is read: what every importer shares.

The rule: an importer says what a record means, this says where it belongs; what fits nowhere is reported, never dropped
in silence. ``queue`` holds the responses in file order, to be handed out when closed. Times in nanoseconds.
"""

from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .builtins import classify
from .conversations import Conversations
from .fields import word
from .findings import Findings
from .fingerprints import Fingerprints, Seen
from .lines import Record
from .model import StrayResult
from .opened import TRANSCRIPT, Conversation, Habits, OpenCall, OpenTurn

NO_NAME: Final = "?"
"""Stands for a name or an id that a file does not give, or gives in a shape that is none."""


class Collector(ABC):
    """Takes a file's records one by one; a subclass for each source knows what they mean.

    Args:
        findings: takes what is damaged or odd, and counts.
        seen: the answered calls of this file and those before it, as hashes of (message id, call id): a call that is
            among them when its response begins is a copy (B094). ``None`` where there is only this file.
    """

    habits: ClassVar[Habits] = TRANSCRIPT

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        self.queue: deque[OpenTurn] = deque()
        self.conversations = Conversations()
        self._findings = findings
        shared = seen if self.habits.own_ids else None
        self._seen: Seen = Fingerprints() if shared is None else shared
        self._call_ids = Fingerprints()
        self._has_all_ids = shared is None
        """Whether the id of every call that can have a copy is among them."""
        self._version: str | None = None
        """The version of the program, where one record tells it for all that follow."""

    @abstractmethod
    def take(self, record: Record) -> None:
        """Take one record, which the findings have taken note of."""

    def end(self) -> None:
        """Close everything: the file is over."""
        for conversation in self.conversations:
            conversation.break_off()

    def _tells_version(self, version: object) -> None:
        if version != self._version and isinstance(version, str) and version:
            self._version = visible(version)
            if self._version not in self._findings.versions:
                self._findings.versions.append(self._version)

    def _open(self, key: str, at_ns: int | None, conversation: Conversation) -> OpenTurn:
        """Find the response of a key, or begin it; ``at_ns`` is when the record arrived that speaks of it."""
        turn = conversation.turns.get(key)
        if turn is None:
            turn = OpenTurn(key, self._findings.place, conversation.agent, self._findings.counts.compactions)
            turn.habits, turn.version, turn.first_ns = self.habits, self._version, at_ns
            conversation.begin(turn)
            self.queue.append(turn)
            if conversation.agent is None:
                self.conversations.main_went_on()
        turn.arrived(at_ns)
        return turn

    def _add_call(
        self,
        call_id: object,
        tool: object,
        given: object,
        at_ns: int | None,
        turn: OpenTurn,
        conversation: Conversation,
    ) -> OpenCall | None:
        """Enter one call into its response; ``None`` where nothing can ever answer it, or it stands there already."""
        if not isinstance(call_id, str) or not call_id:
            self._findings.report("a tool_use without an id, skipped: nothing can answer it")
            return None
        call_id = visible(call_id)
        tool = visible(tool) if isinstance(tool, str) and tool else NO_NAME
        given = given if isinstance(given, dict) else None
        earlier = turn.calls.get(call_id)
        if earlier is not None:
            self._findings.counts.copied_calls += 1
            if (earlier.tool, earlier.input) != (tool, given):
                kept = f"the first one, on line {earlier.place[0]}, is kept"
                self._findings.report(f"tool_use {call_id} again with other content; {kept}")
            return None
        call = OpenCall(call_id, tool, classify(tool, self.habits.program), given, self._findings.place, at_ns)
        known = not self._call_ids.add(hash(call_id))
        # A copy's id is known too, if its original stands here: a second witness against one hash for two calls.
        if (known or not self._has_all_ids) and hash((turn.key, call_id)) in self._seen:
            call.copy = turn.copied = True
            self._findings.counts.copied_calls += 1
        elif known:
            self._findings.report(f"tool_use id {call_id} was used by an earlier response")
        turn.calls[call_id] = call
        conversation.calls[call_id] = (turn, call)
        return call

    def _forget_ids(self) -> None:
        """Begin anew with ids: from here on they may be used again."""
        self._call_ids = Fingerprints()
        self._has_all_ids = False

    def _answer(self, named: object, at_ns: int | None, conversation: Conversation) -> tuple[OpenTurn, OpenCall] | None:
        """Pair one result and give its call, if it is the first for that call; later ones are kept aside (B005)."""
        findings = self._findings
        findings.counts.results += 1
        call_id = visible(named) if isinstance(named, str) else NO_NAME
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
        else:
            call.ended_ns = at_ns
        return found

    def _answer_again(self, named: object, outcome: Outcome) -> None:
        """Pair a result that a recorded request brings, unless the file has it already or never had its call.

        Requests repeat all that was said before, also before the file begins.
        """
        main = self.conversations.main
        known = main.calls.get(visible(word(named)))
        if known is None or known[1].result_place is not None:
            self._findings.counts.outside_results += 1
            return
        self._answer(named, None, main)
        known[1].outcome = outcome

    def _interrupt(self, at_ns: int | None, conversation: Conversation) -> None:
        """Note the user's stop with the response it met."""
        self._findings.counts.interrupts += 1
        if conversation.current is not None:
            conversation.current.interrupted_ns = at_ns

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
