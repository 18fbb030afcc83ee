"""Scenario files: YAML to the model and back.

The rule: whatever is wrong is one line, ``file:line:column: path.to.key: expected …, got …; way out``, and what is
written reads back as the same scenario. Durations are written in words, each call on one line, defaults are left out.
"""

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from .durations import LogNormal
from .model import Scenario
from .part import Part
from .tree import MAP, RESOLVERS, SEQ, STR, Place, TreeError, build, compose, locate
from .words import nearest, shown, way_out

MAX_BYTES: Final = 10 * 2**20
"""The largest file that is read: far more than one turn needs."""

_KINDS: Final = {
    "string_type": "text; a number or a word such as true needs quotes",
    "string_unicode": "text that UTF-8 can say",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "tuple_type": "a list",
    "string_too_short": "text that is not empty",
}


_LITERAL: Final = re.compile(r"'([^']*)'")


class ScenarioError(ValueError):
    """A scenario file that cannot be used; the message is one line: file, line, column, key and the way out."""


def load(path: str | Path) -> Scenario:
    """Read a scenario file.

    Raises:
        ScenarioError: anything that keeps it from being one.
    """
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise OSError("a pipe")
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ScenarioError(f"{path}: expected a scenario file (YAML), got: {reason}; name a .yaml file") from None
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
    return loads(text, str(path))


def loads(text: str, name: str = "<text>") -> Scenario:
    """Read a scenario from YAML text.

    Args:
        text: one turn, as in a scenario file.
        name: stands for the file in an error.

    Raises:
        ScenarioError: the text is no scenario.

    >>> loads("calls: [{id: a, at: 500ms, takes: 0.2}]").calls[0].takes
    200000000
    """
    try:
        root = compose(text)
        data = {} if root is None else build(root)
    except TreeError as error:
        raise ScenarioError(_message(name, error.place, error.path, error.problem)) from None
    if root is None or not isinstance(data, dict):
        got = "nothing" if root is None or data is None else f"a {'list' if isinstance(data, list) else 'word'}"
        raise ScenarioError(f"{name}:1:1: expected a mapping, got {got}; the smallest scenario is calls: [{{id: a}}]")
    try:
        return Scenario.model_validate(data)
    except ValidationError as invalid:
        faults = []
        for details in invalid.errors(include_url=False):
            path, place = locate(root, (*details["loc"], *details.get("ctx", {}).get("where", ())))
            faults.append((place, _message(name, place, path, _problem(details))))
        # The first in the file: what comes later is often its consequence.
        raise ScenarioError(min(faults, key=lambda fault: fault[0])[1]) from None


def dump(scenario: Scenario) -> str:
    """Write a scenario as YAML, one line per call; :func:`loads` gives the same scenario back.

    >>> print(dump(Scenario(calls=[Call(id="a", at=0.5, takes="200ms")])), end="")
    calls:
      - {id: a, at: 500ms, takes: 200ms}
    """
    words = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for key in words.keys() & {"tools", "permissions", "expect"}:
        words[key] = _Block(words[key])
    for part in (words, *words.get("attempts", ())):
        for key in part.keys() & {"hooks", "calls", "events", "table"}:
            part[key] = _Blocks(part[key])
    if "attempts" in words:
        words["attempts"] = _Blocks(_Block(attempt) for attempt in words["attempts"])
    return yaml.dump(_Block(words), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=sys.maxsize)


class _Block(dict[str, Any]):
    """A mapping with one line per key; every other one stands on one line."""


class _Blocks(list[Any]):
    """A list with one line per item."""


class _Dumper(yaml.SafeDumper):
    """Quotes what this loader, or one of YAML 1.1, would not read as text."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        return True


for _tag, _pattern, _first in RESOLVERS:
    _Dumper.add_implicit_resolver(_tag, _pattern, _first)
_Dumper.add_representer(dict, lambda dumper, data: dumper.represent_mapping(MAP, data, flow_style=True))
_Dumper.add_representer(list, lambda dumper, data: dumper.represent_sequence(SEQ, data, flow_style=True))
_Dumper.add_representer(_Block, lambda dumper, data: dumper.represent_mapping(MAP, data, flow_style=not data))
_Dumper.add_representer(_Blocks, lambda dumper, data: dumper.represent_sequence(SEQ, data, flow_style=not data))
_Dumper.add_representer(
    str, lambda dumper, data: dumper.represent_scalar(STR, data, style=None if data.isprintable() else '"')
)


def _message(name: str, place: Place | None, path: tuple[str | int, ...], problem: str) -> str:
    """Put file, place, path and problem on one line, leaving out what is not known."""
    keys = "".join(f"[{step}]" if isinstance(step, int) else f".{_key(step)}" for step in path).lstrip(".")
    return ": ".join(part for part in (name if place is None else f"{name}:{place}", keys, problem) if part)


def _key(step: str) -> str:
    return step if step.isprintable() and len(step) <= 60 else shown(step)


def _problem(error: ErrorDetails) -> str:
    """Say in the language's words what pydantic found."""
    kind, context = error["type"], error.get("ctx", {})
    last = error["loc"][-1] if error["loc"] else ""
    got = shown(error["input"])
    match kind:
        case "scenario":
            return str(context["problem"])
        case "value_error":
            return str(context["error"])
        case "extra_forbidden":
            return f"expected a known key, got {shown(last)}; {way_out(last, _words_at(error['loc']))}"
        case "missing" if isinstance(last, str):
            return f"expected the key {last!r}, got none; add it"
        case "missing" | "too_long" | "too_short":
            return f"expected {'a pair' if kind != 'too_short' else 'at least one item'}, got {got}"
        case "literal_error":
            near = nearest(error["input"], _LITERAL.findall(context["expected"]))
            return f"expected {context['expected']}, got {got}" + (f"; did you mean {near!r}?" if near else "")
        case "greater_than_equal":
            return f"expected a whole number, {context['ge']} or more, got {got}"
    return f"expected {_KINDS.get(kind, error['msg'])}, got {got}"


def _words_at(loc: tuple[str | int, ...]) -> list[str]:
    """Give the words that are known where an unknown key was found."""
    part: type[BaseModel] = Scenario
    steps = iter(loc[:-1])
    for step in steps:
        field = _fields(part).get(step)
        if field is None:
            continue  # A place in a list, or a choice that pydantic names in between.
        if get_origin(field.annotation) is dict:
            next(steps, None)
        part = LogNormal if "lognormal" in loc else _part_in(field.annotation) or part
    return [str(word) for word in _fields(part)]


def _fields(part: type[BaseModel]) -> dict[str | int, FieldInfo]:
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _part_in(annotation: Any) -> type[Part] | None:
    """Give the part that a field holds, itself or among others."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((part for each in get_args(annotation) if (part := _part_in(each))), None)
