"""The rules of pairing and place, judged on a history: P1, P2, P3 and W7.

The rule: a valid history gives no fault (B016), and each kind of fault is found whatever others there are (B015).
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise

from .blocks import Block, Message
from .faults import End, Fault, FaultKind
from .pairs import Asked, Pairs, pair


def lint(messages: Sequence[Message], *, starts: Collection[int] = (), growing: bool = False) -> list[Fault]:
    """Find every broken rule in a history, in the order of the places (P1, P2, P3, W7).

    Calls that the history ends with are open, not unanswered: see :func:`open_calls`.

    Args:
        messages: a list of messages as the Messages API takes them.
        starts: numbers of messages before which the history was compacted; a pair must not lie across (B096).
        growing: whether results come one by one, as in a session file, so that the last ones may still be missing.

    Raises:
        HistoryError: something is no message of the Messages API.

    >>> call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    >>> said = {"role": "assistant", "content": [call]}
    >>> [str(fault) for fault in lint([said, {"role": "user", "content": "go on"}])]
    ['P1 unanswered: t1 has no result (call at messages[0].content[0])']
    """
    pairs = pair(messages, starts)
    found = chain(_alone(pairs), _of_calls(pairs, growing=growing), _of_answers(pairs))
    return sorted(found, key=lambda fault: fault.place)


def open_calls(messages: Sequence[Message], *, starts: Collection[int] = (), growing: bool = False) -> list[str]:
    """Name the calls that a history ends with before their results: no rule is broken by that.

    The arguments and errors are those of :func:`lint`.
    """
    pairs = pair(messages, starts)
    return [_name(call.block) for call in pairs.asked if not call.results and not pairs.is_over(call, growing=growing)]


def _alone(pairs: Pairs) -> Iterator[Fault]:
    """What pairs with nothing, or has no name to pair by (P2); calls that are no response's (P3)."""
    for block in pairs.orphans:
        what = f"the result of {_name(block)} answers no call of this history"
        yield Fault(FaultKind.ORPHAN, _name(block), what, (End("result", block.place),))
    for block in pairs.nameless:
        part, key = ("call", "id") if block.is_call else ("result", "tool_use_id")
        given = block.value.get(key)
        what = f"a {part} without an id" if given in (None, "") else f"a {part} whose id is no text, but {given!r}"
        yield Fault(FaultKind.NO_ID, "", what, (End(part, block.place),))
    for block in pairs.foreign:
        what = f"the call {_name(block)} stands in a user's message"
        yield Fault(FaultKind.WRONG_ROLE, _name(block), what, (End("call", block.place),))
    for block in pairs.unserved:
        what = f"the server's call {_name(block)} has no result"
        yield Fault(FaultKind.UNANSWERED, _name(block), what, (End("call", block.place),))
    again = [(call.block, call.first) for call in pairs.asked if call.first is not None]
    for block, first in again + pairs.copies:
        ends = (End("call", block.place), End("first call", first.block.place))
        yield Fault(FaultKind.REPEATED_ID, _name(block), f"a second call has the id {_name(block)}", ends)


def _of_calls(pairs: Pairs, *, growing: bool) -> Iterator[Fault]:
    """Each call has one result (P1), in the user's message right after it (P3)."""
    for call in pairs.asked:
        name, asked = _name(call.block), End("call", call.block.place)
        if call.block.call_id is None:
            continue
        if not call.results:
            if pairs.is_over(call, growing=growing):
                yield Fault(FaultKind.UNANSWERED, name, f"{name} has no result", (asked,))
            continue
        answer = pairs.counted(call)
        for other in call.results:
            if other is not answer:
                ends = (End("result", other.place), asked, End("counted result", answer.place))
                yield Fault(FaultKind.DUPLICATE, name, f"one more result of {name} than it has calls", ends)
        kind, how = _misplaced(call, answer, pairs)
        if kind is not None:
            yield Fault(kind, name, f"the result of {name} {how}", (End("result", answer.place), asked))


def _misplaced(call: Asked, answer: Block, pairs: Pairs) -> tuple[FaultKind | None, str]:
    run = pairs.runs[pairs.run_of[answer.place.message]]
    if run.segment != pairs.runs[call.run].segment:
        return FaultKind.SPLIT_BY_COMPACTION, "is split from its call by compaction"
    if answer.role != "user":
        return FaultKind.WRONG_ROLE, "stands in an assistant's message"
    if answer.place < call.block.place:
        return FaultKind.EARLY, "stands before its call"
    if not pairs.is_next(call, answer):
        return FaultKind.LATE, "comes after the next response"
    return None, ""


def _of_answers(pairs: Pairs) -> Iterator[Fault]:
    """The results of a response stand first in one message (P3), all of them there and in request order (W7)."""
    by_run: dict[int, list[Block]] = {}
    for call in pairs.asked:
        if answers := pairs.answers(call):
            by_run.setdefault(call.run + 1, []).append(answers[0])
    for number, asked_for in by_run.items():
        standing = sorted(asked_for, key=lambda block: block.place)
        before = next((block for block in pairs.runs[number].blocks if not block.is_result), standing[-1])
        behind = next((block for block in standing if block.place > before.place), None)
        if behind is not None:
            what = f"{before.kind} stands before the result of {_name(behind)}"
            ends = (End("result", behind.place), End(before.kind, before.place))
            yield Fault(FaultKind.NOT_FIRST, _name(behind), what, ends)
        for one, other in pairwise(standing):
            if one.place.message != other.place.message:
                ends = (End("result", other.place), End(f"result of {_name(one)}", one.place))
                yield Fault(FaultKind.SPLIT, _name(other), "results of one response in several messages", ends)
        if standing != asked_for:
            wrong, due = next((one, other) for one, other in zip(standing, asked_for, strict=True) if one is not other)
            what = f"the result of {_name(wrong)} stands before that of the earlier call {_name(due)}"
            ends = (End("result", wrong.place), End(f"result of {_name(due)}", due.place))
            yield Fault(FaultKind.OUT_OF_ORDER, _name(wrong), what, ends)


def _name(block: Block) -> str:
    return block.call_id or "?"
