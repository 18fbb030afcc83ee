"""The reference page of the scenario language, SCENARIOS.md: made from the model, so that it is never out of date.

The rule: one table for each part, one row for each word, in the order in which they are written.
"""

import json
from typing import Any, Final

from .schema import json_schema

_HEAD: Final = """\
# The scenario language

A scenario is one turn as data: what arrives when, what each body does, what happens, what must come out. The same
words in YAML and in Python (`Call(id="a", at="500ms", takes=0.2)`). A duration is seconds or words such as `200ms` or
`1m30s`. `interlock schema` gives the JSON Schema for editors, `interlock fmt` writes a file in its one form. This page
is made by `interlock schema --reference`; a test holds it to the model.
"""
_NAMES: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
    "object": "a mapping",
}


def reference() -> str:
    """Write the reference page as Markdown."""
    schema = json_schema()
    definitions = schema["$defs"]
    tables = [_table(name, definitions[name]) for name in _in_order(schema, definitions)]
    return "\n".join([_HEAD, _table("Scenario", schema), *tables])


def _in_order(schema: dict[str, Any], definitions: dict[str, Any]) -> list[str]:
    """Give the parts in the order in which a reader meets them, draws from durations last."""
    met: list[str] = []

    def meet(value: Any) -> None:
        match value:
            case {"$ref": str(ref)}:
                name = ref.rpartition("/")[2]
                if name not in met and "properties" in json.dumps(definitions[name]):
                    met.append(name)
                    meet(definitions[name])
            case dict():
                for each in value.values():
                    meet(each)
            case list():
                for each in value:
                    meet(each)

    meet(schema["properties"])
    draws = [name for name in met if len(_whole(definitions[name])["properties"]) == 1]
    return [name for name in met if name not in draws] + draws


def _whole(definition: dict[str, Any]) -> dict[str, Any]:
    return next((each for each in definition.get("anyOf", ()) if "properties" in each), definition)


def _table(name: str, definition: dict[str, Any]) -> str:
    whole = _whole(definition)
    rows = [
        f"| `{word}` | {_kind(value)} | {_default(word, value, whole)} | {_text(value.get('description', ''))} |"
        for word, value in whole["properties"].items()
    ]
    head = f"## {name}\n\n{_text(definition['description'])}\n"
    return "\n".join([head, "| word | value | without it | meaning |", "| --- | --- | --- | --- |", *rows, ""])


def _default(word: str, value: dict[str, Any], whole: dict[str, Any]) -> str:
    if word in whole.get("required", ()):
        return "must be said"
    default = value.get("default")
    said = json.dumps(default, ensure_ascii=False)
    # A part that is left out has the defaults of its own table.
    return "" if default in (None, "", []) or isinstance(default, dict) else f"`{said}`"


def _text(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def _kind(value: dict[str, Any]) -> str:
    """Say what a word takes."""
    match value:
        case {"$ref": str(ref)}:
            name = ref.rpartition("/")[2]
            plain = {"Duration": "a duration", "JsonValue": "anything"}
            return plain.get(name, f"[{name}](#{name.lower()})")
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            kinds = [_kind(each) for each in choices if each.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
        case {"enum": list(words)}:
            return ", ".join(f"`{word}`" for word in words)
        case {"const": word}:
            return f"`{word}`"
        case {"type": "array", "prefixItems": list(items)}:
            return f"[{'; '.join(_kind(each) for each in items)}]"
        case {"type": "array", "items": dict(items)}:
            return f"list of {_kind(items)}"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"mapping to {_kind(values)}"
    return _NAMES[value["type"]]
