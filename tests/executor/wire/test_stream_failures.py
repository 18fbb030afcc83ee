"""Responses that break off: typed, told with the event's number, never taken for an end (W3)."""

import asyncio

import pytest

from executor.wire.faults import StreamFailure
from executor.wire.stream import blocks


@pytest.mark.parametrize("as_bytes", [True, False])
def test_an_error_event_ends_the_response_and_keeps_its_type(bench, as_bytes) -> None:
    """W3, B056: the blocks before it were given; the cut one was not."""
    events = [bench.start(), *bench.block(0, "a", "{}"), bench.opens(1, "b"), bench.grows(1, '{"pa')]
    events.append(bench.error("overloaded_error", "Overloaded"))
    reading = bench.read([bench.sse(events)] if as_bytes else events)
    assert reading.calls == [("a", {})]
    failure = reading.failure
    assert isinstance(failure, StreamFailure)
    assert (failure.error_type, failure.message, failure.event) == ("overloaded_error", "Overloaded", 7)
    assert str(failure) == "overloaded_error: Overloaded (event 7)"


@pytest.mark.parametrize(
    ("kind", "retryable"),
    [("overloaded_error", True), ("api_error", True), ("rate_limit_error", True), ("invalid_request_error", False)],
)
def test_only_an_invalid_request_is_not_worth_asking_again(bench, kind, retryable) -> None:
    """W3."""
    assert bench.read([bench.start(), bench.error(kind)]).failure.retryable is retryable


@pytest.mark.parametrize("length", range(7))
@pytest.mark.parametrize("as_bytes", [True, False])
def test_an_end_anywhere_before_message_stop_is_a_failure(bench, length, as_bytes) -> None:
    """W3, B057, B068: also right after the stop reason; a block that is still open is not given."""
    events = [bench.start(), *bench.block(0, "a", '{"path":', '"a"}'), *bench.ends("max_tokens")][:length]
    reading = bench.read([bench.sse(events)] if as_bytes else events)
    assert isinstance(reading.failure, StreamFailure)
    assert (reading.failure.error_type, reading.failure.event) == ("incomplete_stream", length)
    assert reading.failure.retryable
    assert [block.id for block in reading.blocks] == (["a"] if length >= 5 else [])


def test_running_into_max_tokens_is_an_end_like_any_other(bench) -> None:
    """W3: different from an end that breaks off."""
    reading = bench.read([bench.start(), *bench.text(0, "so"), *bench.ends("max_tokens")])
    assert (reading.failure, reading.stream.stop_reason) == (None, "max_tokens")


def test_a_last_event_without_its_blank_line_does_not_count_and_is_told(bench) -> None:
    """W3, B064: the message is not complete by it."""
    data = bench.sse([bench.start(), *bench.ends()]).removesuffix(b"\n\n")
    failure = bench.read([data]).failure
    assert isinstance(failure, StreamFailure)
    assert failure.message.startswith("the stream ended before message_stop; an event was cut off and left out: ")
    assert "message_stop" in failure.message.rpartition("left out: ")[2]


def test_what_is_cut_off_after_the_message_is_over_is_a_fault_only(bench) -> None:
    """B064."""
    reading = bench.read([bench.sse([bench.start(), *bench.ends()]), b"event: ping\ndata: {}"])
    assert (reading.failure, reading.faults) == (None, [(3, None)])
    assert "'event: ping\\ndata: {}'" in str(reading.stream.faults[0])


def test_a_lost_connection_is_told_as_the_source_tells_it(bench) -> None:
    """W3: the client library's own exception, with all it knows."""
    gone = ConnectionError("gone")

    async def source():
        yield bench.sse([bench.start(), *bench.block(0, "a", "{}")])
        raise gone

    async def main() -> None:
        stream = blocks(source())
        assert (await anext(stream)).id == "a"
        with pytest.raises(ConnectionError) as caught:
            await anext(stream)
        assert caught.value is gone

    asyncio.run(main())


def test_a_connection_lost_after_the_message_was_complete_takes_nothing_back(bench) -> None:
    """W3: all is said; calls that ran need not be discarded."""

    async def source():
        yield bench.sse([bench.start(), *bench.block(0, "a", "{}"), *bench.ends()])
        raise ConnectionError("gone")

    async def main() -> None:
        stream = blocks(source())
        assert [block.id async for block in stream] == ["a"]
        assert str(stream.faults[0]) == "event 6: the source failed after message_stop: gone"

    asyncio.run(main())


def test_a_second_message_after_a_call_was_given_is_a_failure(bench) -> None:
    """W6, A8: the call may be running; only a discard can take it back."""
    events = [bench.start("one"), *bench.block(0, "a", "{}"), bench.start("two"), *bench.block(0, "b", "{}")]
    reading = bench.read([*events, *bench.ends()])
    assert [block.id for block in reading.blocks] == ["a"]
    assert (reading.failure.error_type, reading.failure.event, reading.failure.retryable) == ("spliced_stream", 5, True)


def test_an_error_that_is_no_json_is_an_error(bench) -> None:
    """W3, B056."""
    reading = bench.read([bench.sse([bench.start()]), b"event: error\ndata: upstream connect error\n\n"])
    assert str(reading.failure) == "unknown_error: upstream connect error (event 2)"


def test_who_stops_reading_closes_the_source(bench) -> None:
    """E10: begun or not."""
    closed = []

    async def source(name: str):
        try:
            yield bench.start()
            for event in bench.block(0, name, "{}"):
                yield event
        finally:
            closed.append(name)

    async def main() -> None:
        begun = source("a")
        stream = blocks(begun)
        await anext(stream)
        await stream.aclose()
        assert closed == ["a"]
        idle = source("b")
        await blocks(idle).aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(idle)

    asyncio.run(main())
