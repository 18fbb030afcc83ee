"""Output as a result may carry it: within its limit, and text that can be sent (X6, A10, B103). Pure.

The rule: whatever is changed about an output is said in it. Unit: characters.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from .content import Content

_UNSENDABLE: Final = re.compile("[\0\ud800-\udfff]")
_MARK: Final = "\N{REPLACEMENT CHARACTER}"


def fitted(content: Content, limit: int | None) -> Content:
    """Cut an output to its limit, between characters, and say how much is left out; parts share the limit.

    >>> fitted("0123456789", 4)
    '0123\\n[cut: 6 of 10 characters left out]'
    """
    if limit is None:
        return content
    if isinstance(content, str):
        return content if len(content) <= limit else content[:limit] + _cut_note(len(content) - limit, len(content))
    total = sum(len(_text_of(part)) for part in content)
    if total <= limit:
        return content
    kept: list[Mapping[str, Any]] = []
    room = limit
    for part in content:
        text = _text_of(part)
        if not text or room:
            kept.append({**part, "text": text[:room]} if text else part)
            room -= min(room, len(text))
    return (*kept, {"type": "text", "text": _cut_note(total - limit, total).strip()})


def sendable(content: Content) -> Content:
    """Replace what no UTF-8 text may hold, NUL and lone surrogates, and say so; mostly there is nothing to do.

    >>> sendable("a\\0b")
    'a\ufffdb\\n[replaced 1 character that cannot be sent: NUL or a lone surrogate]'
    """
    if isinstance(content, str):
        return sendable_text(content)
    mended, count = _mended(content)
    return (*mended, {"type": "text", "text": _mended_note(count).strip()}) if count else content


def sendable_text(text: str) -> str:
    """Do as :func:`sendable` does, for text alone."""
    if text.isascii() and "\0" not in text:
        return text
    mended, count = _UNSENDABLE.subn(_MARK, text)
    return mended + _mended_note(count) if count else text


class Collected:
    """What a body has given of its output so far, kept in case it is stopped (A10, B072).

    Args:
        limit: how much of it is kept; ``None`` for all.
    """

    __slots__ = ("_kept", "_limit", "_pieces", "_total")

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._pieces: list[str] = []
        self._kept = self._total = 0

    def add(self, text: str) -> None:
        """Take one piece more."""
        self._total += len(text)
        piece = text if self._limit is None else text[: self._limit - self._kept]
        if piece:
            self._kept += len(piece)
            self._pieces.append(piece)

    @property
    def text(self) -> str:
        """What was kept, with a note of what was not."""
        text = "".join(self._pieces)
        return text if self._kept == self._total else text + _cut_note(self._total - self._kept, self._total)


def _cut_note(left_out: int, total: int) -> str:
    return f"\n[cut: {left_out} of {total} characters left out]"


def _mended_note(count: int) -> str:
    characters = "character" if count == 1 else "characters"
    return f"\n[replaced {count} {characters} that cannot be sent: NUL or a lone surrogate]"


def _text_of(part: Mapping[str, Any]) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _mended(value: Any) -> tuple[Any, int]:
    """Mend every text in a value, however deep, and count what was replaced."""
    if isinstance(value, str):
        return _UNSENDABLE.subn(_MARK, value)
    if isinstance(value, Mapping):
        pairs = [(_mended(key), _mended(each)) for key, each in value.items()]
        return {key[0]: each[0] for key, each in pairs}, sum(key[1] + each[1] for key, each in pairs)
    if isinstance(value, list | tuple):
        items = [_mended(each) for each in value]
        made = tuple if isinstance(value, tuple) else list
        return made(each[0] for each in items), sum(each[1] for each in items)
    return value, 0
