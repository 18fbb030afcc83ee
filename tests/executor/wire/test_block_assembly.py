"""Events become blocks, by index, each whole (W1, W2, W4, W6)."""

import json
from itertools import permutations, product
from random import Random

import pytest
from pydantic import BaseModel

from executor import ToolUseBlock
from executor.wire.events import event_of
from executor.wire.slots import TRANSITIONS, State, Step


def test_an_input_is_put_together_and_parsed_once(bench) -> None:
    """W1, B049: an empty first piece, a ping in between."""
    block = bench.block(0, "t1", "", '{"path": "a', '.py", "cont', 'ent": "x"}', name="Write")
    reading = bench.read([bench.start(), *block[:3], {"type": "ping"}, *block[3:], *bench.ends()])
    assert reading.blocks == [ToolUseBlock("t1", "Write", {"path": "a.py", "content": "x"}, "m")]
    assert (reading.failure, reading.faults) == (None, [])


def test_a_tool_without_arguments_gets_an_empty_object(bench) -> None:
    """W1, B050: no delta, an empty one, a blank one."""
    blocks = bench.block(0, "a") + bench.block(1, "b", "") + bench.block(2, "c", " ", "\n")
    assert bench.read([bench.start(), *blocks, *bench.ends()]).calls == [("a", {}), ("b", {}), ("c", {})]


def test_an_input_given_with_the_start_is_the_input(bench) -> None:
    """As calls have it that code on the server makes; deltas, where they come, are it instead."""
    given = {"type": "tool_use", "name": "roll", "input": {"player": 1}, "caller": {"type": "code"}}
    events = [
        bench.opens(0, **given, id="a"),
        bench.closes(0),
        bench.opens(1, **given, id="b"),
        bench.grows(1, '{"p": 2}'),
    ]
    reading = bench.read([bench.start(), *events, bench.closes(1), *bench.ends("end_turn")])
    assert reading.calls == [("a", {"player": 1}), ("b", {"p": 2})]
    assert [part["input"] for part in reading.stream.message["content"]] == [{"player": 1}, {"p": 2}]
    assert reading.stream.message["content"][0]["caller"] == {"type": "code"}


def test_a_message_that_comes_in_one_piece_gives_its_blocks_at_its_start(bench) -> None:
    content = [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "a", "name": "Ls", "input": {}}]
    reading = bench.read([bench.start(content=content, stop_reason="tool_use"), {"type": "message_stop"}])
    assert reading.calls == [("a", {})]
    assert reading.stream.message["content"] == content


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"path": "a"', None), ("NaN", None), ('{"path": "a"} x', None), ("[1]", [1]), ('"a"', "a"), ("null", None)],
)
def test_a_whole_block_whose_input_is_no_object_keeps_its_text_and_the_history_an_object(bench, text, value) -> None:
    """W4, B053, B054, B055."""
    reading = bench.read([bench.start(), *bench.block(0, "a", text), *bench.ends()])
    assert reading.blocks == [ToolUseBlock("a", "Read", value, "m", raw=text)]
    assert reading.stream.message["content"] == [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]


def test_half_a_character_in_a_piece_finds_its_other_half(bench) -> None:
    """B103, W1: and nothing that comes out fails to be sent."""
    lone = bench.block(1, "b", '{"path": "\ud83e"}') + bench.text(2, "\udd80", "x")
    events = [bench.start(), *bench.block(0, "a", '{"path": "\ud83e', '\udd80"}'), *lone, *bench.ends()]
    escaped = [json.dumps(event) for event in events]
    reading = bench.read([("data: " + event + "\n\n").encode() for event in escaped])
    assert reading.calls == [("a", {"path": "🦀"}), ("b", {"path": "\ufffd"})]
    json.dumps(reading.stream.message, ensure_ascii=False).encode()


def test_pings_and_what_is_unknown_are_skipped_and_counted(bench) -> None:
    """W2, B065: events, deltas, blocks; an unknown block is neither run nor kept."""
    future = bench.opens(1, type="future_block", id="f", name="Read", input={})
    events = [
        bench.start(),
        {"type": "ping"},
        bench.opens(0, "a"),
        {"type": "ping"},
        bench.grows(0, '{"path": "a"}'),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "shiny_delta", "x": 1}},
        bench.closes(0),
        {"type": "brand_new_event", "n": 1},
        future,
        bench.grows(1, "x"),
        bench.closes(1),
        *bench.ends(),
    ]
    reading = bench.read(events)
    assert reading.calls == [("a", {"path": "a"})]
    assert reading.stream.skipped == {"ping": 2, "shiny_delta": 1, "brand_new_event": 1, "future_block": 1}
    assert [part["type"] for part in reading.stream.message["content"]] == ["tool_use"]
    assert reading.faults == []


