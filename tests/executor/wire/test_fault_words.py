"""What a response's faults say, and what becomes of what they are about (W1, W2, W4, W5, W6)."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from executor import ToolUseBlock
from executor.wire.assembler import Assembler
from executor.wire.json_input import SHOWN, problem_of
from executor.wire.stream import BlockStream


def texts(reading: Any) -> list[str]:
    return [str(fault) for fault in reading.stream.faults]


def test_events_around_a_message_are_told_once_each(bench) -> None:
    """W6."""
    events = [bench.closes(7), bench.start(), bench.start(), *bench.ends(), bench.closes(0), bench.closes(0)]
    assert texts(bench.read(events)) == [
        "event 1: content_block_stop before message_start",
        "event 1, block 7: a stop without a start; it was left out",
        "event 2: message m began; message None was not over and is dropped",
        "event 3: message_start of m again; it was left out",
        "event 6: content_block_stop after message_stop; it was left out, with all that follows",
    ]


def test_what_cannot_be_read_is_told_in_the_reader_s_words(bench) -> None:
    """W6."""
    reading = bench.read([bench.start(), {"n": 1}, *bench.ends()])
    assert texts(reading) == ["event 2: an event needs a type, got None"]


def test_a_message_that_replaces_another_begins_at_its_first_block(bench) -> None:
    """W6: its call runs as soon as it is whole, before the message is over."""
    events = [bench.start("m1"), *bench.text(0, "so"), bench.start("m2"), *bench.block(0, "a", "{}")]
    reading = bench.read(events)
    assert reading.calls == [("a", {})]
    assert texts(reading) == ["event 5: message m2 began; message m1 was not over and is dropped"]


def test_a_message_that_follows_one_whose_call_may_run_is_a_failure_that_names_both(bench) -> None:
    """W6, W3."""
    reading = bench.read([bench.start("m1"), *bench.block(0, "a", "{}"), bench.start("m2")])
    assert str(reading.failure) == "spliced_stream: message m2 began before message m1 was over (event 5)"


def test_calls_that_nobody_could_answer_are_left_out_with_the_reason(bench) -> None:
    """W6: without a name, without an id, with an id that is taken by the same call or by another."""
    nameless = {"type": "tool_use", "id": "n", "name": "", "input": {}}
    events = [
        *(bench.start(None), bench.opens(0, **nameless), bench.closes(0), *bench.block(1, "", "{}")),
        *(*bench.block(2, "a", "{}"), *bench.block(3, "a", "{}"), *bench.block(4, "a", '{"x": 1}'), *bench.ends()),
    ]
    reading = bench.read(events)
    assert reading.calls == [("a", {})]
    assert texts(reading) == [
        "event 3, block 0: a tool_use without a name; it was left out",
        "event 6, block 1: a tool_use without an id in a message without one; it was left out",
        "event 12, block 3: the same block came with the id a of block 2; the first stays, it was left out",
        "event 15, block 4: another block came with the id a of block 2; the first stays, it was left out",
    ]


def test_blocks_that_a_message_ends_without_are_told(bench) -> None:
    """W3, W5: one that never closed, one that may have been cut off."""
    reading = bench.read([bench.start(), bench.opens(0, "a"), *bench.block(1, "b"), *bench.ends("max_tokens")])
    assert reading.calls == []
    assert texts(reading) == [
        "event 6, block 0: the message ended before the block did; it was left out",
        "event 6, block 1: the message ended by max_tokens, maybe within this block; it was left out",
    ]


def test_a_call_without_input_in_a_message_of_one_piece_waits_for_proof_as_well(bench) -> None:
    """W5: it begins and ends with the same event, which proves nothing."""
    content = [{"type": "tool_use", "id": "a", "name": "Ls", "input": {}}]
    assert bench.read([bench.start(content=content), *bench.ends("max_tokens")]).calls == []
    assert bench.read([bench.start(content=content), *bench.ends()]).calls == [("a", {})]


@pytest.mark.parametrize(
    ("kind", "delta", "fault"),
    [
        ("text", {"type": "thinking_delta", "thinking": "x"}, "a thinking_delta does not belong to a text block"),
        ("text", {"type": "text_delta"}, "a text_delta needs text as text, got None"),
        (
            "compaction",
            {"type": "compaction_delta", "content": 3},
            "a compaction_delta needs content as text, got 3",
        ),
    ],
)
def test_a_piece_that_does_not_fit_its_block_is_told_and_the_block_is_not_kept(bench, kind, delta, fault) -> None:
    """W6."""
    grown = {"type": "content_block_delta", "index": 0, "delta": delta}
    events = [bench.start(), bench.opens(0, type=kind, text="x"), grown, bench.closes(0), *bench.ends("end_turn")]
    reading = bench.read(events)
    assert texts(reading) == [f"event 3, block 0: {fault}; the block is not trusted any more"]
    assert reading.stream.message["content"] == []


def test_each_unknown_block_and_delta_is_counted(bench) -> None:
    """W2."""
    strange = {"type": "content_block_delta", "index": 0, "delta": {"type": "shiny_delta"}}
    future = [bench.opens(1, type="future_block"), bench.opens(2, type="future_block")]
    known = [bench.opens(0, type="text", text=""), strange, strange, strange]
    assert bench.read([bench.start(), *known, *future, *bench.ends()]).stream.skipped == {
        "shiny_delta": 3,
        "future_block": 2,
    }


def test_of_an_event_that_was_cut_off_two_hundred_characters_are_told(bench) -> None:
    """B064."""
    reading = bench.read([bench.sse([bench.start(), *bench.ends()]), b"data: " + b"x" * 300])
    assert texts(reading) == [f"event 3: an event was cut off and left out: 'data: {'x' * 194}'"]


def test_an_event_lost_at_a_block_s_end_leaves_the_block_in_doubt(bench) -> None:
    """W6, W1: nothing came of its input, but what was lost may have been it."""
    reading = bench.read([bench.start(), bench.opens(0, "a"), {"n": 1}, bench.closes(0), *bench.ends()])
    assert reading.blocks == [ToolUseBlock("a", "Read", None, "m", raw="")]
    assert problem_of("") == "the input never came whole"


def test_what_a_block_began_with_stands_before_what_is_added(bench) -> None:
    """W1."""
    cites = {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {"at": 2}}}
    begun = {"type": "text", "text": "So", "citations": [{"at": 1}]}
    grown = [bench.opens(0, **begun), bench.grows(0, " be it", "text_delta", "text"), cites, bench.closes(0)]
    reading = bench.read([bench.start(), *grown, *bench.ends("end_turn")])
    assert reading.stream.message["content"] == [
        {"type": "text", "text": "So be it", "citations": [{"at": 1}, {"at": 2}]}
    ]


def test_a_text_that_is_null_is_left_out_of_the_history(bench) -> None:
    """W7."""
    null = [bench.opens(0, type="text", text=None), bench.closes(0)]
    assert bench.read([bench.start(), *null, *bench.ends("end_turn")]).stream.message["content"] == []


def test_a_server_side_call_whose_input_is_no_object_has_an_object_in_the_history(bench) -> None:
    """W4."""
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    events = [bench.start(), bench.opens(0, **use), bench.grows(0, "[1]"), bench.closes(0), *bench.ends("end_turn")]
    assert bench.read(events).stream.message["content"] == [use]


def test_whoever_changes_a_call_s_input_changes_nothing_of_the_message(bench) -> None:
    """W1: an input that stood in the start is copied as deep as it goes."""
    given = {"type": "tool_use", "id": "a", "name": "roll", "input": {"dice": [6]}}
    reading = bench.read([bench.start(), bench.opens(0, **given), bench.closes(0), *bench.ends()])
    reading.blocks[0].input["dice"].append(1)
    again = bench.read([bench.start(), bench.opens(0, **given), bench.closes(0), *bench.ends()])
    assert (given["input"], again.calls) == ({"dice": [6]}, [("a", {"dice": [6]})])


def test_a_malformed_input_is_shown_as_it_came_and_whole_up_to_its_limit() -> None:
    """W4, B055."""
    assert problem_of('{"a": "ü') == 'the input breaks off, got {"INVALID_JSON": "{\\"a\\": \\"ü"}'
    as_long = f'"{"x" * (SHOWN - 2)}"'
    assert problem_of(as_long) == f"the input must be a JSON object, got {as_long}"
    longer = f'"{"x" * (SHOWN - 1)}"'
    assert problem_of(longer) == f"the input must be a JSON object, got {longer[:SHOWN]}… ({SHOWN + 1} characters)"


def test_blocks_start_at_their_end_unless_something_else_is_asked_for() -> None:
    """W5."""
    assert Assembler()._start == "block"
    assert BlockStream(NoEnd())._assembler._start == "block"


class NoEnd:
    """A source that only gives items and cannot be closed."""

    def __init__(self, *items: Any) -> None:
        self._items = iter(items)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        for item in self._items:
            return item
        raise StopAsyncIteration


def test_a_source_that_cannot_be_closed_need_not_be() -> None:
    """W1."""

    async def main() -> list[ToolUseBlock]:
        stream = BlockStream(NoEnd(ToolUseBlock("a", "Read", {})))
        given = [block async for block in stream]
        await stream.aclose()
        return given

    assert asyncio.run(main()) == [ToolUseBlock("a", "Read", {})]


def test_a_source_that_changes_its_kind_is_told_what_came_after_what(bench) -> None:
    """W1."""
    block = ToolUseBlock("a", "Read", {})
    told = [str(bench.read(items).failure) for items in ([block, bench.start()], [bench.start(), block])]
    assert told == [
        "a response gives bytes, events or blocks, got events after blocks: give one kind",
        "a response gives bytes, events or blocks, got blocks after events: give one kind",
    ]


def test_a_source_that_fails_without_a_word_after_the_message_is_told_by_its_error_s_name(bench) -> None:
    """W3."""

    async def source() -> AsyncIterator[Any]:
        for event in (bench.start(), *bench.ends()):
            yield event
        raise ConnectionResetError

    async def main() -> list[str]:
        stream = BlockStream(source())
        assert [block async for block in stream] == []
        return [str(fault) for fault in stream.faults]

    assert asyncio.run(main()) == ["event 3: the source failed after message_stop: ConnectionResetError"]


class ClientBlock(BaseModel):
    """A content block as a client library has it: names of its own, values of its own, defaults nobody set."""

    kind: str = Field(alias="type")
    text: str
    at: dt.date
    citations: list[str] | None = None


class ClientEvent(BaseModel):
    """An event of a client library."""

    type: str
    index: int
    content_block: ClientBlock


def test_a_client_library_s_event_is_taken_as_the_wire_had_it(bench) -> None:
    """W1: by the names of the wire, as JSON, without what was never sent."""
    block = ClientBlock.model_validate({"type": "text", "text": "hi", "at": dt.date(2026, 1, 2)})
    began = ClientEvent(type="content_block_start", index=0, content_block=block)
    reading = bench.read([bench.start(), began, bench.closes(0), *bench.ends("end_turn")])
    assert reading.stream.message["content"] == [{"type": "text", "text": "hi", "at": "2026-01-02"}]
