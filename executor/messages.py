"""A turn's calls and results as messages of the Messages API (W7)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .calls.block import ToolUseBlock
from .calls.result import ToolResult

STOPPED: Final = "[Stopped by the user]"
"""The marker that ends the message of a stopped turn, so that the model does not take the job up again (B083)."""


def assemble(
    blocks: Iterable[ToolUseBlock], results: Mapping[str, ToolResult], *, stopped: bool = False
) -> list[dict[str, Any]]:
    """Write the assistant message that asks and the user message that answers it, results first, in request order.

    What hooks said for the model stands after all results.

    Args:
        blocks: the calls, in request order.
        results: by call id; a call without one is left out of the answer.
        stopped: whether the user stopped the turn.
    """
    asked = list(blocks)
    answers: list[dict[str, Any]] = [results[block.id].to_block() for block in asked if block.id in results]
    for block in asked:
        if block.id in results:
            for attachment in results[block.id].attachments:
                answers += attachment.to_blocks()
    if stopped:
        answers.append({"type": "text", "text": STOPPED})
    messages = []
    if asked:
        messages.append({"role": "assistant", "content": [block.to_block() for block in asked]})
    if answers:
        messages.append({"role": "user", "content": answers})
    return messages
