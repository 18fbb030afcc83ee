"""What a response says, token by token, and when each token comes; pure, nothing waits.

The rule: without a rate all that belongs to a call comes at the call's own instant, with one each token at its own.
Times in nanoseconds from the response's request.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import chain, count, cycle, islice
from typing import Any, Final, NamedTuple

from scenarios.draws import Draws
from scenarios.durations import draw_ns
from scenarios.model import Attempt, Call
from scenarios.response import Stream

WireEvent = Mapping[str, Any]
"""An event of the Messages API's stream, as JSON has it."""

_WORDS: Final = ("so ", "é", "漢字", "🦀 ", "then ", "\\n")
"""What the model says: one to four bytes a character, so that chunks are cut in every way."""

_TOKEN: Final = 4
"""How many characters of an input make a token."""


class Token(NamedTuple):
    """What comes at one instant: events, the call they belong to, and whether its block is complete with them."""

    call: Call | None
    events: tuple[WireEvent, ...]
    completes: bool = False


def tokens_of(attempt: Attempt, stream: Stream) -> Iterator[Token]:
    """Give a response's tokens up to its end, which :mod:`~sim.world.wire` adds."""
    index = count()
    first = attempt.calls[0] if attempt.calls else None
    if stream.thinking:
        yield from _spoken("thinking", stream.thinking, next(index), first)
    parts: list[list[Token]] = []
    for call in attempt.calls:
        text = list(_spoken("text", stream.text, next(index), call)) if stream.text else []
        strange = _strange(next(index), call) if stream.unknown else ()
        asked = list(_asked(call, next(index), strange))
        if stream.interleaved and parts and len(asked) > 1:
            before = parts[-1][-1]
            parts[-1][-1] = before._replace(events=(*asked.pop(0).events, *before.events))
        parts.append(text + asked)
    yield from chain.from_iterable(parts)
    if stream.text and not attempt.calls:
        yield from _spoken("text", stream.text, next(index), None)


def instants_ns(stream: Stream, draws: Draws, name: str) -> Iterator[int]:
    """Give the instants of a response's tokens by its rate, without end.

    Args:
        stream: its rate, the time to its first token, its jitter and its stalls.
        draws: what these leave open.
        name: the id of the message.
    """
    assert stream.rate is not None, "a stream without a rate has its instants from its calls"
    jitter = draws.stream(name, "jitter")
    late_ns = draws.duration_ns(stream.first_token, name, "first token")
    stalls = sorted(stream.stalls, key=lambda stall: stall.at_ns)
    for n in count():
        late_ns += draw_ns(stream.jitter, jitter)
        at_ns = round(n * 10**9 / stream.rate) + late_ns
        while stalls and stalls[0].at_ns <= at_ns:
            stall = stalls.pop(0)
            at_ns, late_ns = at_ns + stall.takes_ns, late_ns + stall.takes_ns
        yield at_ns


def _spoken(kind: str, tokens: int, index: int, call: Call | None) -> Iterator[Token]:
    for n, word in enumerate(islice(cycle(_WORDS), tokens)):
        delta = {"type": f"{kind}_delta", kind: word}
        events: list[WireEvent] = [{"type": "content_block_delta", "index": index, "delta": delta}]
        if n == 0:
            block = {"type": kind, kind: ""}
            events.insert(0, {"type": "content_block_start", "index": index, "content_block": block})
        if n == tokens - 1:
            events.append({"type": "content_block_stop", "index": index})
        yield Token(call, tuple(events))


def _asked(call: Call, index: int, strange: tuple[WireEvent, ...]) -> Iterator[Token]:
    """Give a call's block; one that is cut off loses its last token and its end."""
    text = json.dumps(call.input, ensure_ascii=False) if call.raw is None else call.raw
    pieces = [text[at : at + _TOKEN] for at in range(0, len(text), _TOKEN)] or [""]
    if call.cut:
        pieces[-1] = ""
    block = {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}
    events = [*strange, {"type": "content_block_start", "index": index, "content_block": block}]
    for n, piece in enumerate(pieces):
        delta = {"type": "input_json_delta", "partial_json": piece}
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        completes = n == len(pieces) - 1 and not call.cut
        if completes:
            events.append({"type": "content_block_stop", "index": index})
        yield Token(call, tuple(events), completes)
        events = []


def _strange(index: int, call: Call) -> tuple[WireEvent, ...]:
    """Give an event, a block and a delta that nobody knows."""
    return (
        {"type": "brand_new_event", "call": call.id},
        {"type": "content_block_start", "index": index, "content_block": {"type": "brand_new_block"}},
        {"type": "content_block_delta", "index": index, "delta": {"type": "brand_new_delta", "call": call.id}},
        {"type": "content_block_stop", "index": index},
    )
