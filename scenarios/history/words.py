"""What a repair writes into a history: results for calls that have none, and texts in place of what answers nothing."""

import json
from collections.abc import Mapping
from typing import Any, Final

from .blocks import Block

Value = Mapping[str, Any]

NO_RESULT: Final = (
    "No result of this call is in the history: it was interrupted, or its result was lost. "
    "Whether it had an effect is not known."
)
MOVED: Final[Value] = {"type": "text", "text": "[A tool result that stood here was moved to its call.]"}
_SHOWN_TO_USERS: Final = frozenset({"text", "image", "document", "search_result"})


def no_result(call_id: str) -> Value:
    """Write the result of a call that has none."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": NO_RESULT, "is_error": True}


def as_text(block: Block) -> list[Value]:
    """Say what a call or result holds, where it cannot stay one.

    >>> from scenarios.history import Place
    >>> ghost = {"type": "tool_result", "tool_use_id": "ghost", "content": "left over"}
    >>> as_text(Block(Place(0, 0), "user", ghost))[0]["text"]
    '[tool_result of ghost, which answers no call of this history]\\nleft over'
    """
    value, named = block.value, block.call_id or "no id"
    if block.is_call or block.is_server_call:
        why = "a call in a user's message" if block.role == "user" else "a call without a result in this history"
        told = json.dumps(value.get("input"), ensure_ascii=False)
        return [_text(f"[{block.kind} {named}, {why}]\n{value.get('name')} {told}")]
    head, content = f"[{block.kind} of {named}, which answers no call of this history]", value.get("content")
    if isinstance(content, str):
        return [_text(f"{head}\n{content}")]
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    if block.role == "user" and len(parts) and all(part.get("type") in _SHOWN_TO_USERS for part in parts):
        return [_text(head), *parts]
    return [_text(f"{head}\n{json.dumps(content, ensure_ascii=False)}" if content else head)]


def _text(text: str) -> Value:
    return {"type": "text", "text": text}
