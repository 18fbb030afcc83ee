"""Histories judged by P1, P2, P3 and W7: each kind of fault alone, with the places of both ends (B015)."""

import pytest

from scenarios.history import HistoryError, lint, open_calls
from scenarios.history.faults import RULE_OF


def told(messages, **options) -> list[tuple[str, str, str, list[tuple[str, int, int]]]]:
    return [
        (fault.rule, fault.kind.value, fault.call, [(what, *place) for what, place in fault.ends])
        for fault in lint(messages, **options)
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["u hello", "a hi"],
        ["u go", "a look c:1 c:2", "u r:1 r:2 thanks", "a done"],
        ["u go", "a c:1", "u r:1", "a c:2", "u r:2"],
        ["u go", "a s:1 w:1 c:2", "u r:2", "a done"],
        ["u go", "a s:1"],
        ["u one", "u two", "a c:1", "a c:2", "u r:1 r:2 and", "u more"],
        [],
    ],
)
def test_a_valid_history_has_no_fault(history, lines) -> None:
    """B016, B020: consecutive messages of one role are one; what the server runs it answers itself."""
    assert lint(history(*lines)) == []


def test_a_content_that_is_a_text_is_a_message_like_any_other() -> None:
    assert lint([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]) == []


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["u go", "a c:1 c:2", "u r:1", "a done"], ("P1", "unanswered", "2", [("call", 1, 1)])),
        (["a c:1", "u go on", "a done"], ("P1", "unanswered", "1", [("call", 0, 0)])),
        (["a s:1", "u go on", "a done"], ("P1", "unanswered", "1", [("call", 0, 0)])),
        (
            ["a c:1", "u r:1 r:1"],
            ("P1", "duplicate", "1", [("result", 1, 1), ("call", 0, 0), ("counted result", 1, 0)]),
        ),
        (
            ["a c:1", "u r:1", "a done", "u r:1"],
            ("P1", "duplicate", "1", [("result", 3, 0), ("call", 0, 0), ("counted result", 1, 0)]),
        ),
        (
            ["u r:1", "a c:1", "u r:1"],
            ("P1", "duplicate", "1", [("result", 0, 0), ("call", 1, 0), ("counted result", 2, 0)]),
        ),
        (["u r:ghost", "a hello"], ("P2", "orphan", "ghost", [("result", 0, 0)])),
        (["u go", "a w:ghost"], ("P2", "orphan", "ghost", [("result", 1, 0)])),
        (
            ["a c:1", "u r:1", "a c:1", "u r:1"],
            ("P2", "repeated_id", "1", [("call", 2, 0), ("first call", 0, 0)]),
        ),
        (["a c:1 c:1", "u r:1"], ("P2", "repeated_id", "1", [("call", 0, 1), ("first call", 0, 0)])),
        (["u r:1", "a c:1", "u go on"], ("P3", "early", "1", [("result", 0, 0), ("call", 1, 0)])),
        (["a c:1", "u go on", "a well", "u r:1"], ("P3", "late", "1", [("result", 3, 0), ("call", 0, 0)])),
        (["a c:1 r:1", "u go on"], ("P3", "wrong_role", "1", [("result", 0, 1), ("call", 0, 0)])),
        (["u c:1", "a hello"], ("P3", "wrong_role", "1", [("call", 0, 0)])),
        (["a c:1", "u note r:1"], ("P3", "not_first", "1", [("result", 1, 1), ("text", 1, 0)])),
        (["a c:1", "u note", "u r:1"], ("P3", "not_first", "1", [("result", 2, 0), ("text", 1, 0)])),
        (["a c:1 c:2", "u r:1 note r:2"], ("P3", "not_first", "2", [("result", 1, 2), ("text", 1, 1)])),
        (["a c:1 c:2", "u r:1", "u r:2"], ("W7", "split", "2", [("result", 2, 0), ("result of 1", 1, 0)])),
        (["a c:1 c:2", "u r:2 r:1"], ("W7", "out_of_order", "2", [("result", 1, 0), ("result of 1", 1, 1)])),
    ],
)
def test_each_kind_of_fault_is_found_alone_and_told_with_its_ends(history, lines, fault) -> None:
    """P1, P2, P3, W7, B005, B006, B011, B015."""
    assert told(history(*lines)) == [fault]


