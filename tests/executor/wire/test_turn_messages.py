"""A turn's calls and results as messages (W7)."""

from executor import Outcome, ToolResult, ToolUseBlock
from executor.wire.messages import STOPPED, assemble

BLOCKS = [ToolUseBlock("a", "Read", {"path": "a.ts"}), ToolUseBlock("b", "Bash", {"command": "ls"})]
RESULTS = {
    "b": ToolResult("b", "Bash", Outcome.ERROR, "no such file"),
    "a": ToolResult("a", "Read", Outcome.OK, ({"type": "text", "text": "hi"}, {"type": "image", "source": {}})),
}
ASKED = {
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "a.ts"}},
        {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "ls"}},
    ],
}
ANSWER_A = {
    "type": "tool_result",
    "tool_use_id": "a",
    "content": [{"type": "text", "text": "hi"}, {"type": "image", "source": {}}],
}
ANSWER_B = {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True}
MARKER = {"type": "text", "text": STOPPED}


def test_all_results_stand_in_one_user_message_in_request_order() -> None:
    """W7: whatever order they came in; parts of one call inside its one result (B022)."""
    assert assemble(BLOCKS, RESULTS) == [ASKED, {"role": "user", "content": [ANSWER_A, ANSWER_B]}]


def test_after_a_stop_a_marker_stands_last() -> None:
    """W7, B083."""
    assert assemble(BLOCKS, RESULTS, stopped=True) == [ASKED, {"role": "user", "content": [ANSWER_A, ANSWER_B, MARKER]}]


def test_a_call_without_a_result_yet_is_asked_for_and_not_answered() -> None:
    assert assemble(BLOCKS, {"a": RESULTS["a"]}) == [ASKED, {"role": "user", "content": [ANSWER_A]}]
    assert assemble(BLOCKS, {}) == [ASKED]


def test_a_response_without_calls_makes_no_message() -> None:
    assert assemble([], {}) == []
    assert assemble([], {}, stopped=True) == [{"role": "user", "content": [MARKER]}]


def test_messages_share_nothing_with_the_results_they_were_made_of() -> None:
    """A6: who edits the history does not edit a result."""
    messages = assemble(BLOCKS, RESULTS)
    messages[1]["content"][0]["content"][0]["text"] = "edited"
    assert RESULTS["a"].to_block() == ANSWER_A


def test_what_hooks_add_stands_after_all_results_and_before_the_marker() -> None:
    """W7, B011: texts and images."""
    extra = [{"type": "text", "text": "a hook's"}, {"type": "image", "source": {}}]
    content = assemble(BLOCKS, RESULTS, extra=extra, stopped=True)[1]["content"]
    assert content == [ANSWER_A, ANSWER_B, *extra, MARKER]
    assert assemble([], {}, extra=extra) == [{"role": "user", "content": extra}]


def test_the_assistant_message_stands_as_it_came_and_only_calls_are_answered() -> None:
    """W7, B020: text before, a server's block between; an empty one is none."""
    came = [{"type": "text", "text": "So"}, ASKED["content"][0], {"type": "server_tool_use", "id": "s"}]
    message = {"role": "assistant", "content": came}
    assert assemble(BLOCKS[:1], RESULTS, message=message) == [message, {"role": "user", "content": [ANSWER_A]}]
    assert assemble([], {}, message={"role": "assistant", "content": []}) == []
