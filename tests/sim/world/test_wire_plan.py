"""What a response is planned to bring before it is played: its events in order, its pieces and their instants."""

import json

import pytest

from executor.wire.sse import SSEDecoder
from scenarios import Attempt, Call, Happening, Stream
from scenarios.draws import Draws
from sim.world.wire import Plan, planned

CALLS = (Call(id="a", at="1s", input={"x": 1}), Call(id="b", at="2s", input={"y": 2}))


def plan(**words: object) -> Plan:
    return planned(Attempt(calls=CALLS), Stream(level="bytes", **words), Draws(0), "m")  # type: ignore[arg-type]


def events_of(planned_one: Plan) -> list[str]:
    """The events in the order in which they arrive, as ``type index``, deltas run together."""
    decoder = SSEDecoder()
    pieces = [piece for _, piece in planned_one.arrivals if isinstance(piece, bytes)]
    told: list[str] = []
    for piece in [*pieces, planned_one.last]:
        for event in decoder.feed(piece):
            payload = json.loads(event.data)
            words = f"{event.event} {payload.get('index', '')}".strip()
            if not told or told[-1] != words:
                told.append(words)
    return told


START, DELTA, STOP = "content_block_start", "content_block_delta", "content_block_stop"


def test_blocks_come_one_after_the_other_with_text_before_each_and_thinking_before_all() -> None:
    assert events_of(plan(thinking=2, text=1)) == [
        "message_start",
        *(f"{what} {index}" for index in range(5) for what in (START, DELTA, STOP)),
        "message_delta", "message_stop",
    ]  # fmt: skip


def test_interleaved_each_block_begins_before_the_one_before_it_is_complete() -> None:
    """W6."""
    assert events_of(plan(interleaved=True)) == [
        "message_start",
        f"{START} 0", f"{DELTA} 0", f"{START} 1", f"{DELTA} 1", f"{DELTA} 0", f"{STOP} 0", f"{DELTA} 1", f"{STOP} 1",
        "message_delta", "message_stop",
    ]  # fmt: skip


def test_unknown_events_and_pings_come_in_between() -> None:
    """W2."""
    told = events_of(plan(unknown=True, pings="800ms"))
    assert told[:5] == ["ping", "message_start", "brand_new_event", f"{START} 0", f"{DELTA} 0"]
    assert told.count("ping") == 2


@pytest.mark.parametrize(
    ("chunks", "instants_ms"), [("whole", [1000, 2000]), (200, [333, 666, 1000, 1333, 1666, 2000])]
)
def test_the_last_piece_of_what_arrives_at_an_instant_arrives_then_and_the_others_evenly_before(
    chunks: object, instants_ms: list[int]
) -> None:
    arrivals = plan(chunks=chunks).arrivals
    assert [at_ns // 10**6 for at_ns, _ in arrivals][: len(instants_ms)] == instants_ms
    assert all(len(piece) <= 200 for _, piece in arrivals if chunks == 200 and isinstance(piece, bytes))


@pytest.mark.parametrize("chunks", ["events", "random", 1, 17])
def test_the_bytes_are_the_same_in_any_cut(chunks: object) -> None:
    def whole(cut: object) -> bytes:
        pieces = plan(chunks=cut, text=6, lines="crlf")
        return b"".join(piece for _, piece in pieces.arrivals if isinstance(piece, bytes)) + pieces.last

    assert whole(chunks) == whole("whole")


def test_random_cuts_fall_within_characters_and_line_ends() -> None:
    """W1: what the decoder has to bear is really there, in some cut of a hundred."""
    cuts = set()
    for seed in range(100):
        stream = Stream(level="bytes", chunks="random", lines="crlf", text=6)
        for _, piece in planned(Attempt(calls=CALLS), stream, Draws(seed), "m").arrivals:
            assert isinstance(piece, bytes)
            cuts.add("line end" if piece.endswith(b"\r") else "")
            cuts.add("character" if piece[0] & 0b1100_0000 == 0b1000_0000 else "")
    assert cuts == {"", "line end", "character"}


def test_an_error_is_an_event_and_a_broken_connection_is_none() -> None:
    """W3."""
    for error, last, raises in [("overloaded_error", ["error"], False), ("eof", [], False), ("gone", [], True)]:
        ends = Happening(at="3s", do="stream_error", error=error)
        one = planned(Attempt(calls=CALLS, events=[ends]), Stream(level="bytes"), Draws(0), "m")
        assert events_of(one)[-1:] == (last or [f"{STOP} 1"])
        assert ((one.failure is not None), one.told) == (raises, error)
