"""Take single fields out of a record, each on its own, so that one odd shape spoils nothing else (B099).

The rule: a field of an unexpected shape is ``None``; nothing here raises. Times become integer nanoseconds.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ..visible import visible

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SPANS_NS: Final = {"durationMs": 1_000_000, "totalDurationMs": 1_000_000, "durationSeconds": 1_000_000_000}
_TELLING: Final = (
    "command",
    "file_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
)
_SHOWN: Final = 40


def instant_ns(value: object) -> int | None:
    """Read an ISO-8601 time as nanoseconds since 1970; a time without a zone counts as UTC.

    >>> instant_ns("1970-01-01T00:00:01.500Z"), instant_ns("yesterday"), instant_ns(12)
    (1500000000, None, None)
    """
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    since = at - _EPOCH
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1000


def milliseconds_ns(value: object) -> int | None:
    """Read milliseconds since 1970 as nanoseconds.

    >>> milliseconds_ns(1500), milliseconds_ns(-1), milliseconds_ns("1500")
    (1500000000, None, None)
    """
    if type(value) is not int or not 0 <= value < 10**14:
        return None
    return value * 1_000_000


def word(value: object) -> str:
    """Give a text as it is, and nothing for whatever else stands where a name belongs."""
    return value if isinstance(value, str) else ""


def span_ns(seconds: object) -> int | None:
    """Read a duration in seconds, as a number or a text; ``None`` for what is none or lasts longer than 30 years.

    >>> span_ns(0.25), span_ns("1.5"), span_ns(-1), span_ns("soon")
    (250000000, 1500000000, None, None)
    """
    try:
        value = float(seconds) if isinstance(seconds, int | float | str) and seconds is not True else -1.0
    except (ValueError, OverflowError):
        return None
    return round(value * 1_000_000_000) if 0 <= value < 1e9 else None


def object_of(text: object) -> dict[str, Any] | None:
    """Read a JSON object out of a text; ``None`` where there is none."""
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_of(content: object) -> str:
    """Join the text of a message's or result's content, be it a string or a list of blocks.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "image"}, "b"])
    'a'
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (block.get("text") for block in content if isinstance(block, dict))
    return "".join(text for text in texts if isinstance(text, str))


def summary_of(tool_input: Mapping[str, Any] | None, most: int = _SHOWN) -> str:
    """Say in so many characters at most what a call is about: its command, path or pattern.

    >>> summary_of({"command": "npm test -- --runInBand --coverage packages/core"})
    'npm test -- --runInBand --coverage pack…'
    """
    if tool_input is None:
        return ""
    told = ""
    for key in _TELLING:
        value = tool_input.get(key)
        if isinstance(value, str):
            told = value
            break
    line = visible(" ".join(told[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def reported_ns(result: object) -> int | None:
    """Read how long a tool says it took, from the ``toolUseResult`` of searches, fetches and sub-agents."""
    if not isinstance(result, dict) or _SPANS_NS.keys().isdisjoint(result) or result.get("isAsync") is True:
        return None
    for key, unit_ns in _SPANS_NS.items():
        value: Any = result.get(key)
        if type(value) in (int, float) and 0 <= value < 1e12:
            span_ns: int = round(value * unit_ns)
            return span_ns
    return None