@pytest.mark.parametrize("kind", ["server", "mcp", "advisor"])
def test_blocks_of_server_side_tools_pass_through_and_are_not_ours_to_run(bench, kind) -> None:
    """W2, B020: kept in their places, input and unknown keys included."""
    use = {"type": f"{kind}_tool_use", "id": "s", "name": "web_search", "input": {}, "later": 1}
    answer = {"type": f"{kind}_tool_result", "tool_use_id": "s", "content": [{"type": "x"}]}
    events = [
        *(bench.start(), bench.opens(0, **use), bench.grows(0, '{"query":'), bench.grows(0, '"x"}'), bench.closes(0)),
        *(bench.opens(1, **answer), bench.closes(1), *bench.block(2, "t", '{"path": "a"}'), *bench.ends()),
    ]
    reading = bench.read(events)
    assert [block.id for block in reading.blocks] == ["t"]
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a"}}
    assert reading.stream.message["content"] == [use | {"input": {"query": "x"}}, answer, call]


def test_the_message_is_rebuilt_with_everything_it_was_made_of(bench) -> None:
    """W7: thinking and its signature, text and its citations, a compaction; a text without text is left out."""
    events = [
        bench.start(),
        bench.opens(0, type="thinking", thinking="", signature=""),
        bench.grows(0, "hm", "thinking_delta", "thinking"),
        bench.grows(0, "m", "thinking_delta", "thinking"),
        bench.grows(0, "sig", "signature_delta", "signature"),
        bench.closes(0),
        *bench.text(1, "So", " be it."),
        bench.opens(2, type="text", text="", citations=[]),
        {"type": "content_block_delta", "index": 2, "delta": {"type": "citations_delta", "citation": {"at": 1}}},
        bench.grows(2, "cited", "text_delta", "text"),
        bench.closes(2),
        bench.opens(3, type="compaction", content=None, encrypted_content=None),
        {
            "type": "content_block_delta",
            "index": 3,
            "delta": {"type": "compaction_delta", "content": "sum", "encrypted_content": None},
        },
        bench.closes(3),
        *bench.text(4, "\n"),
        bench.opens(5, type="redacted_thinking", data="xyz"),
        bench.closes(5),
        *bench.ends("end_turn"),
    ]
    reading = bench.read(events)
    assert reading.stream.message == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hmm", "signature": "sig"},
            {"type": "text", "text": "So be it."},
            {"type": "text", "text": "cited", "citations": [{"at": 1}]},
            {"type": "compaction", "content": "sum", "encrypted_content": None},
            {"type": "redacted_thinking", "data": "xyz"},
        ],
    }
    assert (reading.stream.message_id, reading.stream.stop_reason) == ("m", "end_turn")
    assert reading.stream.usage == {"input_tokens": 5, "output_tokens": 20}
    assert reading.faults == []


def test_who_edits_the_message_edits_neither_the_stream_nor_a_call(bench) -> None:
    reading = bench.read([bench.start(), *bench.block(0, "a", '{"path": {"x": 1}}'), *bench.ends()])
    reading.stream.message["content"][0]["input"]["path"]["x"] = "edited"
    assert reading.calls == [("a", {"path": {"x": 1}})]
    assert reading.stream.message["content"][0]["input"] == {"path": {"x": 1}}


def test_interleaved_blocks_are_put_together_by_index_and_given_in_its_order(bench) -> None:
    """W6, B059: each piece goes to its own block; request order is index order, so the later one waits."""
    events = [
        *(bench.start(), bench.opens(0, "t1"), bench.opens(1, "t2"), bench.grows(1, '{"q":')),
        *(bench.grows(0, '{"path":'), bench.grows(1, '"x"}'), bench.closes(1), bench.grows(0, '"a"}'), bench.closes(0)),
        *bench.ends(),
    ]
    reading = bench.read(events)
    assert reading.calls == [("t1", {"path": "a"}), ("t2", {"q": "x"})]
    assert [part["id"] for part in reading.stream.message["content"]] == ["t1", "t2"]


