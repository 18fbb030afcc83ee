"""What is wrong with a scenario file, on one line in the language's words.

The rule: ``file:line:column: path.to.key: expected …, got …; way out``; of several faults the first in the file is
told, since what comes later is often its consequence.
"""

import re
from typing import Any, Final, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from .durations import LogNormal
from .includes import WORD
from .model import Scenario
from .part import Part
from .tree import Place, locate
from .words import hint, shown, way_out

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


def refusal(name: str, root: yaml.Node, invalid: ValidationError, part: type[Part]) -> ScenarioError:
    """Make the error for a file that does not say what a part takes.

    Args:
        name: the file.
        root: its text's tree of nodes.
        invalid: what the part's model found.
        part: what it should have been.
    """
    faults = []
    for details in invalid.errors(include_url=False):
        path, place = locate(root, (*details["loc"], *details.get("ctx", {}).get("where", ())))
        faults.append((place, message(name, place, path, _problem(details, part))))
    return ScenarioError(min(faults, key=lambda fault: fault[0])[1])


def message(name: str, place: Place | None, path: tuple[str | int, ...], problem: str) -> str:
    """Put file, place, path and problem on one line, leaving out what is not known."""
    keys = "".join(f"[{step}]" if isinstance(step, int) else f".{_key(step)}" for step in path).lstrip(".")
    return ": ".join(part for part in (name if place is None else f"{name}:{place}", keys, problem) if part)


def _key(step: str) -> str:
    return step if step.isprintable() and len(step) <= 60 else shown(step)


def _problem(error: ErrorDetails, part: type[Part]) -> str:
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
            return f"expected a known key, got {shown(last)}; {way_out(last, _words_at(error['loc'], part))}"
        case "missing" if isinstance(last, str):
            return f"expected the key {last!r}, got none; add it"
        case "missing" | "too_long" | "too_short":
            return f"expected {'a pair' if kind != 'too_short' else 'at least one item'}, got {got}"
        case "literal_error":
            near = hint(error["input"], _LITERAL.findall(context["expected"]))
            return f"expected {context['expected']}, got {got}{near}"
        case "greater_than_equal":
            return f"expected a whole number, {context['ge']} or more, got {got}"
    return f"expected {_KINDS.get(kind, error['msg'])}, got {got}"


def _words_at(loc: tuple[str | int, ...], whole: type[Part]) -> list[str]:
    """Give the words that are known where an unknown key was found."""
    part: type[BaseModel] = whole
    steps = iter(loc[:-1])
    for step in steps:
        field = _fields(part).get(step)
        if field is None:
            continue  # A place in a list, or a choice that pydantic names in between.
        if get_origin(field.annotation) is dict:
            next(steps, None)
        part = LogNormal if "lognormal" in loc else _part_in(field.annotation) or part
    return [*map(str, _fields(part)), *([WORD] if part is Scenario else [])]


def _fields(part: type[BaseModel]) -> dict[str | int, FieldInfo]:
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _part_in(annotation: Any) -> type[Part] | None:
    """Give the part that a field holds, itself or among others."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((part for each in get_args(annotation) if (part := _part_in(each))), None)
