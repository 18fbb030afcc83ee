"""What a body may hand back, and what becomes of it: the call's one result (A6)."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .attachment import Attachment
from .content import Content
from .context import Modifier, ToolContext
from .outcome import Outcome
from .progress import Progress


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


@dataclass(frozen=True, slots=True)
class Background:
    """What a body returns to say that its work goes on: the call is settled with a handle (X8).

    The executor awaits the work, and ends it when it is closed itself (E10); work that is to outlive the executor is
    not handed over.

    Args:
        handle: what the model gets to refer to the work by: text, content parts, or any value that JSON can hold.
        work: ends when the work does.
        detached: whether others may run beside the work; if not, an exclusive call stays exclusive until it ends.
    """

    handle: Any
    work: Awaitable[Any]
    detached: bool = False


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
        attachments: what hooks left beside it, in the order in which it counts (H1, H5–H7).
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
    attachments: tuple[Attachment, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether the model is told of a failure."""
        return self.outcome is not Outcome.OK

    @property
    def prevents_continuation(self) -> bool:
        """Whether a hook wants the model not to be asked again after this turn (H1, H5)."""
        return any(attachment.kind == "hook_prevented_continuation" for attachment in self.attachments)

    def to_block(self) -> dict[str, Any]:
        """Give the result as a ``tool_result`` content block of the Messages API."""
        content = self.content if isinstance(self.content, str) else [dict(part) for part in self.content]
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": self.call_id, "content": content}
        return block | {"is_error": True} if self.is_error else block

    def told(self) -> dict[str, Any]:
        """Give for a log what was answered, word for word, and what hooks left beside it."""
        told: dict[str, Any] = {"content": self.content}
        return told | {"attachments": [list(one) for one in self.attachments]} if self.attachments else told


class Update(NamedTuple):
    """What the executor hands its consumer (SPEC 1).

    Args:
        message: a call's one result, or something it reports before that.
        context: the context as it stands after it.
    """

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
