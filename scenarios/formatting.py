"""Scenario files in their one form: as :func:`scenarios.dump` writes, with their comments, and their includes.

The rule: a comment stays with the line of the part it stood at, before it or behind it; writing what is written changes
nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from .calls import TYPICAL_WORD
from .files import read_text, scenario_of
from .includes import WORD
from .tree import compose
from .writing import write

Path_ = tuple[str | int, ...]
_TOP: Final[Path_] = (-1,)
"""Where comments belong that nothing comes before: they are the file's, whatever comes first in it."""
_END: Final[Path_] = ()
"""Where comments belong that nothing comes after."""


def formatted(path: str | Path) -> str:
    """Give a scenario file as it should stand.

    Raises:
        ScenarioError: it is no scenario file.
    """
    text = read_text(path)
    scenario, data = scenario_of(text, str(path), Path(path).parent)
    # What an author said is kept, even where it goes without saying.
    words = scenario.model_dump(mode="json", by_alias=True, exclude_unset=True)
    _keep_typical(words, data)
    if WORD in data:
        kept = {name: tool for name, tool in words.pop("tools").items() if name in data.get("tools", ())}
        head = {key: words.pop(key) for key in ("scenario", "rules", "options") if key in words}
        words = head | {WORD: data[WORD]} | ({"tools": kept} if kept else {}) | words
    return _with_comments(write(words), _comments(text))


def _keep_typical(words: dict[str, Any], data: dict[str, Any]) -> None:
    """Put the word back for the durations that it stands for."""
    for written, said in zip(words.get("calls", ()), data.get("calls", ()), strict=True):
        if said.get("takes") == TYPICAL_WORD:
            written["takes"] = TYPICAL_WORD
    for written, said in zip(words.get("attempts", ()), data.get("attempts", ()), strict=True):
        _keep_typical(written, said)


def _comments(text: str) -> list[tuple[Path_, bool, str]]:
    """Give the comments of a text: of which part, whether behind it on its line, and what they say."""
    lines = text.splitlines()
    parts = _parts_by_line(text)
    found: list[tuple[Path_, bool, str]] = []
    for n, column in _places(text):
        behind = bool(lines[n][:column].strip())
        if n < min(parts, default=0):
            found.append((_TOP, False, lines[n][column:].rstrip()))
            continue
        later = (line for line in sorted(parts) if line >= n)
        at = max((line for line in parts if line <= n), default=None) if behind else next(later, None)
        found.append((_END if at is None else parts[at], behind, lines[n][column:].rstrip()))
    return found


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Give line and column, from 0, at which a comment begins: a ``#`` that is part of no token."""
    lines = text.splitlines()
    taken: dict[int, list[tuple[int, int]]] = {}
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        start, end = token.start_mark, token.end_mark
        for n in range(start.line, end.line + 1):
            left = start.column if n == start.line else 0
            right = end.column if n == end.line else len(lines[n]) if n < len(lines) else 0
            taken.setdefault(n, []).append((left, right))
    for n, line in enumerate(lines):
        for column, character in enumerate(line):
            free = not any(left <= column < right for left, right in taken.get(n, ()))
            if character == "#" and free and (column == 0 or line[column - 1].isspace()):
                yield n, column
                break


def _parts_by_line(text: str) -> dict[int, Path_]:
    """Give for each line on which parts begin the outermost of them."""
    parts: dict[int, Path_] = {}

    def walk(node: yaml.Node, path: Path_) -> None:
        match node:
            case yaml.MappingNode():
                for key, value in node.value:
                    parts.setdefault(key.start_mark.line, (*path, str(key.value)))
                    walk(value, (*path, str(key.value)))
            case yaml.SequenceNode():
                for n, item in enumerate(node.value):
                    parts.setdefault(item.start_mark.line, (*path, n))
                    walk(item, (*path, n))

    if (root := compose(text)) is not None:
        walk(root, ())
    return parts


def _with_comments(text: str, comments: list[tuple[Path_, bool, str]]) -> str:
    """Put comments to the lines of their parts, or of the nearest part around them that has a line of its own."""
    lines = text.splitlines()
    at = {path: line for line, path in _parts_by_line(text).items()}
    before: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    for path, follows, comment in comments:
        whole = path
        while whole and whole not in at:
            whole = whole[:-1]
        if not whole:
            before.setdefault(len(lines) if path == _END else 0, []).append(comment)
        else:
            (behind if follows else before).setdefault(at[whole], []).append(comment)
    out: list[str] = []
    for n, line in enumerate([*lines, ""]):
        indent = line[: len(line) - len(line.lstrip())]
        out += [f"{indent}{comment}" for comment in before.get(n, ())]
        if n < len(lines):
            out.append("  ".join([line, *behind.get(n, ())]))
    return "".join(f"{line}\n" for line in out)
