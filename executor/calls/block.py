"""One complete ``tool_use`` content block, as the model asked for it (SPEC 1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolUseBlock:
    """One request of the model: run this tool with this input.

    Args:
        id: the model's id for the request; a result names it.
        name: the tool asked for, possibly one that does not exist.
        input: the block's parsed JSON; anything a model can send, an object when it is right.
        message_id: the assistant message the block belongs to, where known (W7).
        raw: the input's text where it is no JSON object; such a block is answered and never runs (W4).
    """

    id: str
    name: str
    input: Any = field(default_factory=dict)
    message_id: str | None = None
    raw: str | None = None

    def to_block(self) -> dict[str, Any]:
        """Give the block as the Messages API has it; an input that is no object becomes ``{}`` (W4)."""
        kept = dict(self.input) if isinstance(self.input, Mapping) else {}
        return {"type": "tool_use", "id": self.id, "name": self.name, "input": kept}

    def told(self) -> dict[str, Any]:
        """Give for a log what was asked, word for word."""
        return {"input": self.input} if self.raw is None else {"input": self.input, "raw": self.raw}
