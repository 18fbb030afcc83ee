"""The scenario language as JSON Schema, for editors: made from the model, so that it cannot say anything else.

The rule: whatever the model takes the schema takes; what only the whole can tell (an id that nobody has, calls out of
order) is the model's to find. Durations are seconds or words; no other units.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from .durations import DurationNs, format_duration
from .includes import INCLUDE_SCHEMA
from .model import Scenario
from .part import Part

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Make the JSON Schema of scenario files.

    >>> sorted(json_schema()["properties"])[:3]
    ['attempts', 'calls', 'consumer']
    """
    duration = TypeAdapter(DurationNs).json_schema()
    schema = _with(Scenario.model_json_schema(by_alias=True), duration)
    definitions = schema.pop("$defs")
    for name, part in parts().items():
        definition = schema if part is Scenario else definitions.get(name)
        if definition is not None:
            _describe(definition, part)
    schema["properties"] = {"include": INCLUDE_SCHEMA} | schema["properties"]
    definitions["Duration"] = duration | {"description": "Seconds, or words such as 200ms or 1m30s."}
    return {"$schema": _DRAFT, **schema, "$defs": dict(sorted(definitions.items()))}


def parts() -> dict[str, type[Part]]:
    """Give the parts of the language by the name of their class."""

    def below(part: type[Part]) -> Iterator[type[Part]]:
        for child in part.__subclasses__():
            yield child
            yield from below(child)

    return {part.__name__: part for part in below(Part) if part.__module__.startswith(f"{__package__}.")}


def summary(thing: type[BaseModel]) -> str:
    """Give what a part's docstring says, its example aside."""
    return " ".join(inspect.cleandoc(thing.__doc__ or "").partition(">>>")[0].split())


@cache
def meanings(part: type[BaseModel]) -> dict[str, str]:
    """Give what is written below the fields of a part, those of its bases too, by the word of the field."""
    told: dict[str, str] = {}
    for owner in reversed(part.__mro__):
        if not (issubclass(owner, Part) and owner is not Part):
            continue
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        assert isinstance(node, ast.ClassDef)
        for field, after in zip(node.body, node.body[1:], strict=False):
            match field, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str() as text)),
                ) if name in owner.model_fields:
                    told[owner.model_fields[name].alias or name] = " ".join(text.split())
    return told


def _describe(definition: dict[str, Any], part: type[BaseModel]) -> None:
    """Put the docstrings of a part and of its fields into its schema."""
    whole = next((each for each in definition.get("anyOf", ()) if "properties" in each), definition)
    for each in (definition, whole):
        each.pop("description", None)
    definition["description"] = summary(part)
    for word, text in meanings(part).items():
        if word in whole["properties"]:
            whole["properties"][word]["description"] = text


def _with(schema: Any, duration: dict[str, Any]) -> Any:
    """Name the schema of durations instead of repeating it, and leave out titles, which only repeat words."""
    match schema:
        case {"anyOf": [*choices], **rest} if choices[: len(duration["anyOf"])] == duration["anyOf"]:
            others = [_with(each, duration) for each in choices[len(duration["anyOf"]) :]]
            named = {"$ref": "#/$defs/Duration"}
            if isinstance(default := rest.get("default"), int):
                rest["default"] = format_duration(default)
            return (named if not others else {"anyOf": [named, *others]}) | _with(rest, duration)
        case dict():
            return {
                key: _with(value, duration)
                for key, value in schema.items()
                if key != "title" or isinstance(value, dict)
            }
        case list():
            return [_with(each, duration) for each in schema]
    return schema
