"""What belongs together: blocks by message id, results by call id within one conversation (B010, B090-B102)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, StrayResult, read_trace, read_traces

FieldCase = Callable[[str], Path]


def outcomes(turn: RecordedTurn) -> list[tuple[str, str | None]]:
    return [(call.id, call.outcome) for call in turn.calls]


def test_results_in_several_user_messages_out_of_order_answer_one_response(field_case: FieldCase) -> None:
    """B010."""
    reader = read_trace(field_case("B010"))
    (turn,) = reader
    assert outcomes(turn) == [("c0", "ok"), ("c1", "ok"), ("c2", "ok")]
    assert turn.emitted == ("c0", "c2", "c1")
    assert reader.damage == []


def test_a_result_that_comes_after_a_prompt_still_answers_its_call(session: Any) -> None:
    """B010: a message typed meanwhile closes nothing."""
    _, (turn,) = session.call(0, "m1", "a").prompt(1, "by the way").result(2, "a").read()
    assert outcomes(turn) == [("a", "ok")]


def test_parallel_calls_are_one_turn_whatever_branch_their_results_hang_on(field_case: FieldCase) -> None:
    """B090."""
    (turn,) = read_trace(field_case("B090"))
    assert outcomes(turn) == [("t1", "ok"), ("t2", "ok")]


def test_records_that_are_no_messages_are_transparent(field_case: FieldCase) -> None:
    """B091."""
    reader = read_trace(field_case("B091"))
    (turn,) = reader
    assert outcomes(turn) == [("t1", "ok")]
    assert reader.damage == []


def test_identical_lines_count_once_and_the_same_uuid_with_other_content_is_kept_and_reported(
    field_case: FieldCase,
) -> None:
    """B093."""
    reader = read_trace(field_case("B093"))
    (turn,) = reader
    assert reader.counts.copied_lines == 1
    assert reader.counts.same_uuid == 2
    assert turn.calls[0].result_count == 2
    assert [stray.line for stray in turn.duplicates] == [5]
    assert [damage.line for damage in reader.damage] == [5, 5]


def test_the_uuid_of_another_kind_of_record_again_and_again_drops_nothing(session: Any) -> None:
    """B093: hook context records that share one uuid."""
    for _ in range(274):
        session.add("saved_hook_context", 0, uuid="u0")
    reader, (turn,) = session.call(1, "m1", "a").result(2, "a").read()
    assert outcomes(turn) == [("a", "ok")]
    assert reader.counts.records == 276


def test_a_resumed_session_s_copies_are_left_out_and_counted(field_case: FieldCase) -> None:
    """B094."""
    old, new = field_case("B094-old"), field_case("B094")
    read = [(reader, list(reader)) for reader in read_traces([old, new])]
    assert [len(turns) for _, turns in read] == [1, 0]
    assert [reader.counts.copied_calls for reader, _ in read] == [0, 1]
    assert read[1][0].skipped["calls that an earlier line or file has already"] == 1
    assert read[1][0].damage == []


def test_a_call_that_only_the_copy_answers_is_not_left_out(tmp_path: Path, session: Any) -> None:
    """B094, B085: the first file is cut before the result."""
    cut = tmp_path / "cut.jsonl"
    session.call(0, "m1", "a")
    cut.write_bytes(b"".join(session.lines))
    session.result(1, "a").read()
    turns = [turn for reader in read_traces([cut, session.path]) for turn in reader]
    assert [outcomes(turn) for turn in turns] == [[("a", None)], [("a", "ok")]]


def test_a_session_that_stands_twice_in_one_file_is_read_once(session: Any) -> None:
    """B093: branch files hold each message twice, however far apart, with other uuids."""
    for copy in range(2):
        for n in range(50):
            session.call(n, f"m{n}", f"c{n}", uuid=f"call {copy} {n}").result(n + 0.5, f"c{n}", uuid=f"res {copy} {n}")
    reader, turns = session.read()
    assert len(turns) == 50
    assert reader.counts.copied_calls == 50
    assert reader.damage == []


def test_lines_of_one_message_id_are_one_response_and_every_block_of_a_line_counts(field_case: FieldCase) -> None:
    """B095, B102."""
    (turn,) = read_trace(field_case("B095"))
    assert [call.id for call in turn.calls] == ["t1", "t2"]
    (turn,) = read_trace(field_case("B102"))
    assert outcomes(turn) == [("t1", "ok"), ("t2", "ok"), ("t3", "error")]
    assert turn.emitted == ("t2", "t3", "t1")


def test_the_request_id_groups_where_the_message_has_no_id_and_without_both_each_line_is_alone(session: Any) -> None:
    """B095: nothing is taken for parallel only because it stands together."""
    for call_id, fields in (("a", {"requestId": "r"}), ("b", {"requestId": "r"}), ("c", {}), ("d", {})):
        session.call(0, "", call_id, **fields)
    _, turns = session.read()
    assert [[call.id for call in turn.calls] for turn in turns] == [["a", "b"], ["c"], ["d"]]


def test_a_pair_across_a_compaction_is_split_and_no_call_that_hung(field_case: FieldCase) -> None:
    """B096."""
    reader = read_trace(field_case("B096"))
    (turn,) = reader
    (call,) = turn.calls
    assert (call.split_by_compaction, call.outcome, call.ended_ns, call.result_line) == (True, None, None, 3)
    assert [damage.what for damage in reader.damage] == [
        "result of t1 (called on line 1) is split from it by compaction"
    ]


def test_a_compaction_begins_a_new_segment(session: Any) -> None:
    """B096."""
    session.call(0, "m1", "a").result(1, "a").add("system", 2, subtype="compact_boundary")
    _, turns = session.call(3, "m2", "b").result(4, "b").read()
    assert [turn.segment for turn in turns] == [0, 1]


def test_a_sub_agent_s_lines_are_a_conversation_of_their_own(field_case: FieldCase) -> None:
    """B097."""
    main, inner = read_trace(field_case("B097"))
    assert (main.agent, [call.id for call in main.calls]) == (None, ["task1"])
    assert (inner.agent, [call.id for call in inner.calls]) == ("a1", ["s1"])
    assert main.first_ns is not None
    assert main.ended_ns is not None
    assert inner.first_ns is not None
    assert inner.ended_ns is not None
    assert main.first_ns < inner.first_ns < inner.ended_ns < main.ended_ns


def relayed(session: Any, at_s: float, kind: str, stamp: str, *blocks: dict[str, Any], **message: Any) -> None:
    """A line of a sub-agent's progress, with the message it carries."""
    inner = {"type": kind, "timestamp": stamp, "uuid": f"i{len(session.lines)}"}
    inner["message"] = {"role": kind, "content": list(blocks), **message}
    session.progress(at_s, "task", type="agent_progress", agentId="z", message=inner, normalizedMessages=[])


