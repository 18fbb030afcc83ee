"""Which result answers which call.

The rule: by id alone (B047). Where an id was used again, a result belongs to the last call before it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from .blocks import Block, Message, Run, runs_of


@dataclass(slots=True)
class Asked:
    """A call and everything that names its id; ``first`` is the call that had its id before it, if one had."""

    block: Block
    run: int
    first: "Asked | None" = None
    results: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Pairs:
    """A history's calls with their results, and what pairs with nothing.

    ``copies`` are calls that repeat the id of another one of the same run. ``nameless`` are calls and results without
    an id; ``foreign`` calls in a user's message. Server-side calls are ``unserved`` where no result of theirs follows.
    """

    runs: list[Run]
    run_of: dict[int, int]
    asked: list[Asked] = field(default_factory=list)
    copies: list[tuple[Block, Asked]] = field(default_factory=list)
    orphans: list[Block] = field(default_factory=list)
    nameless: list[Block] = field(default_factory=list)
    foreign: list[Block] = field(default_factory=list)
    unserved: list[Block] = field(default_factory=list)

    def answers(self, call: Asked) -> list[Block]:
        """Give the results of a call that stand where they belong: in the user's run right after it."""
        return [block for block in call.results if block.role == "user" and self.is_next(call, block)]

    def counted(self, call: Asked) -> Block:
        """Give the result of a call that counts if it has several: the first in its right place, else the first."""
        return next(iter(self.answers(call)), call.results[0])

    def is_next(self, call: Asked, result: Block) -> bool:
        """Whether a result stands in the run right after its call's, in the same segment."""
        run = self.run_of[result.place.message]
        return run == call.run + 1 and self.runs[run].segment == self.runs[call.run].segment

    def is_over(self, call: Asked, *, growing: bool) -> bool:
        """Whether a call without a result can have none any more.

        Args:
            call: the call.
            growing: whether results come one by one, so that the last run may lack some yet (B010).
        """
        following = self.runs[call.run + 1 :]
        if growing and len(following) == 1:
            return not all(block.is_result for block in following[0].blocks)
        return bool(following)


def pair(messages: Sequence[Message], starts: Collection[int] = ()) -> Pairs:
    """Pair a history's results with its calls.

    Raises:
        HistoryError: something is no message of the Messages API.
    """
    runs = runs_of(messages, starts)
    pairs = Pairs(runs, {number: n for n, run in enumerate(runs) for number in run.messages})
    by_id: dict[str, list[Asked]] = {}
    for n, run in enumerate(runs):
        for block in run.blocks:
            if block.is_call:
                _take_call(block, n, pairs, by_id)
    for run in runs:
        for block in run.blocks:
            if block.is_result:
                _take_result(block, pairs, by_id)
    _take_server_side(pairs)
    return pairs


def _take_call(block: Block, run: int, pairs: Pairs, by_id: dict[str, list[Asked]]) -> None:
    if block.role == "user":
        pairs.foreign.append(block)
    elif block.call_id is None:
        pairs.nameless.append(block)
        pairs.asked.append(Asked(block, run))
    else:
        same = by_id.setdefault(block.call_id, [])
        if same and same[-1].run == run:
            pairs.copies.append((block, same[-1]))
            return
        call = Asked(block, run, same[0] if same else None)
        same.append(call)
        pairs.asked.append(call)


def _take_result(block: Block, pairs: Pairs, by_id: dict[str, list[Asked]]) -> None:
    if block.call_id is None:
        pairs.nameless.append(block)
    elif block.call_id not in by_id:
        pairs.orphans.append(block)
    else:
        same = by_id[block.call_id]
        before = [call for call in same if call.block.place < block.place]
        (before[-1] if before else same[0]).results.append(block)


def _take_server_side(pairs: Pairs) -> None:
    """Pair the server's own calls, which it answers itself; the last response may be paused before it does (B020)."""
    last = max((n for n, run in enumerate(pairs.runs) if run.role == "assistant"), default=0)
    waiting: dict[tuple[int, str | None], list[tuple[int, Block]]] = {}
    for n, run in enumerate(pairs.runs):
        for block in run.blocks:
            key = (run.segment, block.call_id)
            if block.is_server_call and run.role == "user":
                pairs.foreign.append(block)
            elif block.is_server_call:
                waiting.setdefault(key, []).append((n, block))
            elif block.is_server_result and run.role == "assistant" and waiting.get(key):
                waiting[key].pop(0)
            elif block.is_server_result:
                pairs.orphans.append(block)
    pairs.unserved += [block for calls in waiting.values() for n, block in calls if n < last]