@pytest.mark.parametrize("seed", range(60))
def test_every_interleaving_gives_the_same_message_and_calls(bench, seed) -> None:
    """W6: also where a later index starts and ends first (B061)."""
    pieces = {index: bench.block(index, f"t{index}", '{"n":', f"{index}}}") for index in range(3)}
    order = [index for index, events in pieces.items() for _ in events]
    Random(seed).shuffle(order)
    left = {index: iter(events) for index, events in pieces.items()}
    reading = bench.read([bench.start(), *(next(left[index]) for index in order), *bench.ends()])
    assert reading.calls == [(f"t{index}", {"n": index}) for index in pieces]
    assert [part["id"] for part in reading.stream.message["content"]] == ["t0", "t1", "t2"]
    assert (reading.failure, reading.faults) == (None, [])


def test_a_gap_in_the_indexes_holds_up_what_lies_behind_it_until_the_message_is_over(bench) -> None:
    """W6."""
    events = [bench.start(), *bench.block(1, "b", "{}"), *bench.block(1_000_000_000, "c", "{}")]
    assert bench.read(events).blocks == []
    assert [block.id for block in bench.read([*events, *bench.ends()]).blocks] == ["b", "c"]


def test_a_second_start_of_a_closed_index_is_a_fault_and_the_first_stays(bench) -> None:
    """W6, B061: what comes for the second is left out with it."""
    events = [bench.start(), *bench.block(1, "t2", '{"path": "b"}'), *bench.block(0, "t1", '{"path": "a"}')]
    reading = bench.read([*events, *bench.block(1, "t9", '{"path": "z"}'), *bench.ends()])
    assert reading.calls == [("t1", {"path": "a"}), ("t2", {"path": "b"})]
    assert reading.faults == [(8, 1)]
    assert "second start" in str(reading.stream.faults[0])


@pytest.mark.parametrize(("before", "runs"), [('{"path": "a"}', True), ('{"path"', False), ("", False)])
def test_a_second_start_of_an_open_index_lets_only_an_input_run_that_was_whole_before(bench, before, runs) -> None:
    """W6, W4: pieces of two blocks are never joined, and a lost input is not taken for an empty one."""
    events = [
        bench.start(),
        bench.opens(0, "t1"),
        bench.grows(0, before),
        *bench.block(0, "t9", ': "z"}'),
        *bench.ends(),
    ]
    reading = bench.read(events)
    given = ToolUseBlock("t1", "Read", {"path": "a"} if runs else None, "m", raw=None if runs else before)
    assert reading.blocks == [given]
    assert reading.faults == [(4, 0)]


def test_deltas_and_stops_out_of_place_are_faults_that_name_event_and_index(bench) -> None:
    """W6: complete blocks keep their state."""
    events = [
        bench.start(),
        bench.grows(4, "x"),  # 2
        bench.closes(5),  # 3
        *bench.block(0, "a", '{"path": "a"}'),
        bench.grows(0, "x"),  # 7
        bench.closes(0),  # 8
        *bench.ends(),
        bench.opens(1, "late"),  # 11
    ]
    reading = bench.read(events)
    assert reading.calls == [("a", {"path": "a"})]
    assert reading.faults == [(2, 4), (3, 5), (7, 0), (8, 0), (11, None)]
    assert str(reading.stream.faults[0]).startswith("event 2, block 4: a delta without a start")


def test_every_step_has_a_place_in_the_table_and_a_whole_block_is_never_reopened() -> None:
    """W6."""
    assert set(TRANSITIONS) == set(product([None, *State], Step))
    for (before, _), (after, _) in TRANSITIONS.items():
        if before in (State.CLOSED, State.REPEATED):
            assert after in (State.CLOSED, State.REPEATED)


@pytest.mark.parametrize(
    "delta", [{"type": "text_delta", "text": "x"}, {"type": "input_json_delta", "partial_json": 1}]
)
def test_a_delta_that_does_not_fit_its_block_leaves_it_without_trust(bench, delta) -> None:
    """W6, W4: a piece of the input may be missing, so what is left must not run."""
    wrong = {"type": "content_block_delta", "index": 0, "delta": delta}
    events = [bench.opens(0, "a"), bench.grows(0, '{"path": "/tmp/'), wrong, bench.grows(0, '"}'), bench.closes(0)]
    reading = bench.read([bench.start(), *events, *bench.ends()])
    assert reading.blocks == [ToolUseBlock("a", "Read", None, "m", raw='{"path": "/tmp/')]
    assert reading.faults == [(4, 0)]