def with_a_relaying_sub_agent(session: Any) -> Any:
    """A sub-agent reads two files side by side and then fails; its parent's file relays what it says."""
    use = {"type": "tool_use", "name": "Read", "input": {"file_path": "a.py"}}
    session.call(0, "m", "task", "Task")
    relayed(session, 1.2, "user", "2026-01-05T10:00:01.000Z", {"type": "text", "text": "go"})
    for call, at in (("r1", "02.000"), ("r2", "02.500")):
        relayed(session, 3, "assistant", f"2026-01-05T10:00:{at}Z", use | {"id": call}, id="x")
    for call, at in (("r2", "02.600"), ("r1", "02.900")):
        answer = {"type": "tool_result", "tool_use_id": call, "content": "text"}
        relayed(session, 4, "user", f"2026-01-05T10:00:{at}Z", answer)
    return session.result(9, "task")


def test_what_a_sub_agent_s_progress_relays_is_a_conversation_of_its_own(session: Any, seconds: Any) -> None:
    """B097: with the inner messages' own stamps, whenever their lines were written."""
    reader, (main, inner) = with_a_relaying_sub_agent(session).read()
    assert (main.agent, inner.agent, reader.damage) == (None, "z", [])
    assert [(call.id, seconds(call.arrived_ns), seconds(call.ended_ns)) for call in inner.calls] == [
        ("r1", 2.0, 2.9),
        ("r2", 2.5, 2.6),
    ]
    assert inner.emitted == ("r2", "r1")
    assert [seconds(at_ns) for at_ns in main.calls[0].progress_ns] == [1.2, 3, 3, 4, 4]


