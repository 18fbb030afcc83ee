"""The texts of results that the executor writes itself: SPEC 9's table, word for word."""

from typing import Any

import pytest

from executor import Outcome, ToolResult, ToolSet, ToolUseBlock, tool
from executor.calls.call import Call
from executor.pipeline import synthetic

TEXT = {"type": "text", "text": "half"}


def call_of(name: str = "Bash", **given: Any) -> Call:
    return Call(ToolUseBlock("a", name, given, message_id="m"), 0, None, 0.0)


def texts(result: ToolResult) -> tuple[object, str]:
    return result.content, result.summary


def test_an_unknown_tool_is_named_to_the_model_and_to_people() -> None:
    """SPEC 9, first row; E1."""
    result = synthetic.unknown_tool(call_of("Grpe"))
    assert texts(result) == (
        "<tool_use_error>Error: No such tool available: Grpe</tool_use_error>",
        "Error: No such tool available: Grpe",
    )
    assert (result.outcome, result.started, result.message_id) == (Outcome.UNKNOWN_TOOL, False, "m")


def test_an_invalid_input_says_what_is_wrong_with_it() -> None:
    """X1."""
    call = call_of()
    call.invalid = "path: Field required"
    result = synthetic.invalid_input(call)
    assert texts(result) == (
        "<tool_use_error>InputValidationError: path: Field required</tool_use_error>",
        "InputValidationError: path: Field required",
    )
    assert result.outcome is Outcome.INVALID_INPUT


def test_an_invalid_input_of_a_tool_whose_schema_was_not_sent_says_what_to_call_first(shop) -> None:
    """X1."""

    @tool(name="Grep", loaded_by="ToolSearch")
    async def grep(pattern: str) -> str:
        return pattern

    played = shop.play(
        (0.0, shop.block("a", "Grep")), (0.0, shop.block("b", "Grep", pattern="x")), tools=ToolSet([grep])
    )
    assert played.results["a"].summary == (
        "InputValidationError: pattern: Field required. The input schema of Grep was not sent to you: call ToolSearch "
        "first to load it"
    )
    assert played.results["b"].content == "x"


@pytest.mark.parametrize(
    ("culprit", "text"),
    [
        ("Bash(mkdir build)", "Cancelled: parallel tool call Bash(mkdir build) errored"),
        ("", "Cancelled: parallel tool call errored"),
    ],
)
def test_a_sibling_error_names_the_call_that_failed_where_it_can(culprit: str, text: str) -> None:
    """SPEC 9, second row; A2."""
    result = synthetic.aborted(call_of(), Outcome.SIBLING_ERROR, culprit)
    assert texts(result) == (f"<tool_use_error>{text}</tool_use_error>", text)
    assert result.outcome is Outcome.SIBLING_ERROR


def test_a_sibling_error_shows_forty_characters_of_the_culprit_and_not_one_more() -> None:
    """SPEC 9."""
    command = "mkdir -p one/two/three/four/five/six/seven/eight"
    culprit = call_of(command=command).describe()
    result = synthetic.aborted(call_of(), Outcome.SIBLING_ERROR, culprit)
    assert result.summary == f"Cancelled: parallel tool call Bash({command[:40]}) errored"


def test_a_fallback_is_told() -> None:
    """SPEC 9, third row; A8."""
    assert texts(synthetic.aborted(call_of(), Outcome.STREAMING_FALLBACK, "Bash(ls)")) == (
        "<tool_use_error>Error: Streaming fallback - tool execution discarded</tool_use_error>",
        "Streaming fallback - tool execution discarded",
    )


def test_a_stop_of_the_user_says_that_nothing_was_carried_out_and_to_wait() -> None:
    """SPEC 9, fourth row; A7."""
    content, summary = texts(synthetic.aborted(call_of(), Outcome.USER_INTERRUPTED, ""))
    assert summary == "User rejected tool use"
    for words in ("did not want", "not carried out, or was stopped", "Wait for the user"):
        assert words in str(content)


@pytest.mark.parametrize("reason", [Outcome.SIBLING_ERROR, Outcome.STREAMING_FALLBACK, Outcome.USER_INTERRUPTED])
def test_output_from_before_the_stop_is_kept_and_marked_as_partial(reason: Outcome) -> None:
    """A10, B072."""
    plain = synthetic.aborted(call_of(), reason, "")
    with_text = synthetic.aborted(call_of(), reason, "", "half")
    assert with_text.content == f"{plain.content}{synthetic.PARTIAL}half"
    assert "partial" in synthetic.PARTIAL
    with_parts = synthetic.aborted(call_of(), reason, "", (TEXT,))
    assert with_parts.content == ({"type": "text", "text": f"{plain.content}{synthetic.PARTIAL}"}, TEXT)
    assert with_text.summary == with_parts.summary == plain.summary


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("was_exclusive", [False, True])
def test_only_an_exclusive_call_that_was_stopped_has_an_unknown_effect(outcome: Outcome, was_exclusive: bool) -> None:
    """SPEC 1: by an abort or its deadline (B080); one that ran to its end, well or badly, has none (A6)."""
    call = call_of()
    call.started, call.was_exclusive = True, was_exclusive
    stops = (Outcome.SIBLING_ERROR, Outcome.STREAMING_FALLBACK, Outcome.USER_INTERRUPTED, Outcome.TIMEOUT)
    assert synthetic.make(call, outcome, "").effect_unknown is (was_exclusive and outcome in stops)


def test_a_denial_without_a_reason_says_no_more_than_that() -> None:
    """H4, SPEC 9."""
    assert texts(synthetic.denied(call_of(), "", by_person=False)) == (
        "<tool_use_error>Error: Permission denied</tool_use_error>",
        "Error: Permission denied",
    )


def test_an_error_in_parts_is_told_to_people_as_an_error_only() -> None:
    """X4, SPEC 9."""
    assert texts(synthetic.failed(call_of(), (TEXT,))) == ((TEXT,), "Error")


@pytest.mark.parametrize(
    ("started", "abandoned", "known"),
    [
        (False, False, "It had not begun."),
        (True, False, "It was stopped in mid-run; what effect it had is unknown. It was not tried again."),
        (
            True,
            True,
            "It is still running and cannot be stopped; what effect it has is unknown. It was not tried again.",
        ),
    ],
)
def test_a_timeout_says_what_is_not_known(started: bool, abandoned: bool, known: str) -> None:
    """X5, B044, B080, A9."""
    slow = tool(name="Slow", timeout_s=2.0)(lambda: None)
    call = Call(ToolUseBlock("a", "Slow", {}), 0, slow, 0.0)
    call.started = started
    result = synthetic.timed_out(call, abandoned=abandoned)
    assert texts(result) == (
        f"<tool_use_error>Error: Timed out after 2 s, hooks and questions included. {known}</tool_use_error>",
        "Error: Timed out after 2 s",
    )
    assert result.abandoned is abandoned


def test_nothing_is_abandoned_unless_that_is_said() -> None:
    """A9."""
    slow = Call(ToolUseBlock("a", "Slow", {}), 0, tool(name="Slow", timeout_s=2.0)(lambda: None), 0.0)
    assert not synthetic.timed_out(slow).abandoned
    assert not synthetic.aborted(slow, Outcome.USER_INTERRUPTED, "").abandoned


def test_a_nul_is_replaced_and_counted_however_plain_the_rest_is() -> None:
    """X6."""
    content = synthetic.make(call_of(), Outcome.OK, "a\0b").content
    assert content == "a\N{REPLACEMENT CHARACTER}b\n[replaced 1 character that cannot be sent: NUL or a lone surrogate]"
