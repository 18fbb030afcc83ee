"""Events of the Messages API as values (W2)."""

import pytest

from executor.wire.events import (
    ContentBlockDelta,
    ContentBlockStop,
    Ping,
    StreamError,
    UnknownEvent,
    event_of,
    event_of_sse,
)
from executor.wire.sse import ServerSentEvent

MALFORMED = [
    {},
    {"type": None},
    {"type": "message_start"},
    {"type": "content_block_start", "index": 0},
    {"type": "content_block_start", "index": 0, "content_block": {"text": "a"}},
    {"type": "content_block_start", "index": "0", "content_block": {"type": "text"}},
    {"type": "content_block_start", "index": -1, "content_block": {"type": "text"}},
    {"type": "content_block_delta", "index": True, "delta": {"type": "text_delta"}},
    {"type": "content_block_delta", "index": 0, "delta": "a"},
    {"type": "content_block_stop"},
]


def test_keys_of_later_versions_are_kept_where_content_is_and_ignored_elsewhere() -> None:
    """W2."""
    delta = {"type": "text_delta", "text": "a", "later": [1]}
    event = event_of({"type": "content_block_delta", "index": 3, "delta": delta, "later": 2})
    assert isinstance(event, ContentBlockDelta)
    assert (event.index, event.delta.fields()) == (3, delta)
    assert "later" not in event.model_dump(exclude={"delta"})


def test_a_type_of_a_later_version_is_an_unknown_event() -> None:
    """W2."""
    assert event_of({"type": "brand_new", "index": "what"}) == UnknownEvent(type="brand_new")


@pytest.mark.parametrize("payload", MALFORMED)
def test_a_known_event_that_is_malformed_is_told_in_one_line(payload: dict) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        event_of(payload)


def test_the_events_own_name_stands_in_for_a_missing_type() -> None:
    assert event_of_sse(ServerSentEvent("content_block_stop", '{"index": 1}')) == event_of_sse(
        ServerSentEvent("message", '{"type": "content_block_stop", "index": 1}')
    )
    assert isinstance(
        event_of_sse(ServerSentEvent("ping", '{"type": "content_block_stop", "index": 1}')), ContentBlockStop
    )


@pytest.mark.parametrize("data", ["", "[DONE]", "null", "[1]", "{", "[" * 100_000])
def test_data_that_is_no_object_cannot_be_read(data: str) -> None:
    with pytest.raises(ValueError, match="the data must be a JSON object, got"):
        event_of_sse(ServerSentEvent("message", data))


def test_a_ping_and_an_error_are_understood_whatever_their_data() -> None:
    """W3: an error must never be taken for nothing."""
    assert event_of_sse(ServerSentEvent("ping", "")) == Ping()
    error = event_of_sse(ServerSentEvent("error", "Bad gateway"))
    assert isinstance(error, StreamError)
    assert (error.error_type, error.message) == ("unknown_error", "Bad gateway")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, ("overloaded_error", "Overloaded")),
        ({"message": "m"}, ("unknown_error", "m")),
        ("Overloaded", ("unknown_error", "Overloaded")),
        (None, ("unknown_error", "no reason given")),
    ],
)
def test_an_error_says_its_type_and_message_where_it_has_them(error: object, told: tuple[str, str]) -> None:
    """W3."""
    event = event_of({"type": "error", "error": error})
    assert isinstance(event, StreamError)
    assert (event.error_type, event.message) == told
