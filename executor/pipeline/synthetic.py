"""Results the executor writes itself, for calls that did not finish by themselves: their texts (SPEC 9)."""

from ..calls.call import Call
from ..calls.content import Content
from ..calls.outcome import ABORTS, Outcome
from ..calls.output import sendable, sendable_text
from ..calls.result import ToolResult

REJECTED = (
    "The user did not want this tool use: it was not carried out, or was stopped before it ended. "
    "Wait for the user to say how to go on."
)
REJECTED_SUMMARY = "User rejected tool use"
PARTIAL = "\n\nOutput before it was stopped (partial):\n"

_STOPPED = ABORTS | {Outcome.TIMEOUT}


def unknown_tool(call: Call) -> ToolResult:
    """Answer a call of a tool that does not exist (E1)."""
    text = f"Error: No such tool available: {call.block.name}"
    return make(call, Outcome.UNKNOWN_TOOL, tagged(text), text)


def invalid_input(call: Call) -> ToolResult:
    """Answer a call whose input does not fit its tool (X1)."""
    text = f"InputValidationError: {call.invalid}"
    if call.tool is not None and call.tool.loaded_by is not None:
        text += (
            f". The input schema of {call.tool.name} was not sent to you: call {call.tool.loaded_by} first to load it"
        )
    return make(call, Outcome.INVALID_INPUT, tagged(text), text)


def aborted(call: Call, reason: Outcome, culprit: str, partial: Content = "", *, abandoned: bool = False) -> ToolResult:
    """Answer a call that an abort kept from starting or stopped.

    Args:
        call: the call.
        reason: one of :data:`~executor.calls.outcome.ABORTS`.
        culprit: for a sibling error, the description of the call that failed; may be empty.
        partial: output the call had produced; kept and marked (A10).
        abandoned: whether its body is still running (A9).
    """
    if reason is Outcome.SIBLING_ERROR:
        summary = (
            f"Cancelled: parallel tool call {culprit} errored" if culprit else "Cancelled: parallel tool call errored"
        )
        text = tagged(summary)
    elif reason is Outcome.STREAMING_FALLBACK:
        summary = "Streaming fallback - tool execution discarded"
        text = tagged(f"Error: {summary}")
    else:
        summary, text = REJECTED_SUMMARY, REJECTED
    return make(call, reason, _with_partial(text, partial), summary, abandoned=abandoned)


def denied(call: Call, reason: str, *, by_person: bool) -> ToolResult:
    """Answer a call that may not run, because a person refused it or nobody allowed it (H4)."""
    if by_person:
        return make(call, Outcome.DENIED, f"{REJECTED} They said: {reason}" if reason else REJECTED, REJECTED_SUMMARY)
    summary = f"Permission denied: {reason}" if reason else "Permission denied"
    return make(call, Outcome.DENIED, tagged(f"Error: {summary}"), f"Error: {summary}")


def hook_stopped(call: Call, outcome: Outcome, reason: str) -> ToolResult:
    """Answer a call that a hook keeps from running: by what it said, or because it failed (H1, H7)."""
    return make(call, outcome, reason, f"Error: {reason}")


def failed(call: Call, content: Content) -> ToolResult:
    """Answer a call that failed by itself: the tool's own words, or those of its exception (X4)."""
    return make(call, Outcome.ERROR, content, f"Error: {content}" if isinstance(content, str) else "Error")


def timed_out(call: Call, partial: Content = "", *, abandoned: bool = False) -> ToolResult:
    """Answer a call that its deadline stopped; if the body had begun, what it did is not known (X5, B044, B080).

    Args:
        call: the call.
        partial: output the call had produced; kept and marked (A10).
        abandoned: whether its body is still running (A9).
    """
    assert call.tool is not None, "an unknown tool has no deadline"
    summary = f"Error: Timed out after {call.tool.timeout_s:g} s"
    text = f"{summary}, hooks and questions included."
    if abandoned:
        text += " It is still running and cannot be stopped; what effect it has is unknown. It was not tried again."
    elif call.started:
        text += " It was stopped in mid-run; what effect it had is unknown. It was not tried again."
    else:
        text += " It had not begun."
    return make(call, Outcome.TIMEOUT, _with_partial(tagged(text), partial), summary, abandoned=abandoned)


def tagged(text: str) -> str:
    """Mark a text as an error of the tool use itself, as the model knows it."""
    return f"<tool_use_error>{text}</tool_use_error>"


def make(call: Call, outcome: Outcome, content: Content, summary: str = "", *, abandoned: bool = False) -> ToolResult:
    """Write a call's result, what is known of the call filled in."""
    # By position: every call passes here, and names cost as much as the rest.
    return ToolResult(
        call.id,
        call.block.name,
        outcome,
        content if content.__class__ is str and content.isascii() and "\0" not in content else sendable(content),
        sendable_text(summary),
        call.started,
        abandoned,
        call.was_exclusive and outcome in _STOPPED,
        call.block.message_id,
        call.attachments,
    )


def _with_partial(text: str, partial: Content) -> Content:
    if not partial:
        return text
    if isinstance(partial, str):
        return text + PARTIAL + partial
    return ({"type": "text", "text": text + PARTIAL}, *partial)
