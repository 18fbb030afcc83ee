"""A turn's calls and results as messages of the Messages API (W7)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..calls.block import ToolUseBlock
from ..calls.result import ToolResult

STOPPED: Final = "[Stopped by the user]"
"""The marker that ends the message of a stopped turn, so that the model does not take the job up again (B083)."""


def assemble(
    blocks: Iterable[ToolUseBlock],
    results: Mapping[str, ToolResult],
    *,
    message: Mapping[str, Any] | None = None,
    extra: Iterable[Mapping[str, Any]] = (),
    stopped: bool = False,
) -> list[dict[str, Any]]:
    """Write the assistant message that asks and the user message that answers it, results first, in request order.

    What hooks said for the model stands after all results.

    Args:
        blocks: the calls, in request order.
        results: by call id; a call without one is left out of the answer.
        message: the assistant message as it came, text and server-side blocks included; made of the calls if missing.
        extra: content parts for the answer beside the results and what hooks left with them (B011).
        stopped: whether the user stopped the turn.
    """
    asked = list(blocks)
    answers: list[dict[str, Any]] = [results[block.id].to_block() for block in asked if block.id in results]
    for block in asked:
        if block.id in results:
            for attachment in results[block.id].attachments:
                answers += attachment.to_blocks()
    answers += [dict(part) for part in extra]
    if stopped:
        answers.append({"type": "text", "text": STOPPED})
    content = [block.to_block() for block in asked] if message is None else list(message["content"])
    messages = []
    if content:
        messages.append({"role": "assistant", "content": content})
    if answers:
        messages.append({"role": "user", "content": answers})
    return messages
