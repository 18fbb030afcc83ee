"""Tools that several scenario files share: ``include: tools.yaml``, a file that has ``tools:`` and nothing else.

The rule: a file's own tool counts more than an included one of its name, a later file's more than an earlier one's. A
file that is included includes none, so that what a tool means is at most two files away.
"""

from pathlib import Path
from typing import Any, Final

from pydantic import Field

from .calls import ToolSpec
from .part import Name, Part

WORD: Final = "include"
INCLUDE_SCHEMA: Final[dict[str, Any]] = {
    "description": "Files of shared tools, by their paths from this one.",
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string", "minLength": 1}}],
}


class SharedTools(Part):
    """What a file that is included may say."""

    tools: dict[Name, ToolSpec] = Field(default_factory=dict)


def paths_of(value: Any, folder: Path) -> list[tuple[tuple[str | int, ...], Path]]:
    """Give the files that an ``include`` names, each with the place where.

    Raises:
        ValueError: it names none.
    """
    if isinstance(value, str) and value:
        return [((WORD,), folder / value)]
    if isinstance(value, list) and all(isinstance(each, str) and each for each in value):
        return [((WORD, n), folder / each) for n, each in enumerate(value)]
    raise ValueError("expected the path of a file of tools, or a list of them")
