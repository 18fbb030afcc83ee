"""Scenarios as YAML text: durations in words, each call on one line, what goes without saying left out.

The rule: what is written reads back as the same scenario, and the same scenario is always written alike.
"""

import sys
from typing import Any

import yaml

from .model import Scenario
from .tree import MAP, RESOLVERS, SEQ, STR


def dump(scenario: Scenario) -> str:
    """Write a scenario as YAML, one line per call; :func:`loads` gives the same scenario back.

    >>> from scenarios import Call
    >>> print(dump(Scenario(calls=[Call(id="a", at=0.5, takes="200ms")])), end="")
    calls:
      - {id: a, at: 500ms, takes: 200ms}
    """
    return write(scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def write(words: dict[str, Any]) -> str:
    """Write a scenario's plain data, which is changed by it."""
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