@pytest.mark.parametrize("parent_first", [True, False])
def test_a_sub_agent_s_own_file_and_what_its_parent_relays_count_once(
    parent_first: bool, tmp_path: Path, session: Any
) -> None:
    """B094, B097."""
    with_a_relaying_sub_agent(session)
    parent, own = tmp_path / "parent.jsonl", tmp_path / "agent-z.jsonl"
    parent.write_bytes(b"".join(session.lines))
    told = [line["data"] for line in map(json.loads, session.lines) if "data" in line]
    lines = [data["message"] | {"isSidechain": True, "agentId": "z", "sessionId": "s"} for data in told]
    own.write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = [parent, own] if parent_first else [own, parent]
    readers = [(reader, list(reader)) for reader in read_traces(files)]
    calls = [call.id for _, turns in readers for turn in turns for call in turn.calls]
    assert sorted(calls) == ["r1", "r2", "task"]
    assert readers[1][0].counts.copied_calls == 2


def test_what_carries_no_message_relays_none(session: Any) -> None:
    session.call(0, "m", "task", "Task")
    for odd in ({"message": None}, {"message": "x"}, {"message": {"type": "system"}}, {"message": {"type": "user"}}):
        session.progress(1, "task", type="agent_progress", agentId="z", **odd)
    session.progress(1, "task", type="agent_progress", message={"type": "user", "message": {"content": "go"}})
    reader, (turn,) = session.result(2, "task").read()
    assert turn.agent is None
    assert [damage.what for damage in reader.damage] == ["user line without a message object, skipped"]


def test_sub_agents_without_ids_are_told_apart_by_the_root_of_their_chains(session: Any) -> None:
    """B097, B091: old files; a progress record stands in one of the chains."""
    side = {"isSidechain": True}
    session.call(0, "m", "t1", "Task").call(0, "m", "t2", "Task")
    session.prompt(1, uuid="r1", parentUuid=None, **side).prompt(1, uuid="r2", parentUuid=None, **side)
    session.call(2, "x1", "same", uuid="x1", parentUuid="r1", **side)
    session.call(2, "y1", "same", uuid="y1", parentUuid="r2", **side)
    session.add("progress", 2.5, uuid="p", parentUuid="x1", data={}, **side)
    session.result(3, "same", error=True, uuid="x2", parentUuid="p", **side)
    session.result(4, "same", uuid="y2", parentUuid="y1", **side)
    _, turns = session.result(5, "t1").result(5, "t2").read()
    assert [(turn.agent, outcomes(turn)) for turn in turns] == [
        (None, [("t1", "ok"), ("t2", "ok")]),
        ("r1", [("same", "error")]),
        ("r2", [("same", "ok")]),
    ]


def test_a_result_never_pairs_with_a_call_of_another_conversation(session: Any) -> None:
    """B097."""
    session.call(0, "m", "a").call(1, "x", "b", isSidechain=True, agentId="z")
    reader, (main, inner) = session.result(2, "b").result(3, "a", isSidechain=True, agentId="z").read()
    assert outcomes(main) == [("a", None)]
    assert outcomes(inner) == [("b", None)]
    assert [stray.what for stray in reader.strays] == [
        "tool_result for b, whose call belongs to another conversation",
        "tool_result for a, whose call belongs to another conversation",
    ]


