"""YAML text as plain data that remembers its places.

The rule: a plain word is a boolean, a number or null only where JSON says so (``true``, ``1``, ``1e3``, ``null``, or
nothing at all). ``yes``, ``on``, ``12:30``, ``0x10`` and ``2024-01-01`` are text, and only one kind of tag, none, is
understood. Lines and columns count from 1.
"""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import yaml

from .words import shown

MAX_DEPTH: Final = 50
MAX_NODES: Final = 1_000_000

_TAG: Final = "tag:yaml.org,2002:"
STR: Final = f"{_TAG}str"
SEQ: Final = f"{_TAG}seq"
MAP: Final = f"{_TAG}map"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)"
RESOLVERS: Final = (
    (f"{_TAG}null", re.compile(r"(?:null)?\Z"), ["n", ""]),
    (f"{_TAG}bool", re.compile(r"(?:true|false)\Z"), ["t", "f"]),
    (f"{_TAG}int", re.compile(rf"{_NUMBER}\Z"), list("-0123456789")),
    (f"{_TAG}float", re.compile(rf"{_NUMBER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z"), list("-0123456789")),
)
_SCALARS: Final[dict[str, Callable[[str], Any]]] = {
    STR: str,
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": lambda text: text == "true",
    f"{_TAG}int": int,
    f"{_TAG}float": float,
}


class Place(NamedTuple):
    """Where in a text something begins."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"

    @classmethod
    def at(cls, before: str) -> "Place":
        """Give the place that comes after a text."""
        return cls(before.count("\n") + 1, len(before) - before.rfind("\n"))


class TreeError(Exception):
    """What is wrong with the text, where it stands, if that is known, and its path: words and numbers from the top."""

    def __init__(self, problem: str, place: Place | None, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(problem)
        self.problem, self.place, self.path = problem, place, path


class _Loader(yaml.SafeLoader):
    """Nothing but JSON's words; the table is this class's own, not the one it inherits."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the base has it


for _tag, _pattern, _first in RESOLVERS:
    _Loader.add_implicit_resolver(_tag, _pattern, _first)


def compose(text: str) -> yaml.Node | None:
    """Read YAML text into its tree of nodes, None where it is empty; :class:`TreeError` where it is no YAML."""
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else None
        raise TreeError(f"expected YAML, got this: {error.problem}", place) from None
    except yaml.reader.ReaderError as error:
        got = f"the character U+{int(error.character):04X}"
        raise TreeError(f"expected text, got {got}", Place.at(text[: error.position])) from None
    except RecursionError:
        raise TreeError(f"expected at most {MAX_DEPTH} levels, got many more", None) from None
    return node


class _Builder:
    """Turns nodes into data; counts them, so that aliases of aliases cannot grow without bound."""

    def __init__(self) -> None:
        self._nodes = 0

    def build(self, node: yaml.Node, path: tuple[str | int, ...]) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise TreeError(
                f"expected at most {MAX_NODES} values, got more; write aliases of aliases out", place_of(node)
            )
        if len(path) > MAX_DEPTH:
            raise TreeError(f"expected at most {MAX_DEPTH} levels, got more", place_of(node))
        match node:
            case yaml.MappingNode() if node.tag == MAP:
                return self._mapping(node, path)
            case yaml.SequenceNode() if node.tag == SEQ:
                return [self.build(item, (*path, n)) for n, item in enumerate(node.value)]
            case yaml.ScalarNode() if node.tag in _SCALARS:
                return self._scalar(node, path)
        tag = shown(node.tag.replace(_TAG, "!!")).strip("'")
        raise TreeError(f"expected a value without a tag, got {tag}", place_of(node), path)

    def _mapping(self, node: yaml.MappingNode, path: tuple[str | int, ...]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        places: dict[str, Place] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise TreeError("expected a word as key, got a list or a mapping", place_of(key_node), path)
            key = key_node.value
            if key_node.tag != STR:
                raise TreeError(
                    f"expected a word as key, got {key or 'nothing'}; put it in quotes", place_of(key_node), path
                )
            if key in places:
                problem = f"expected each key once, got it again after line {places[key].line}; leave one out"
                raise TreeError(problem, place_of(key_node), (*path, key))
            places[key] = place_of(key_node)
            mapping[key] = self.build(value_node, (*path, key))
        return mapping

    def _scalar(self, node: yaml.ScalarNode, path: tuple[str | int, ...]) -> Any:
        try:
            return _SCALARS[node.tag](node.value)
        except ValueError:
            raise TreeError(f"expected a shorter number, got {len(node.value)} digits", place_of(node), path) from None


def build(node: yaml.Node) -> Any:
    """Turn a tree of nodes into plain data; :class:`TreeError` for tags, doubled keys and aliases of aliases."""
    return _Builder().build(node, ())


def place_of(node: yaml.Node) -> Place:
    """Give the place where a node begins."""
    return Place(int(node.start_mark.line) + 1, int(node.start_mark.column) + 1)


def locate(root: yaml.Node, where: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], Place]:
    """Follow a path through the tree as far as it goes: what of it was found, and the place of its end.

    Steps that the tree does not have, such as a key that is missing, are passed over. The place of a mapping's entry
    is its key's.
    """
    found: list[str | int] = []
    node, place = root, place_of(root)
    for step in where:
        match node:
            case yaml.MappingNode():
                entry = next(((key, value) for key, value in node.value if key.value == step), None)
                if entry is None:
                    continue
                node, place = entry[1], place_of(entry[0])
            case yaml.SequenceNode() if isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                place = place_of(node)
            case _:
                continue
        found.append(step)
    return tuple(found), place
