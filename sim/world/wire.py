"""The plan of a response before it is played: which block, or which bytes, arrive when; pure, nothing waits.

The rule: a block is complete at its own instant however the bytes are cut. Times in nanoseconds from the request.
"""

import json
import random
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from typing import Final, NamedTuple

from executor.wire.faults import StreamFailure
from scenarios.draws import Draws
from scenarios.model import Attempt, Call
from scenarios.response import Stream

from .tokens import Token, WireEvent, instants_ns, tokens_of

_LINE_ENDS: Final = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_LONGEST_CUT: Final = 40
"""The longest piece of bytes that are cut at random."""

_LOST: Final = 9
"""How many bytes are lost with a connection that breaks within a block: some of the event's own (B064)."""

_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class ResponseFailed(Exception):
    """The response broke off; the argument says how."""


class Plan(NamedTuple):
    """What arrives when, and how it ends.

    Args:
        arrivals: instants, and with each a call whose block is complete, or bytes.
        end_ns: when the response ends.
        last: the bytes that come with the end.
        told: what the log says of its failure, ``None`` where it is none.
        failure: what reading on raises at the end, ``None`` where it just ends.
    """

    arrivals: list[tuple[int, Call | bytes]]
    end_ns: int
    last: bytes
    told: str | None
    failure: Exception | None


def planned(attempt: Attempt, stream: Stream, draws: Draws, name: str) -> Plan:
    """Plan a response.

    Args:
        attempt: what it brings.
        stream: how it comes in.
        draws: what is left open, its instants and its cuts.
        name: the id of its message.
    """
    told = failure = None
    if attempt.end is not None and attempt.end.do == "stream_error":
        told = attempt.end.error or "the stream broke off"
        failure = failure_of(told)
    if stream.level == "blocks" and stream.rate is None:
        arrivals: list[tuple[int, Call | bytes]] = [(call.at_ns, call) for call in attempt.calls if not call.cut]
        return Plan(arrivals, attempt.end_ns, b"", told, failure)
    timed, end_ns = _timed(attempt, stream, draws, name)
    if stream.level == "blocks":
        arrivals = [(at_ns, token.call) for at_ns, token in timed if token.completes and token.call is not None]
        return Plan(arrivals, end_ns, b"", told, failure)
    groups = [
        (at_ns, [event for _, token in group for event in token.events])
        for (at_ns, _), group in groupby(timed, key=lambda arrival: (arrival[0], id(arrival[1].call)))
    ]
    groups.append((end_ns, list(_last_words(attempt, stream, failure))))
    groups[0][1].insert(0, {"type": "message_start", "message": {"id": name, "role": "assistant", "content": []}})
    pieces = list(_pieces(merge(groups, _pings(stream, end_ns), key=lambda group: group[0]), stream, draws, name))
    last = pieces.pop()[1] if groups[-1][1] else b""
    if not last and attempt.calls and attempt.calls[-1].cut:
        at_ns, data = pieces.pop()
        pieces.append((at_ns, data[:-_LOST]))
    # The executor has to find out by itself what it can read from the bytes or from their end.
    return Plan([*pieces], end_ns, last, told, None if isinstance(failure, StreamFailure) else failure)


def failure_of(told: str) -> Exception:
    """Give what a response fails with: the API's own errors and an early end are known to the executor (W3)."""
    if told == "eof":
        return StreamFailure("incomplete_stream", "the stream ended before message_stop", 0)
    if told.endswith("_error"):
        return StreamFailure(told, "the scenario says so", 0)
    return ResponseFailed(told)


def _timed(attempt: Attempt, stream: Stream, draws: Draws, name: str) -> tuple[list[tuple[int, Token]], int]:
    """Give each token with its instant, and the instant of the end, after which nothing comes."""
    tokens = tokens_of(attempt, stream)
    if stream.rate is None:
        end_ns = attempt.end_ns
        return [(end_ns if token.call is None else token.call.at_ns, token) for token in tokens], end_ns
    instants = instants_ns(stream, draws, name)
    # Where the tokens run out no instant has been taken for the next: that one is the end's.
    timed = [(at_ns, token) for token, at_ns in zip(tokens, instants, strict=False)]
    end_ns = next(instants) if attempt.end is None else attempt.end.at_ns
    return [arrival for arrival in timed if arrival[0] <= end_ns], end_ns


def _last_words(attempt: Attempt, stream: Stream, failure: Exception | None) -> Iterator[WireEvent]:
    """Give the events with which a response ends; one whose connection breaks has none."""
    if failure is None:
        reason = stream.stop_reason or ("tool_use" if attempt.calls else "end_turn")
        yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}
    elif isinstance(failure, StreamFailure) and failure.error_type != "incomplete_stream":
        yield {"type": "error", "error": {"type": failure.error_type, "message": failure.message}}


def _pings(stream: Stream, end_ns: int) -> Iterator[tuple[int, list[WireEvent]]]:
    if stream.pings_ns is not None:
        for at_ns in range(stream.pings_ns, end_ns, stream.pings_ns):
            yield at_ns, [{"type": "ping"}]


def _pieces(
    groups: Iterable[tuple[int, list[WireEvent]]], stream: Stream, draws: Draws, name: str
) -> Iterator[tuple[int, bytes]]:
    """Cut what arrives; the last piece of each instant arrives then, those before it evenly since what came before."""
    rng = draws.stream(name, "cuts") if stream.chunks == "random" else None
    line_end = _LINE_ENDS[stream.lines]
    before_ns = 0
    for at_ns, events in groups:
        written = [_written(event, line_end) for event in events]
        pieces = written if stream.chunks == "events" else list(_cut(b"".join(written), stream.chunks, rng))
        for n, piece in enumerate(pieces, start=1):
            yield before_ns + (at_ns - before_ns) * n // len(pieces), piece
        before_ns = at_ns


def _cut(data: bytes, chunks: str | int, rng: random.Random | None) -> Iterator[bytes]:
    """Cut bytes at random with ``rng``, else every so many.

    The last two stay together: where lines end with CRLF the last event is over at its CR already.
    """
    at = 0
    while at < len(data):
        size = len(data) if isinstance(chunks, str) else chunks
        if rng is not None:
            size = rng.randint(1, _LONGEST_CUT)
        if at + size == len(data) - 1:
            size += 1
        yield data[at : at + size]
        at += size


def _written(event: WireEvent, line_end: str) -> bytes:
    return f"event: {event['type']}{line_end}data: {_json(event)}{line_end}{line_end}".encode()
