"""One content block, put together from its start and its deltas (W1).

The rule: what a block is made of is kept as it came, whatever keys it has; only its text grows.
"""

import copy
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .json_input import is_whole, joined, parse

CLIENT_TOOL: Final = "tool_use"
"""The one kind of block that is ours to run; every other ``*_tool_use`` is the server's (B020)."""

_KINDS: Final = frozenset(
    {"text", "thinking", "redacted_thinking", "compaction", "fallback", "container_upload", CLIENT_TOOL}
)
_SERVER_SIDE: Final = ("_tool_use", "_tool_result")


class _Growth(NamedTuple):
    """What a type of delta does: in which family of blocks, and which of its fields are added to which of theirs."""

    family: str
    fields: tuple[tuple[str, str], ...]


_DELTAS: Final = {
    "text_delta": _Growth("text", (("text", "text"),)),
    "thinking_delta": _Growth("thinking", (("thinking", "thinking"),)),
    "signature_delta": _Growth("thinking", (("signature", "signature"),)),
    "citations_delta": _Growth("text", (("citation", "citations"),)),
    "compaction_delta": _Growth("compaction", (("content", "content"), ("encrypted_content", "encrypted_content"))),
    "input_json_delta": _Growth(CLIENT_TOOL, (("partial_json", "input"),)),
}


def is_known(kind: str) -> bool:
    """Whether a kind of block can be kept; server-side tools come in families, so they go by their ending."""
    return kind in _KINDS or kind.endswith(_SERVER_SIDE)


class ContentBlock:
    """A block of a known kind on its way.

    Args:
        start: the block as ``content_block_start`` has it.
    """

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.kind: str = start["type"]
        self.start = dict(start)
        self._parts: dict[str, list[Any]] = {}

    @property
    def _family(self) -> str:
        return CLIENT_TOOL if self.kind.endswith(CLIENT_TOOL) else self.kind

    @property
    def input_text(self) -> str:
        """The input's text as far as it has come."""
        return joined(self._parts.get("input", []))

    @property
    def given_input(self) -> Mapping[str, Any]:
        """The input that stood in the start already, as calls made by code on the server have it; else empty."""
        given = self.start.get("input")
        return given if isinstance(given, Mapping) else {}

    def grow(self, delta: Mapping[str, Any]) -> bool:
        """Add a delta; ``False`` if its type is not known.

        Raises:
            ValueError: the delta belongs to another kind of block, or its payload is not what it should be.
        """
        kind = delta["type"]
        growth = _DELTAS.get(kind)
        if growth is None:
            return False
        if growth.family != self._family:
            raise ValueError(f"a {kind} does not belong to a {self.kind} block")
        for source, target in growth.fields:
            value = delta.get(source)
            if target == "citations" or isinstance(value, str):
                self._parts.setdefault(target, []).append(value)
            elif value is not None or len(growth.fields) == 1:
                raise ValueError(f"a {kind} needs {source} as text, got {value!r}")
        return True

    @property
    def has_input(self) -> bool:
        """Whether anything of an input came."""
        return bool(self.input_text.strip() or self.given_input)

    def final_input(self, *, is_trusted: bool) -> tuple[Any, str | None]:
        """Give the input of a complete block, and its text where it is no object by itself and must not run (W4).

        Args:
            is_trusted: whether every piece came and is the block's own; else only an object that was whole before
                doubt arose counts.
        """
        text = self.input_text
        if not is_trusted and not is_whole(text):
            return None, text
        if not text.strip():
            return copy.deepcopy(dict(self.given_input)), None
        try:
            value = parse(text)
        except ValueError:
            return None, text
        return value, None if isinstance(value, dict) else text

    def content(self) -> dict[str, Any]:
        """Give the whole block as the history has it; an input that is no object is ``{}`` there (W4)."""
        content = dict(self.start)
        for key, parts in self._parts.items():
            before = content.get(key)
            if key == "citations":
                content[key] = [*(before if isinstance(before, list) else ()), *parts]
            elif key != "input":
                content[key] = joined([before if isinstance(before, str) else "", *parts])
        if self._family == CLIENT_TOOL:
            value, raw = self.final_input(is_trusted=True)
            content["input"] = value if raw is None else {}
        return content
