"""The content of results: what a body gives back becomes text, or content parts (B022)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python

Content = str | tuple[Mapping[str, Any], ...]
"""A result's content: text, or content parts (text, image, ...) that stay inside this one result (B022)."""


def content_of(value: Any) -> Content:
    """Turn whatever a body returned into a result's content.

    Text stays text, a list of content parts (objects with a ``type``) stays one, ``None`` is empty, bytes are read
    as UTF-8 and what is none of it is replaced and counted (X6), anything else is written as JSON, a number that JSON
    does not know as ``null``.

    >>> content_of({"lines": 3})
    '{"lines": 3}'
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return _decoded(bytes(value))
    if isinstance(value, Sequence) and value and all(isinstance(part, Mapping) and "type" in part for part in value):
        return tuple(dict(part) for part in value)
    return json.dumps(to_jsonable_python(value, fallback=repr, inf_nan_mode="null"), ensure_ascii=False)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        text = raw.decode(errors="replace")
        # The text may have held the mark itself; only what decoding put there counts.
        replaced = text.count("\N{REPLACEMENT CHARACTER}") - raw.count("\N{REPLACEMENT CHARACTER}".encode())
        return f"{text}\n[not UTF-8: replaced {replaced} times]"
