"""Make a valid history of one that breaks the rules, and say everything that was done.

The rule: what is valid stays as it is, to the object (B016); nothing is changed in silence, and whatever is taken out
is handed back with the place it stood at (B005).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from .blocks import Block, Message, Place
from .draft import Draft
from .pairs import Asked, pair
from .words import MOVED, as_text, no_result


class Deed(NamedTuple):
    """One thing that a repair did: where (in the history as it was), what, and the block that was taken out, if any."""

    place: Place
    what: str
    taken: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


class Repaired(NamedTuple):
    """A valid history, and what was done to make it one; nothing, if it was valid."""

    messages: list[Message]
    deeds: list[Deed]


def repair(messages: Sequence[Message], *, keep: Literal["first", "last"] = "first", close: bool = False) -> Repaired:
    """Make a history valid: calls without a result get one that says so, results go where they belong (P1, P2, P3, W7).

    A result without a call becomes text, a further result of a call is taken out, an id that was used before is
    changed. Messages in which nothing is wrong are handed on as they are.

    Args:
        messages: a list of messages as the Messages API takes them; it is not changed.
        keep: which of several results of one call stays (B005).
        close: whether calls that the history ends with are answered too, because nobody will go on with them.

    Raises:
        HistoryError: something is no message of the Messages API.

    >>> from scenarios.history import lint
    >>> call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    >>> broken = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "go on"}]
    >>> repaired = repair(broken)
    >>> [str(deed) for deed in repaired.deeds]
    ['messages[0].content[0]: t1 has no result, and is given one that says so']
    >>> lint(repaired.messages)
    []
    """
    work = _Work(messages, keep)
    work.name_calls()
    for run, calls in groupby(work.asked, key=lambda call: call.run):
        work.answer(run, list(calls), close=close)
    work.make_text_of_the_rest()
    return Repaired(work.draft.messages(work.pairs.runs, MOVED), sorted(work.deeds, key=lambda deed: deed.place))


class _Work:
    """One repair: what was found, the draft that it changes, and the deeds so far."""

    def __init__(self, messages: Sequence[Message], keep: Literal["first", "last"]) -> None:
        self.pairs = pair(messages)
        self.draft = Draft(messages)
        self.deeds: list[Deed] = []
        self.asked = list(self.pairs.asked)
        self._keep = keep
        self._used = {call.block.call_id for call in self.asked}
        self._ids: dict[Place, str] = {}

    def name_calls(self) -> None:
        """Give each call an id of its own; a copy within one response is taken out (P2, B007, B008)."""
        for block, first in self.pairs.copies:
            if block.value == first.block.value:
                self.draft.put(block.place)
                self._did(block, f"a copy of the call {block.call_id}, taken out", taken=True)
            else:
                self.asked.append(Asked(block, first.run, first))
        self.asked.sort(key=lambda call: call.block.place)
        for call in self.asked:
            block, named = call.block, call.block.call_id
            if named is not None and call.first is None:
                self._ids[block.place] = named
                continue
            fresh = self._fresh(named or f"call_{block.place.message}_{block.place.block}")
            self._ids[block.place] = fresh
            self.draft.put(block.place, {**block.value, "id": fresh})
            why = f"its id {named} is used before" if named else "it has no id"
            self._did(block, f"{why}: the call is now {fresh}")

    def answer(self, run: int, calls: list[Asked], *, close: bool) -> None:
        """Let the results of a response's calls lead the user's message after it, each call having one (P1, P3, W7)."""
        is_last = run + 1 == len(self.pairs.runs)
        if is_last and not close and not any(call.results for call in calls):
            return
        chosen = [self._choose(call) for call in calls]
        values = [
            no_result(self._ids[call.block.place])
            if block is None
            else {**block.value, "tool_use_id": self._ids[call.block.place]}
            for call, block in zip(calls, chosen, strict=True)
        ]
        if is_last:
            self._move(run, [block for block in chosen if block is not None])
            self.draft.answer_after(self.pairs.runs[run].messages[-1], values)
            return
        answering = self.pairs.runs[run + 1].messages[0]
        places = [None if block is None else block.place for block in chosen]
        if places == [Place(answering, n) for n in range(len(places))]:
            for block, value in zip(chosen, values, strict=True):
                if block is not None and block.value != value:
                    self.draft.put(block.place, value)
            return
        self._move(run, [block for block in chosen if block is not None])
        self.draft.lead(answering, values)

    def make_text_of_the_rest(self) -> None:
        """Make text of what can neither be paired nor stay: results of no call, calls of no response (P2, P3)."""
        pairs = self.pairs
        nameless = [block for block in pairs.nameless if block.is_result]
        for block in pairs.orphans + pairs.foreign + pairs.unserved + nameless:
            self.draft.put(block.place, *as_text(block))
            self._did(
                block, f"{block.call_id or 'no id'}: a {block.kind} that pairs with nothing, made text", taken=True
            )

    def _choose(self, call: Asked) -> Block | None:
        """Choose which result of a call stays."""
        if not call.results:
            self._did(call.block, f"{self._ids[call.block.place]} has no result, and is given one that says so")
            return None
        stays = call.results[-1] if self._keep == "last" else self.pairs.counted(call)
        for block in call.results:
            if block is not stays:
                self.draft.put(block.place)
                self._did(
                    block, f"one more result of {block.call_id}, taken out; that at {stays.place} is kept", taken=True
                )
        return stays

    def _move(self, run: int, results: list[Block]) -> None:
        """Take results from where they stand, to be put first in the message after their call."""
        for block in results:
            self.draft.put(block.place)
        standing = [block for block in results if self.pairs.run_of[block.place.message] == run + 1]
        for block in results:
            if block not in standing:
                self._did(block, f"the result of {block.call_id} is moved to the message after its call")
        if standing and not self._is_in_order(run + 1, [block.place for block in standing]):
            what = "the results of this response now stand first, in one message, in the order of their calls"
            self._did(min(standing, key=lambda block: block.place), what)

    def _is_in_order(self, run: int, places: list[Place]) -> bool:
        others = [block.place for block in self.pairs.runs[run].blocks if not block.is_result]
        in_one = len({place.message for place in places}) == 1
        return in_one and places == sorted(places) and not any(other < places[-1] for other in others)

    def _fresh(self, stem: str) -> str:
        number, fresh = 1, stem
        while fresh in self._used:
            number += 1
            fresh = f"{stem}_{number}"
        self._used.add(fresh)
        return fresh

    def _did(self, block: Block, what: str, *, taken: bool = False) -> None:
        self.deeds.append(Deed(block.place, what, block.value if taken else None))