@pytest.mark.parametrize("as_bytes", [True, False])
def test_an_event_that_cannot_be_read_may_have_held_a_piece_of_any_open_block(bench, as_bytes) -> None:
    """W6, W4: ``rm -rf /tmp/`` is not what ``rm -rf /tmp/scratch`` asked for; a text is left out; whole blocks stay."""
    whole, cut = bench.block(0, "a", '{"path": "a"}'), bench.block(1, "b", '{"path": "/tmp/', '"}')
    items = [bench.start(), *whole, *cut[:2], {"type": "content_block_delta"}, *cut[2:], *bench.ends()]
    reading = bench.read([bench.sse([item]) for item in items] if as_bytes else items)
    assert reading.blocks == [
        ToolUseBlock("a", "Read", {"path": "a"}, "m"),
        ToolUseBlock("b", "Read", None, "m", raw='{"path": "/tmp/'),
    ]
    assert reading.faults == [(7, None)]


def test_a_text_that_may_miss_a_piece_is_left_out_of_the_message(bench) -> None:
    """W6."""
    text = bench.text(0, "a", "b")
    reading = bench.read(
        [bench.start(), *text[:2], {"type": "content_block_delta"}, *text[2:], *bench.ends("end_turn")]
    )
    assert reading.stream.message["content"] == []


def test_a_message_without_a_start_is_a_fault_and_its_whole_blocks_count(bench) -> None:
    """W6."""
    reading = bench.read([*bench.block(0, "a", "{}"), *bench.ends()])
    assert reading.blocks == [ToolUseBlock("a", "Read", {})]
    assert reading.faults == [(1, None)]


def test_a_repeated_start_of_the_message_is_a_fault_and_changes_nothing(bench) -> None:
    """W6: some gateways send it twice."""
    block = bench.block(0, "a", '{"path":', '"a"}')
    reading = bench.read([bench.start(), bench.start(), *block[:2], bench.start(), *block[2:], *bench.ends()])
    assert reading.calls == [("a", {"path": "a"})]
    assert reading.faults == [(2, None), (5, None)]


def test_an_answer_given_up_for_another_in_the_same_stream_is_dropped_whole(bench) -> None:
    """W6: a gateway asks again and appends the new answer; nothing of the old one is mixed into it."""
    first = [bench.start("one"), *bench.text(0, "old"), bench.opens(1, "old"), bench.grows(1, '{"path":')]
    second = [bench.start("two"), *bench.text(0, "new"), *bench.block(1, "new", '{"path": "b"}'), *bench.ends()]
    reading = bench.read([*first, *second])
    assert reading.blocks == [ToolUseBlock("new", "Read", {"path": "b"}, "two")]
    assert [part.get("text", part.get("id")) for part in reading.stream.message["content"]] == ["new", "new"]
    assert reading.stream.message_id == "two"
    assert reading.faults == [(7, None)]


def test_missing_ids_are_made_of_message_and_index(bench) -> None:
    """B008, E11: unique, and the same in the message."""
    nameless = {"type": "tool_use", "name": "Read", "input": {}}
    events = [bench.opens(0, **nameless), bench.closes(0), bench.opens(1, **nameless, id=""), bench.closes(1)]
    reading = bench.read([bench.start("msg"), *events, *bench.ends()])
    assert [block.id for block in reading.blocks] == ["msg_0", "msg_1"]
    assert [part["id"] for part in reading.stream.message["content"]] == ["msg_0", "msg_1"]
    assert reading.faults == [(3, 0), (5, 1)]


def test_what_cannot_be_answered_is_neither_run_nor_kept(bench) -> None:
    """B008, B012: no id to be had, or no name."""
    events = [*bench.block(0, "", "{}"), *bench.block(1, "a", "{}", name=""), *bench.block(2, "b", "{}")]
    reading = bench.read([bench.start(None), *events, *bench.ends()])
    assert reading.calls == [("b", {})]
    assert [part["id"] for part in reading.stream.message["content"]] == ["b"]
    assert reading.faults == [(4, 0), (7, 1)]


@pytest.mark.parametrize(
    ("again", "told"), [('{"command": "npm"}', "the same block"), ('{"command": "x"}', "another block")]
)
def test_an_id_that_comes_on_two_indexes_is_one_call(bench, again, told) -> None:
    """B007, E11: run once, kept once, reported."""
    events = [*bench.block(0, "dup", '{"command": "npm"}'), *bench.block(1, "dup", again)]
    reading = bench.read([bench.start(), *events, *bench.ends()])
    assert reading.calls == [("dup", {"command": "npm"})]
    assert len(reading.stream.message["content"]) == 1
    assert reading.faults == [(7, 1)]
    assert told in str(reading.stream.faults[0])