def test_a_pair_across_a_compaction_is_told_as_split_and_not_as_a_tool_that_hung(history) -> None:
    """P1, B096."""
    messages = history("a c:1", "u r:1 go on")
    assert lint(messages) == []
    assert told(messages, starts=[1]) == [("P1", "split_by_compaction", "1", [("result", 1, 0), ("call", 0, 0)])]
    behind = history("a c:1", "u note r:1")
    assert told(behind, starts=[1]) == [("P1", "split_by_compaction", "1", [("result", 1, 1), ("call", 0, 0)])]
    assert told(history("a c:1", "a again"), starts=[1]) == [("P1", "unanswered", "1", [("call", 0, 0)])]


def test_a_call_without_an_id_and_a_result_without_one_are_told_by_their_places(history) -> None:
    """P2, B008."""
    messages = history("a c:", "u r: go")
    assert told(messages) == [("P2", "no_id", "", [("call", 0, 0)]), ("P2", "no_id", "", [("result", 1, 0)])]


def test_calls_that_the_history_ends_with_are_open_and_break_no_rule(history) -> None:
    """B085."""
    messages = history("u go", "a c:1 c:2")
    assert (lint(messages), open_calls(messages)) == ([], ["1", "2"])
    assert open_calls(history("u go", "a c:1 c:2", "u r:1 r:2")) == []


def test_results_that_come_one_by_one_leave_the_others_open_until_something_else_comes(history) -> None:
    """B010: until a message that is no result, or the end."""
    growing = history("a c:1 c:2", "u r:2")
    assert told(growing) == [("P1", "unanswered", "1", [("call", 0, 0)])]
    assert (lint(growing, growing=True), open_calls(growing, growing=True)) == ([], ["1"])
    over = history("a c:1 c:2", "u r:2 hello")
    assert (len(lint(over, growing=True)), open_calls(over, growing=True)) == (1, [])


def test_faults_are_told_in_the_order_of_their_places(history) -> None:
    messages = history("u r:ghost", "a c:1 c:2", "u note r:2 r:2", "a done")
    kinds = [(fault.kind.value, fault.place) for fault in lint(messages)]
    assert kinds == [("orphan", (0, 0)), ("unanswered", (1, 0)), ("not_first", (2, 1)), ("duplicate", (2, 2))]


def test_a_fault_reads_as_a_line(history) -> None:
    assert [str(fault) for fault in lint(history("a c:1", "u note r:1"))] == [
        "P3 not_first: text stands before the result of 1 "
        "(result at messages[1].content[1], text at messages[1].content[0])"
    ]


def test_every_kind_of_fault_breaks_a_rule_that_is_stated() -> None:
    assert set(RULE_OF.values()) == {"P1", "P2", "P3", "W7"}


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        (
            [{"role": "assistant", "content": [{"type": "function_call", "call_id": "1"}]}],
            "'function_call' is a call of",
        ),
        (
            [{"role": "user", "content": [{"type": "custom_tool_call_output"}]}],
            "'custom_tool_call_output' is a call of",
        ),
        ([{"role": "assistant", "content": None, "tool_calls": []}], r"messages\[0\].tool_calls: of another API"),
        ([{"role": "tool", "content": "x", "tool_call_id": "1"}], r"messages\[0\].tool_call_id: of another API"),
        ([{"role": "system", "content": "x"}], r"messages\[0\].role: expected user or assistant, got 'system'"),
        ([{"role": "user"}], r"messages\[0\].content: expected a text or a list of blocks, got nothing"),
        ([{"role": "user", "content": ["x"]}], r"messages\[0\].content\[0\]: expected a block with a type, got str"),
        ([7], r"messages\[0\]: expected an object with role and content, got int"),
    ],
)
def test_what_is_no_history_of_the_messages_api_is_refused_and_no_call_is_passed_over(messages, error) -> None:
    """B021: an unknown kind of call is an error, never a silent skip."""
    with pytest.raises(HistoryError, match=error):
        lint(messages)
