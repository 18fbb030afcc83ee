"""The scenarios that come with the project: the library, and its field cases.

The rule: they are found as data of the package, wherever it is installed, in the order of their names.
"""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from .files import loads
from .model import Scenario

LIBRARY: Final = "scenarios/library"
"""Where it lies in the project, for whoever wants to run one by its path."""


def library() -> Iterator[tuple[str, Scenario]]:
    """Read the library: each scenario with its path inside it, such as ``field/B001_….yaml``.

    >>> dict(library())["a_limit_of_two.yaml"].options.max_concurrency
    2
    """
    for name, entry in _files(files("scenarios") / "library", ""):
        yield name, loads(entry.read_text(encoding="utf-8"), f"{LIBRARY}/{name}")


def _files(folder: Traversable, under: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{under}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            yield f"{under}{entry.name}", entry
