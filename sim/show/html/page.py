"""Puts a report's data, its style and its scripts into one file.

The rule: what comes from a session can neither end the element it stands in nor run. It is JSON without one character
that HTML knows, shown as text by the scripts, under a policy that lets nothing load and nothing run but those scripts,
which it names by their hashes. Equal data gives equal bytes. No units.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any, Final

_SCRIPTS: Final = ("parts.js", "table.js", "details.js", "chart.js", "main.js")
_UNSAFE: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def page(data: Mapping[str, Any]) -> str:
    """Give the whole file, in ASCII but for our own words.

    Args:
        data: what ``main.js`` draws; see :class:`~sim.show.html.HtmlReport`.
    """
    style = _part("report.css")
    script = '"use strict";\n' + "".join(map(_part, _SCRIPTS))
    policy = [
        "default-src 'none'",
        f"script-src {_hash(script)}",
        f"style-src {_hash(style)}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return Template(_part("report.html")).substitute(
        policy="; ".join(policy), style=style, data=_json(data), script=script
    )


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).translate(_UNSAFE)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
