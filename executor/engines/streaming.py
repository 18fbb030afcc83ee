"""The streaming engine: calls start while the response still arrives (SPEC 2)."""

from .core import ToolExecutor


class StreamingToolExecutor(ToolExecutor):
    """Starts each call as soon as its block is there and the rules of admission let it (E3–E5)."""
