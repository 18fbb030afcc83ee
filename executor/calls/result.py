"""What a body may hand back, and what becomes of it: the call's one result (A6)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from .context import Modifier, ToolContext
from .outcome import Outcome
from .progress import Progress

Content = str | tuple[Mapping[str, Any], ...]
"""A result's content: text, or content parts (text, image, ...) that stay inside this one result (B022)."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a body returns when it has more to say than its content.

    Args:
        content: text, content parts, or any value that JSON can hold.
        is_error: the tool's own failure, told as an answer rather than an exception.
        modifier: changes the context for later calls; used only if the call ends ``ok`` (C1).
    """

    content: Any = ""
    is_error: bool = False
    modifier: Modifier | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a body returns to say that it gave up because its signal fired (A6), with what it had so far."""

    partial: Any = ""


class ToolResult(NamedTuple):
    """The one result of one call.

    Args:
        call_id: the ``tool_use`` this answers.
        tool: the name the model used.
        outcome: how the call ended, as data.
        content: what the model reads.
        summary: a short text for people; empty where the content says it all.
        started: whether the body ran at all.
        abandoned: whether the body may still be running although the call is settled (A9).
        effect_unknown: whether an exclusive call was stopped in mid-run, so that half its effects may be there.
        message_id: the assistant message that asked, where known (W7).
    """

    call_id: str
    tool: str
    outcome: Outcome
    content: Content
    summary: str = ""
    started: bool = False
    abandoned: bool = False
    effect_unknown: bool = False
    message_id: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the model is told of a failure."""
        return self.outcome is not Outcome.OK

    def to_block(self) -> dict[str, Any]:
        """Give the result as a ``tool_result`` content block of the Messages API."""
        content = self.content if isinstance(self.content, str) else [dict(part) for part in self.content]
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": self.call_id, "content": content}
        return block | {"is_error": True} if self.is_error else block


class Update(NamedTuple):
    """What the executor hands its consumer: a message, and the context as it stands after it (SPEC 1)."""

    message: ToolResult | Progress
    context: ToolContext

    @property
    def result(self) -> ToolResult | None:
        """The message if it is a result."""
        return self.message if isinstance(self.message, ToolResult) else None

    @property
    def progress(self) -> Progress | None:
        """The message if it is progress."""
        return self.message if isinstance(self.message, Progress) else None


def content_of(value: Any) -> Content:
    """Turn whatever a body returned into a result's content.

    Text stays text, a list of content parts (objects with a ``type``) stays one, ``None`` is empty, anything
    else is written as JSON.

    >>> content_of({"lines": 3})
    '{"lines": 3}'
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, Sequence) and value and all(isinstance(part, Mapping) and "type" in part for part in value):
        return tuple(dict(part) for part in value)
    return json.dumps(to_jsonable_python(value, fallback=repr, inf_nan_mode="strings"), ensure_ascii=False)
