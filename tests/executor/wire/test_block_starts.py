"""When a complete block may start (W5)."""

import pytest

from executor.wire.assembler import Assembler
from executor.wire.events import event_of

STARTS = ["block", "confirmed", "message_stop"]


def given_at(events, start) -> list[tuple[int, str]]:
    """When each block is given, by the number of the event from 1."""
    assembler = Assembler(start)
    return [
        (number, block.id)
        for number, event in enumerate(events, start=1)
        for block in assembler.feed(event_of(event))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "when"),
    [
        ("block", [(4, "a"), (7, "b")]),
        ("confirmed", [(5, "a"), (8, "b")]),
        ("message_stop", [(9, "a"), (9, "b")]),
    ],
)
def test_a_block_with_input_starts_at_its_end_or_when_confirmed_or_with_the_whole_message(bench, start, when) -> None:
    """W5, B069: confirmed is a block when the next one starts, or the reply ends for the sake of its tools."""
    events = [bench.start(), *bench.block(0, "a", "{}"), *bench.block(1, "b", "{}"), *bench.ends()]
    assert given_at(events, start) == when


@pytest.mark.parametrize(("start", "when"), [("block", 6), ("confirmed", 6), ("message_stop", 10)])
@pytest.mark.parametrize("parts", [(), ("",), (" ",)])
def test_a_block_without_input_starts_when_the_next_block_of_any_kind_does(bench, start, when, parts) -> None:
    """W5, B050."""
    block = bench.block(0, "a", *parts)
    block[1:1] = [{"type": "ping"}] * (2 - len(parts))
    events = [bench.start(), *block, *bench.text(1, "so"), *bench.ends("end_turn")]
    assert given_at(events, start) == [(when, "a")]


@pytest.mark.parametrize(("start", "when"), [("block", 4), ("confirmed", 4), ("message_stop", 5)])
def test_a_last_block_without_input_starts_when_the_reply_ends_for_the_sake_of_its_tools(bench, start, when) -> None:
    """W5, B050."""
    assert given_at([bench.start(), *bench.block(0, "a"), *bench.ends()], start) == [(when, "a")]


@pytest.mark.parametrize("stop_reason", ["max_tokens", "model_context_window_exceeded", "end_turn", "refusal", None])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("parts", [(), ("",), ("\n",)])
def test_a_last_block_without_input_never_starts_if_the_reply_ends_otherwise(bench, start, stop_reason, parts) -> None:
    """W5, W3: its input may be what was cut off; it is neither run nor kept, so nothing is left unanswered (B012)."""
    events = [bench.start(), *bench.text(0, "so"), *bench.block(1, "a", *parts), *bench.ends(stop_reason)]
    reading = bench.read(events, start)
    assert (reading.blocks, reading.failure) == ([], None)
    assert reading.stream.message["content"] == [{"type": "text", "text": "so"}]
    assert reading.faults == [(len(events), 1)]


@pytest.mark.parametrize(("start", "kept"), [("block", ["a"]), ("confirmed", []), ("message_stop", ["a"])])
def test_a_last_block_with_its_whole_input_counts_after_max_tokens_unless_each_must_be_confirmed(
    bench, start, kept
) -> None:
    """W5."""
    reading = bench.read([bench.start(), *bench.block(0, "a", "{}"), *bench.ends("max_tokens")], start)
    assert [block.id for block in reading.blocks] == kept
    assert [part["id"] for part in reading.stream.message["content"]] == kept


@pytest.mark.parametrize(("start", "answered"), [("block", True), ("confirmed", False), ("message_stop", True)])
def test_an_input_cut_off_by_max_tokens_is_never_made_to_run(bench, start, answered) -> None:
    """W5, W3, W4, B052: it is answered with what is wrong with it, or left out."""
    cut = bench.block(0, "a", '{"command":"rm -rf /tmp/scra')
    reading = bench.read([bench.start(), *cut, *bench.ends("max_tokens")], start)
    assert [(block.input, block.raw is not None) for block in reading.blocks] == ([(None, True)] if answered else [])
    assert reading.failure is None


@pytest.mark.parametrize("start", STARTS)
def test_a_block_that_max_tokens_leaves_open_is_neither_run_nor_kept(bench, start) -> None:
    """W3, B068, B012: also if what there is of its input would do."""
    events = [bench.start(), *bench.text(0, "so"), bench.opens(1, "a"), bench.grows(1, "{}"), *bench.ends("max_tokens")]
    reading = bench.read(events, start)
    assert (reading.blocks, reading.failure) == ([], None)
    assert [part["type"] for part in reading.stream.message["content"]] == ["text"]
    assert reading.faults == [(8, 1)]


def test_a_block_started_before_the_empty_one_ended_confirms_nothing(bench) -> None:
    """W5, W6: interleaved blocks are all cut off at once."""
    events = [bench.start(), bench.opens(0, "a"), bench.opens(1, "b"), bench.grows(1, "{}"), bench.closes(0)]
    reading = bench.read([*events, bench.closes(1), *bench.ends("max_tokens")])
    assert [block.id for block in reading.blocks] == ["b"]


@pytest.mark.parametrize("start", STARTS)
def test_before_a_message_is_over_only_what_was_given_is_in_it(bench, start) -> None:
    """W5, B012: a call that was not handed over will not be answered."""
    reading = bench.read([bench.start(), *bench.block(0, "a", "{}"), *bench.block(1, "b")], start)
    kept = [part["id"] for part in reading.stream.message["content"]]
    assert kept == [block.id for block in reading.blocks] == ([] if start == "message_stop" else ["a"])


def test_a_start_that_does_not_exist_is_refused(bench) -> None:
    with pytest.raises(ValueError, match="expected one of block, confirmed, message_stop, got 'early'"):
        bench.read([], "early")
