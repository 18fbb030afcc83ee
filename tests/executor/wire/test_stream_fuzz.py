"""Whatever events come, in whatever order: nothing is lost, doubled, mixed or made up (W1–W6)."""

from hypothesis import given
from hypothesis import strategies as st

from executor.wire.faults import StreamFailure

INDEX = st.integers(0, 2)
KIND = st.sampled_from(["tool_use", "tool_use", "text", "server_tool_use", "future_block"])
TEXT = st.sampled_from(["", " ", "{", "}", "{}", '{"a": 1}', '"a"', "[1]", "NaN"])


def events(draw_id: st.SearchStrategy[str]) -> st.SearchStrategy[dict]:
    start = st.builds(
        lambda index, kind, call: {
            "type": "content_block_start",
            "index": index,
            "content_block": {"type": kind, "id": call, "name": "Read", "input": {}, "text": ""},
        },
        INDEX, KIND, draw_id,
    )  # fmt: skip
    grow = st.builds(
        lambda index, text: {
            "type": "content_block_delta",
            "index": index,
            "delta": {"type": "input_json_delta", "partial_json": text},
        },
        INDEX, TEXT,
    )  # fmt: skip
    stop = st.builds(lambda index: {"type": "content_block_stop", "index": index}, INDEX)
    others = st.sampled_from(
        [
            {"type": "message_start", "message": {"id": "one"}},
            {"type": "message_start", "message": {"id": "two"}},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
            {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
            {"type": "message_stop"},
            {"type": "ping"},
            {"type": "brand_new"},
            {"type": "content_block_delta"},
            {"type": "error", "error": {"type": "overloaded_error"}},
        ]
    )
    return st.one_of(start, start, grow, grow, grow, stop, stop, stop, others)


@given(
    stream=st.lists(events(st.sampled_from(["a", "b", "c", ""])), min_size=1, max_size=25),
    start=st.sampled_from(["block", "confirmed", "message_stop"]),
    begins=st.booleans(),
    ends=st.booleans(),
)
def test_any_events_give_calls_that_are_whole_and_kept_or_nothing(bench_class, stream, start, begins, ends) -> None:
    """W1–W6, B007, B012: what is given is exactly what the message keeps; only a failure ends a response early."""
    bench = bench_class
    if begins:
        stream = [bench.start("one"), *stream]
    if ends:
        stream = [*stream, *bench.ends()]
    reading = bench.read(stream, start)
    assert reading.failure is None or isinstance(reading.failure, StreamFailure)
    ids = [block.id for block in reading.blocks]
    kept = [part["id"] for part in reading.stream.message["content"] if part["type"] == "tool_use"]
    assert ids == kept
    assert len(ids) == len(set(ids))
    assert all(ids)
    assert all((block.raw is None) == isinstance(block.input, dict) for block in reading.blocks)
    data = bench.sse(stream)
    for size in (1, 5, len(data) or 1):
        assert bench.read(bench.cut(data, size), start).told == reading.told