def test_turns_are_handed_out_in_file_order_with_the_sub_agents_inside_a_call_after_it(session: Any) -> None:
    session.call(0, "m1", "t", "Task")
    session.call(1, "x1", "a", isSidechain=True, agentId="z").result(2, "a", isSidechain=True, agentId="z")
    session.call(3, "x2", "b", isSidechain=True, agentId="z").result(4, "b", isSidechain=True, agentId="z")
    session.result(5, "t").call(6, "m2", "c").result(7, "c")
    _, turns = session.read()
    assert [(turn.number, turn.message_id) for turn in turns] == [(1, "m1"), (2, "x1"), (3, "x2"), (4, "m2")]


def test_a_turn_is_handed_out_when_the_next_response_begins_and_not_at_the_end_of_the_file(session: Any) -> None:
    for n in range(1000):
        session.call(n, f"m{n}", f"c{n}").result(n + 0.5, f"c{n}")
    session.path.write_bytes(b"".join(session.lines))
    reader = read_trace(session.path)
    first = next(iter(reader))
    assert first.number == 1
    assert reader.counts.records == 3


def test_a_call_whose_result_never_comes_does_not_hold_up_the_turns_after_it(session: Any) -> None:
    for n in range(10):
        session.call(n, f"m{n}", f"c{n}")
        if n != 3:
            session.result(n + 0.5, f"c{n}")
    session.path.write_bytes(b"".join(session.lines))
    reader = read_trace(session.path)
    given = iter(reader)
    records = [(next(given).number, reader.counts.records) for _ in range(5)]
    assert records == [(1, 3), (2, 5), (3, 7), (4, 10), (5, 10)]
    assert [outcomes(turn) for turn in given][-1] == [("c9", "ok")]


def test_a_sub_agent_that_fell_silent_does_not_hold_up_the_main_conversation(session: Any) -> None:
    """B097: its last call has no result, and the main conversation goes on."""
    session.call(0, "x", "lost", isSidechain=True, agentId="z")
    for n in range(1, 9):
        session.call(n, f"m{n}", f"c{n}").result(n + 0.5, f"c{n}")
    session.path.write_bytes(b"".join(session.lines))
    reader = read_trace(session.path)
    assert next(iter(reader)).agent == "z"
    assert reader.counts.records == 6


def test_changed_field_shapes_cost_their_field_and_nothing_else(field_case: FieldCase) -> None:
    """B099."""
    reader = read_trace(field_case("B099"))
    (turn,) = reader
    assert outcomes(turn) == [("t1", "ok")]
    assert [damage.line for damage in reader.damage] == [4, 5, 5, 6, 7]


def test_odd_blocks_are_reported_and_their_neighbours_used(session: Any) -> None:
    """B099."""
    session.say(0, "m", {"type": "tool_use", "id": "a", "name": 7, "input": [1]})
    session.say(0, "m", {"type": "tool_use", "name": "Read"})
    session.add("user", 1, message={"content": ["odd", {"type": "tool_result", "tool_use_id": "a"}, None]})
    reader, (turn,) = session.read()
    assert [(call.id, call.tool, call.input, call.outcome) for call in turn.calls] == [("a", "?", None, "ok")]
    assert [damage.what for damage in reader.damage] == [
        "a tool_use without an id, skipped: nothing can answer it",
        "2 of 3 content blocks are no objects, skipped",
    ]


def test_file_order_wins_and_a_negative_duration_is_none_at_all_and_reported(field_case: FieldCase) -> None:
    """B100."""
    reader = read_trace(field_case("B100"))
    (turn,) = reader
    (call,) = turn.calls
    assert (call.started_ns, call.ended_ns) == (call.arrived_ns, call.arrived_ns)
    assert [(damage.line, damage.byte_offset, damage.what) for damage in reader.damage] == [
        (3, 714, "result of t1 is stamped 500 ms before its call, taken as 0 s")
    ]


def test_the_first_result_of_a_call_counts_and_the_second_is_kept_with_both_places(field_case: FieldCase) -> None:
    """B005."""
    reader = read_trace(field_case("B005"))
    (turn,) = reader
    (call,) = turn.calls
    assert (call.outcome, call.result_line, call.result_count) == ("error", 2, 2)
    assert [(stray.id, stray.line) for stray in turn.duplicates] == [("t1", 3)]
    assert reader.counts.duplicate_results == 1


