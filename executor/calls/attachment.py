"""What hooks leave beside a call's result: texts for the model, notes for people (H1, H5–H7)."""

from typing import Any, Final, Literal, NamedTuple

from .content import Content

AttachmentKind = Literal[
    "hook_message",
    "hook_context",
    "hook_prevented_continuation",
    "hook_warning",
    "hook_error",
    "hook_cancelled",
]
"""Messages and context are read by the model too; the others are for people, and for the loop."""

_FOR_THE_MODEL: Final = frozenset({"hook_message", "hook_context"})


class Attachment(NamedTuple):
    """One thing that a hook left beside a result.

    Args:
        kind: see :data:`AttachmentKind`.
        hook: the hook's name.
        content: text, or content parts such as images.
    """

    kind: AttachmentKind
    hook: str
    content: Content

    def to_blocks(self) -> list[dict[str, Any]]:
        """Give the content blocks that the model reads after the results (W7); none for what people alone read."""
        if self.kind not in _FOR_THE_MODEL or not self.content:
            return []
        if isinstance(self.content, str):
            return [{"type": "text", "text": self.content}]
        return [dict(part) for part in self.content]
