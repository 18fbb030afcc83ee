"""A hand to write histories with: messages of words, calls ``c:ID`` and results ``r:ID``."""

from collections.abc import Callable
from typing import Any

import pytest

Message = dict[str, Any]


def block(word: str) -> dict[str, Any]:
    kind, _, name = word.partition(":")
    match kind:
        case "c":
            return {"type": "tool_use", "id": name, "name": "Read", "input": {"path": name}}
        case "r":
            return {"type": "tool_result", "tool_use_id": name, "content": f"of {name}"}
        case "s":
            return {"type": "server_tool_use", "id": name, "name": "web_search", "input": {}}
        case "w":
            return {"type": "web_search_tool_result", "tool_use_id": name, "content": []}
    return {"type": "text", "text": word}


@pytest.fixture
def history() -> Callable[..., list[Message]]:
    """Messages from lines such as ``a c:1 c:2`` and ``u r:1 r:2 thanks``."""

    def write(*lines: str) -> list[Message]:
        roles = {"a": "assistant", "u": "user"}
        split = [line.split() for line in lines]
        return [{"role": roles[role], "content": [block(word) for word in words]} for role, *words in split]

    return write