def test_a_result_without_a_call_is_found_even_where_no_call_is_unanswered(field_case: FieldCase) -> None:
    """B015."""
    reader = read_trace(field_case("B015"))
    assert list(reader) == []
    assert [(stray.id, stray.line) for stray in reader.strays] == [("ghost", 1)]
    assert len(reader.damage) == 1


def test_a_stray_result_goes_with_the_turn_it_stands_in_or_the_next_one(session: Any) -> None:
    session.result(0, "early").call(1, "m", "a").result(2, "ghost").result(3, "a")
    _, (turn,) = session.read()
    assert [(stray.id, stray.line) for stray in turn.unmatched] == [("early", 1), ("ghost", 3)]
    assert all(isinstance(stray, StrayResult) for stray in turn.unmatched)


def test_the_same_id_twice_in_one_response_is_one_call_and_other_content_is_reported(session: Any) -> None:
    """E11."""
    session.call(0, "m", "a", given={"path": "x"}).call(0, "m", "a", given={"path": "x"})
    reader, (turn,) = session.call(0, "m", "a", given={"path": "y"}).result(1, "a").read()
    assert [(call.id, call.input) for call in turn.calls] == [("a", {"path": "x"})]
    assert [damage.what for damage in reader.damage] == [
        "tool_use a again with other content; the first one, on line 1, is kept"
    ]


def test_an_id_of_an_earlier_response_is_reported_when_another_one_uses_it_again(session: Any) -> None:
    """P2: ids are unique."""
    session.call(0, "m1", "a").result(1, "a").call(2, "m2", "a").result(3, "a")
    reader, turns = session.read()
    assert [outcomes(turn) for turn in turns] == [[("a", "ok")], [("a", "ok")]]
    assert [damage.what for damage in reader.damage] == ["tool_use id a was used by an earlier response"]


def test_synthetic_lines_are_no_responses(session: Any) -> None:
    message = {"id": "z", "model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}
    reader, (turn,) = session.call(0, "m", "a").result(1, "a").add("assistant", 2, message=message).read()
    assert turn.message_id == "m"
    assert (reader.counts.synthetic, reader.counts.responses) == (1, 1)


@pytest.mark.parametrize("words", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"])
def test_an_interrupt_is_the_whole_text_of_a_line_and_never_a_quotation(
    words: str, session: Any, seconds: Callable[[int | None], float | None]
) -> None:
    session.call(0, "m1", "a").result(1, "a", content=words)
    session.prompt(2, f'Another session said "{words}"').call(3, "m2", "b").result(4, "b")
    reader, turns = session.prompt(5, words).read()
    assert [seconds(turn.interrupted_ns) for turn in turns] == [None, 5]
    assert reader.counts.interrupts == 1


def test_versions_are_listed_as_they_appear_and_unknown_types_are_counted(session: Any) -> None:
    session.prompt(0)
    session.version = "2.1.70"
    reader, _ = session.prompt(1).add("brand-new", 2).add("brand-new", 3).read()
    assert reader.versions == ["2.1.63", "2.1.70"]
    assert reader.skipped == {"lines of unknown type brand-new": 2}


def test_each_conversation_that_the_file_breaks_off_leaves_its_last_response_unfinished(session: Any) -> None:
    """P1: what a slice of a session cuts off has got its result elsewhere."""
    session.call(0, "m1", "lost").call(1, "m2", "a").call(2, "m3", "task", "Task")
    relayed(session, 3, "assistant", "2026-01-05T10:00:03Z", {"type": "tool_use", "id": "r", "name": "Read"}, id="x")
    _, turns = session.read()
    assert [(turn.calls[0].id, turn.unfinished) for turn in turns] == [
        ("lost", False),
        ("a", False),
        ("task", True),
        ("r", True),
    ]
