"""The life of one content index in a response, as a table (W6).

The rule: the first block of an index stays. What comes for the index in contradiction to it is left out and told.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from ..calls.block import ToolUseBlock
from .content import CLIENT_TOOL, ContentBlock


class State(StrEnum):
    """Where the block of one index stands; an index that was never started has none."""

    OPEN = "open"
    DOUBTFUL = "doubtful"
    """Open, but the stream has contradicted itself about it, or a piece may be missing."""
    CLOSED = "closed"
    REPEATED = "repeated"
    """Closed, and another block came under its index, which is left out."""


class Step(StrEnum):
    """What an event does to a block."""

    START = "start"
    DELTA = "delta"
    STOP = "stop"


TRANSITIONS: Final[Mapping[tuple[State | None, Step], tuple[State | None, str]]] = {
    (None, Step.START): (State.OPEN, ""),
    (None, Step.DELTA): (None, "a delta without a start; it was left out"),
    (None, Step.STOP): (None, "a stop without a start; it was left out"),
    (State.OPEN, Step.START): (
        State.DOUBTFUL,
        "a second start before the stop; the first stays, the second is left out",
    ),
    (State.OPEN, Step.DELTA): (State.OPEN, ""),
    (State.OPEN, Step.STOP): (State.CLOSED, ""),
    (State.DOUBTFUL, Step.START): (State.DOUBTFUL, "one more start before the stop; it is left out"),
    (State.DOUBTFUL, Step.DELTA): (State.DOUBTFUL, ""),
    (State.DOUBTFUL, Step.STOP): (State.CLOSED, ""),
    (State.CLOSED, Step.START): (
        State.REPEATED,
        "a second start after the stop; the first stays, the second is left out",
    ),
    (State.CLOSED, Step.DELTA): (State.CLOSED, "a delta after the stop; it was left out"),
    (State.CLOSED, Step.STOP): (State.CLOSED, "a second stop; it was left out"),
    (State.REPEATED, Step.START): (State.REPEATED, "one more start after the stop; it is left out"),
    (State.REPEATED, Step.DELTA): (State.REPEATED, ""),
    (State.REPEATED, Step.STOP): (State.CLOSED, ""),
}
"""The life of an index: the next state, and the fault where the step should not have been."""


class Slot:
    """What is known of one index.

    Args:
        content: its block; ``None`` if it is of a kind nobody knows (W2).
    """

    __slots__ = ("block", "content", "handed_over", "has_input", "is_trusted", "state", "stopped_at")

    def __init__(self, content: ContentBlock | None) -> None:
        self.content = content
        self.state: State | None = None
        self.is_trusted = True
        self.stopped_at = 0
        """The number of the event that completed the block, 0 while none has."""
        self.has_input = False
        """Whether any of an input came, so that the block's end cannot be that of a reply cut off before it (W5)."""
        self.block: ToolUseBlock | None = None
        """The call to run, once the block is complete, if it is one."""
        self.handed_over = False

    @property
    def is_complete(self) -> bool:
        """Whether the block came to its end."""
        return self.state in (State.CLOSED, State.REPEATED)

    def doubt(self) -> None:
        """Note that a piece of the block may be missing, or may not be its own."""
        self.state, self.is_trusted = State.DOUBTFUL, False

    def kept(self) -> dict[str, Any] | None:
        """Give what the history keeps of the block, ``None`` if it keeps nothing."""
        content = self.content
        if content is None or not self.is_complete:
            return None
        if content.kind == CLIENT_TOOL:
            return content.content() | self.block.to_block() if self.block is not None and self.handed_over else None
        part = content.content()
        return None if content.kind == "text" and not str(part.get("text") or "").strip() else part
