"""Where the parts of a JSON text stand.

The rule: the text is valid JSON; whoever asks has decoded it already. Lines count from 1.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

_DECODER: Final = json.JSONDecoder()
_BETWEEN: Final = re.compile(r"[\s,:]*")


class Lines:
    """Turn offsets into a text to numbers of lines."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        """Give the line on which an offset stands."""
        return bisect_left(self._ends, offset) + 1


def elements(text: str, at: int) -> Iterator[int]:
    """Give the offset of each element of the array that begins at an offset.

    >>> list(elements('[7, {"a": []}]', 0))
    [1, 4]
    """
    at = _skip(text, at + 1)
    while text[at] != "]":
        yield at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])


def member(text: str, at: int, key: str) -> int | None:
    """Give the offset of a key's value in the object that begins at an offset; of the last, if it stands there twice.

    >>> member('{"a": 1, "b": [2]}', 0, "b")
    14
    """
    found = None
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = _DECODER.raw_decode(text, at)
        value = _skip(text, end)
        if name == key:
            found = value
        at = _skip(text, _DECODER.raw_decode(text, value)[1])
    return found


def _skip(text: str, at: int) -> int:
    between = _BETWEEN.match(text, at)
    assert between is not None, "the pattern matches the empty text"
    return between.end()
