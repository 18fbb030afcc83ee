"""What every recording in ``formats/`` tells: one response reads a file and runs the tests, side by side, and the tests
fail; a second one edits.

The rule: written the same way each time, to the byte. Times are seconds from the recording's beginning.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

_BEGINS = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CALLS: tuple[tuple[str, str, Json, float, float, bool], ...] = (
    ("a", "read", {"path": "totals.py"}, 1.0, 1.1, True),
    ("b", "shell", {"command": "python -m pytest"}, 1.4, 3.0, False),
    ("c", "edit", {"path": "totals.py", "text": "round(…)"}, 6.0, 6.2, True),
)
"""Id, tool, input, start, end, and whether it went well."""


def stamp(at_s: float) -> str:
    """Write an instant as these sources do."""
    at = _BEGINS + timedelta(milliseconds=round(at_s * 1000))
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch_ms(at_s: float) -> int:
    """Give an instant in milliseconds since 1970."""
    return round((_BEGINS.timestamp() + at_s) * 1000)


def lines(*values: Json) -> bytes:
    """Write one object a line."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def events(*values: Json) -> str:
    """Write Server-Sent Events."""
    return "".join(f"event: {value['type']}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n" for value in values)


def document(value: Json) -> bytes:
    """Write one object on many lines."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
