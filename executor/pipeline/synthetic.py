"""Results the executor writes itself, for calls that did not finish by themselves: their texts (SPEC 9)."""

from ..calls.call import Call
from ..calls.outcome import ABORTS, Outcome
from ..calls.result import Content, ToolResult

REJECTED = (
    "The user did not want this tool use: it was not carried out, or was stopped before it ended. "
    "Wait for the user to say how to go on."
)
PARTIAL = "\n\nOutput before it was stopped (partial):\n"


def unknown_tool(call: Call) -> ToolResult:
    """Answer a call of a tool that does not exist (E1)."""
    text = f"Error: No such tool available: {call.block.name}"
    return make(call, Outcome.UNKNOWN_TOOL, tagged(text), text)


def invalid_input(call: Call) -> ToolResult:
    """Answer a call whose input does not fit its tool (X1)."""
    text = f"InputValidationError: {call.invalid}"
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
        summary, text = "User rejected tool use", REJECTED
    return make(call, reason, _with_partial(text, partial), summary, abandoned=abandoned)


def tagged(text: str) -> str:
    """Mark a text as an error of the tool use itself, as the model knows it."""
    return f"<tool_use_error>{text}</tool_use_error>"


def make(call: Call, outcome: Outcome, content: Content, summary: str = "", *, abandoned: bool = False) -> ToolResult:
    """Write a call's result, what is known of the call filled in."""
    return ToolResult(
        call_id=call.id,
        tool=call.block.name,
        outcome=outcome,
        content=content,
        summary=summary,
        started=call.started,
        abandoned=abandoned,
        effect_unknown=call.was_exclusive and outcome in ABORTS,
        message_id=call.block.message_id,
    )


def _with_partial(text: str, partial: Content) -> Content:
    if not partial:
        return text
    if isinstance(partial, str):
        return text + PARTIAL + partial
    return ({"type": "text", "text": text + PARTIAL}, *partial)
