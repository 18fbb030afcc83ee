"""A session as the histories it tells of: what its program would send, each block with its line."""

from scenarios.history.session import read_session


def written(session, **options):
    session.path.write_bytes(b"".join(session.lines))
    return read_session(session.path, **options).histories


def shape(history) -> list[str]:
    return [
        " ".join(
            [
                message["role"][0],
                *(block.get("id") or block.get("tool_use_id") or block["text"] for block in message["content"]),
            ]
        )
        for message in history.messages
    ]


def told(history) -> list[tuple[str, str, list[int]]]:
    return [
        (fault.kind.value, fault.call, [history.line(end.place) for end in fault.ends]) for fault in history.faults()
    ]


def test_results_between_the_lines_of_a_response_answer_it_in_the_order_of_its_calls(session) -> None:
    """B010, B090, B095: whatever stands between the lines."""
    session.prompt(0, "go").call(1, "m1", "a").result(2, "a").call(3, "m1", "b").call(4, "m1", "c")
    session.result(5, "c").prompt(6, "meanwhile").result(7, "b").say(8, "m2", {"type": "text", "text": "done"})
    (history,) = written(session)
    assert shape(history) == ["u go", "a a b c", "u a b c", "u meanwhile", "a done"]
    assert history.lines == [[1], [2, 4, 5], [3, 8, 6], [7], [9]]
    assert told(history) == []


def test_a_result_after_the_next_response_is_late(session) -> None:
    """P3."""
    session.call(1, "m1", "a").prompt(2, "well?").call(3, "m2", "b").result(4, "b").result(5, "a").prompt(6)
    (history,) = written(session)
    assert told(history) == [("late", "a", [5, 1])]


def test_a_text_before_a_result_on_one_line_is_told_for_so_it_is_sent(session) -> None:
    """P3, B011."""
    session.call(1, "m1", "a")
    blocks = [{"type": "text", "text": "note"}, {"type": "tool_result", "tool_use_id": "a", "content": "x"}]
    session.add("user", 2, message={"role": "user", "content": blocks})
    (history,) = written(session)
    assert told(history) == [("not_first", "a", [2, 2])]


def test_the_last_results_may_still_be_missing_until_something_else_is_said(session) -> None:
    """B010, B085."""
    session.call(1, "m1", "a").call(1, "m1", "b").result(2, "b")
    (history,) = written(session)
    assert (told(history), history.open_calls()) == ([], ["a"])
    (history,) = written(session.prompt(3, "never mind"))
    assert (told(history), history.open_calls()) == ([("unanswered", "a", [1])], [])


def test_a_call_that_is_written_twice_is_one_and_answers_of_the_program_itself_are_none_of_the_models(session) -> None:
    """B067, B095."""
    synthetic = {
        "id": "m0",
        "role": "assistant",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error"}],
    }
    session.call(1, "m1", "a").call(1.1, "m1", "a").add("assistant", 2, message=synthetic).result(3, "a")
    (history,) = written(session)
    assert shape(history) == ["a a", "u a"]


def test_a_compaction_parts_a_history_and_results_beyond_it_are_split_from_their_calls(session) -> None:
    """P1, B096."""
    session.prompt(0, "go").call(1, "m1", "a").add("system", 2, subtype="compact_boundary").result(3, "a").prompt(
        4, "on"
    )
    (history,) = written(session)
    assert (history.starts, told(history)) == ((2,), [("split_by_compaction", "a", [4, 2])])
    assert [(shape(part), part.rest) for part in history.segments()] == [
        (["u go", "a a"], {"segment": 0}),
        (["u a", "u on"], {"segment": 1}),
    ]


def test_sub_agents_are_histories_of_their_own_after_the_main_one(session) -> None:
    """B097: their calls and results do not pair with the main conversation's."""
    session.call(1, "m1", "task", "Task").prompt(2, "look", isSidechain=True, agentId="x")
    session.call(3, "s1", "inner", isSidechain=True, agentId="x").result(4, "inner").result(5, "task")
    main, agent = written(session)
    assert (shape(main), shape(agent), agent.rest) == (
        ["a task", "u task inner"],
        ["u look", "a inner"],
        {"agent": "x"},
    )
    assert (told(main), told(agent), agent.open_calls()) == ([("orphan", "inner", [4])], [], ["inner"])


def test_what_blocks_hold_can_be_left_out_where_only_the_verdict_is_wanted(session) -> None:
    session.prompt(0, "go").call(1, "m1", "a", given={"path": "x" * 99}).result(2, "a", "ghost", content="y" * 99)
    (whole,), (bare,) = written(session), written(session, contents=False)
    assert (bare.faults(), bare.lines) == (whole.faults(), whole.lines)
    assert bare.messages[1]["content"] == [{"type": "tool_use", "id": "a"}]


def test_how_far_reading_has_come_is_told(session) -> None:
    seen = []
    written(session.prompt(0, "go"), on_progress=lambda done, size: seen.append((done, size)))
    assert seen == [(len(session.lines[0]), len(session.lines[0]))]
