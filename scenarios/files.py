"""Scenario files: YAML to the model, with the tools that a file includes.

The rule: whatever is wrong is one line, ``file:line:column: path.to.key: expected …, got …; way out``, also where it
stands in a file that is included.
"""

import os
import stat
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from .includes import WORD, SharedTools, paths_of
from .model import Scenario
from .problems import ScenarioError, message, refusal
from .tree import Place, TreeError, build, compose, locate
from .words import hint_at_file, shown

_SUFFIXES: Final = (".yaml", ".yml")

MAX_BYTES: Final = 10 * 2**20
"""The largest file that is read: far more than one turn needs."""


def is_named_as_scenario(path: Path) -> bool:
    """Whether a path ends as the names of scenario files do; what lies there is another question."""
    return path.suffix.lower() in _SUFFIXES


def load(path: str | Path) -> Scenario:
    """Read a scenario file, with the tools of the files that it includes.

    Raises:
        ScenarioError: anything that keeps it from being one.
    """
    return loads(read_text(path), str(path), Path(path).parent)


def read_text(path: str | Path) -> str:
    """Read the text of a scenario file.

    Raises:
        ScenarioError: it cannot be read.
    """
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise OSError("a pipe")
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        way_out = (hint_at_file(path) if isinstance(error, FileNotFoundError) else "") or "; name a .yaml file"
        raise ScenarioError(f"{path}: expected a scenario file (YAML), got: {reason}{way_out}") from None
    except ValueError:
        raise ScenarioError(f"{path!r}: expected the path of a scenario file, got one that no file can have") from None
    if len(content) > MAX_BYTES:
        raise ScenarioError(f"{path}: expected at most {MAX_BYTES >> 20} MiB, got more; a scenario is one turn")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        place = Place.at(content[: error.start].decode())
        byte = f"the byte 0x{content[error.start]:02X}"
        raise ScenarioError(f"{path}:{place}: expected UTF-8 text, got {byte}; is this a scenario file?") from None
    return text


def loads(text: str, name: str = "<text>", folder: Path | None = None) -> Scenario:
    """Read a scenario from YAML text.

    Args:
        text: one turn, as in a scenario file.
        name: stands for the file in an error.
        folder: where the files lie that it includes; without it it may include none.

    Raises:
        ScenarioError: the text is no scenario.

    >>> loads("calls: [{id: a, at: 500ms, takes: 0.2}]").calls[0].takes
    200000000
    """
    return scenario_of(text, name, folder)[0]


def scenario_of(text: str, name: str, folder: Path | None) -> tuple[Scenario, dict[str, Any]]:
    """Read a scenario, and give what its own text says beside it; as :func:`loads`."""
    root, data = _mapping(text, name)
    words = {word: value for word, value in data.items() if word != WORD}
    if WORD in data:
        shared = _included(data[WORD], root, name, folder)
        if isinstance(own := data.get("tools", {}), dict):
            words["tools"] = shared | own
    try:
        return Scenario.model_validate(words), data
    except ValidationError as invalid:
        raise refusal(name, root, invalid, Scenario) from None


def _mapping(text: str, name: str) -> tuple[yaml.Node, dict[str, Any]]:
    """Read text that must be a mapping: its tree, and what it says."""
    try:
        root = compose(text)
        data = {} if root is None else build(root)
    except TreeError as error:
        raise ScenarioError(message(name, error.place, error.path, error.problem)) from None
    if root is None or not isinstance(data, dict):
        got = "nothing" if root is None or data is None else f"a {'list' if isinstance(data, list) else 'word'}"
        raise ScenarioError(f"{name}:1:1: expected a mapping, got {got}; the smallest scenario is calls: [{{id: a}}]")
    return root, data


def _included(value: Any, root: yaml.Node, name: str, folder: Path | None) -> dict[str, Any]:
    """Read the tools of the files that are included."""

    def wrong(where: tuple[str | int, ...], problem: str) -> ScenarioError:
        path, place = locate(root, where)
        return ScenarioError(message(name, place, path, problem))

    if folder is None:
        raise wrong((WORD,), "expected no include in a text that lies nowhere, got one; write the tools out")
    try:
        paths = paths_of(value, folder)
    except ValueError as error:
        raise wrong((WORD,), f"{error}, got {shown(value)}") from None
    tools: dict[str, Any] = {}
    for where, path in paths:
        if not path.is_file():
            problem = f"expected a file of tools, got {shown(str(path))}, which is none"
            raise wrong(where, f"{problem}; paths count from {folder}")
        shared_root, shared = _mapping(read_text(path), str(path))
        try:
            tools |= SharedTools.model_validate(shared).tools
        except ValidationError as invalid:
            raise refusal(str(path), shared_root, invalid, SharedTools) from None
    return tools