def test_events_come_as_bytes_as_dicts_as_ours_or_as_a_client_librarys_models(bench) -> None:
    """W1: the same response in each shape gives the same."""

    class Model(BaseModel, extra="allow"):
        type: str

    events = [
        bench.start(),
        *bench.text(0, "hi"),
        *bench.block(1, "a", '{"path": "a"}'),
        {"type": "ping"},
        *bench.ends(),
    ]
    wanted = bench.read(events).told
    assert wanted[0] == [ToolUseBlock("a", "Read", {"path": "a"}, "m")]
    shapes = [
        [bench.sse(events)],
        [bytearray(chunk) for chunk in bench.cut(bench.sse(events), 5)],
        [event_of(event) for event in events],
        [Model(**event) for event in events],
    ]
    for shape in shapes:
        assert bench.read(shape).told == wanted


def test_whole_blocks_are_handed_on_as_they_are(bench) -> None:
    given = [ToolUseBlock("a", "Read", {}), ToolUseBlock("b", "Read", [])]
    reading = bench.read(given, "message_stop")
    assert (reading.blocks, reading.failure, reading.stream.message) == (given, None, None)


@pytest.mark.parametrize(("one", "other"), list(permutations([b"", {"type": "ping"}, ToolUseBlock("a", "b")], 2)))
def test_a_response_gives_one_kind_of_thing(bench, one, other) -> None:
    reading = bench.read([one, other])
    assert isinstance(reading.failure, TypeError)
    assert "give one kind" in str(reading.failure)


def test_text_that_is_not_encoded_is_refused_with_the_way_out(bench) -> None:
    reading = bench.read(["data: {}"])
    assert isinstance(reading.failure, TypeError)
    assert str(reading.failure).endswith("got str: encode text as UTF-8")


def test_a_content_block_of_the_api_is_refused_with_the_way_out(bench) -> None:
    reading = bench.read([{"type": "tool_use", "id": "a", "name": "Read", "input": {}}])
    assert isinstance(reading.failure, TypeError)
    told = "got the content block 'a' as dict: give ToolUseBlock(id, name, input)"
    assert str(reading.failure).endswith(told)


@pytest.mark.parametrize("odd", [None, 5, [1], {"a": 1}])
def test_a_start_with_odd_values_does_no_harm(bench, odd) -> None:
    """W1: what grows begins anew, what does not is kept as it came."""
    citation = {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {"at": 1}}}
    cited = [bench.opens(0, type="text", text=odd, citations=5), bench.grows(0, "hi", "text_delta", "text"), citation]
    call = [bench.opens(1, type="tool_use", id="a", name="Ls", input=odd), bench.grows(1, '{"b": 2}'), bench.closes(1)]
    reading = bench.read([bench.start(), *cited, bench.closes(0), *call, *bench.ends()])
    assert reading.calls == [("a", {"b": 2})]
    assert reading.stream.message["content"][0] == {"type": "text", "text": "hi", "citations": [{"at": 1}]}


def test_a_block_of_any_kind_that_was_never_closed_is_not_in_the_message(bench) -> None:
    """W1, W3: a thought without its signature would be refused with all that follows."""
    thought = [bench.opens(0, type="thinking", thinking=""), bench.grows(0, "hm", "thinking_delta", "thinking")]
    server = bench.opens(1, type="server_tool_use", id="s", name="web_search", input={})
    reading = bench.read([bench.start(), *thought, server, *bench.text(2, "so"), *bench.ends("max_tokens")])
    assert [part["type"] for part in reading.stream.message["content"]] == ["text"]
    assert reading.faults == [(9, 0), (9, 1)]


def test_of_a_count_told_twice_the_larger_is_true(bench) -> None:
    """Some gateways tell the input's tokens again at the end, as zero."""
    late = {"input_tokens": 0, "output_tokens": 20, "server_tool_use": {"web_search_requests": 1}, "service_tier": None}
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": late}
    start = bench.start(usage={"input_tokens": 5, "output_tokens": 1, "service_tier": "standard"})
    assert bench.read([start, delta, {"type": "message_stop"}]).stream.usage == {
        "input_tokens": 5,
        "output_tokens": 20,
        "service_tier": "standard",
        "server_tool_use": {"web_search_requests": 1},
    }
