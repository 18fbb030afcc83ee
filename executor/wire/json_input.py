"""A block's input, from the text that streamed in (W1, W4).

The rule: an input is one JSON object, whole. Nothing is guessed, completed or mended into something that runs (B052).
"""

import json
from typing import Any, Final

from pydantic_core import from_json

SHOWN: Final = 2_000
"""How much of a malformed input its result shows, in characters."""


def joined(parts: list[str]) -> str:
    r"""Join pieces of text; a surrogate pair cut in two becomes its character, a lone surrogate U+FFFD (B103).

    >>> joined(["\ud83e", "\udd80"]), joined(["a\ud83e"])
    ('🦀', 'a�')
    """
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parse(text: str) -> Any:
    """Parse an input's text; blank text is ``{}`` (B050), of repeated keys the last counts.

    Raises:
        ValueError: it is not JSON, NaN and infinities included, or JSON that cannot be written back.
    """
    if not text.strip():
        return {}
    value = from_json(text, allow_inf_nan=False)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        # Such as 1e999, which is read as infinity: no history could hold it.
        raise ValueError("a number is out of range") from None
    return value


def is_whole(text: str) -> bool:
    """Whether a text is an object by itself, so that nothing can be missing from it."""
    try:
        return bool(text.strip()) and isinstance(parse(text), dict)
    except ValueError:
        return False


def problem_of(text: str) -> str:
    """Say what is wrong with an input's text, the text itself wrapped as a JSON value (B055).

    >>> problem_of('{"command": "rm -rf /tmp/scra')
    'the input breaks off, got {"INVALID_JSON": "{\\\\"command\\\\": \\\\"rm -rf /tmp/scra"}'
    >>> problem_of("[1]")
    'the input must be a JSON object, got [1]'
    """
    if not text.strip():
        return "the input never came whole"
    try:
        parse(text)
    except ValueError as error:
        reason = str(error)
        broke_off = reason.startswith("EOF")
        problem = "the input breaks off" if broke_off else f"the input must be a JSON object: {reason}"
        return f"{problem}, got {json.dumps({'INVALID_JSON': _shown(text)}, ensure_ascii=False)}"
    return f"the input must be a JSON object, got {_shown(text)}"


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
