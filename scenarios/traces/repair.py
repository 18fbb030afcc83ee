"""Get what is whole out of a damaged line: NUL runs, torn records, several records on one line, bad UTF-8.

The rule: whatever stands whole on the line is given back, and everything that had to be skipped or changed is said.
"""

import json
import re
from typing import Any, Final, NamedTuple

_CANDIDATES: Final = 20_000
"""Positions tried on one line, so that a hostile line costs a bounded time."""

_BLOCKS: Final = frozenset({"text", "thinking", "tool_use", "tool_result", "image", "document", "redacted_thinking"})
"""Types of content blocks: an inner block of a torn record must not pass for a record."""

_DECODER: Final = json.JSONDecoder(strict=False)
_NULS: Final = re.compile(rb"\x00+")
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class Mended(NamedTuple):
    """What one damaged line gave: the whole values in their order, and what was wrong."""

    values: list[Any]
    faults: list[str]


def mend(raw: bytes, *, first: bool = False, last: bool = False) -> Mended:
    r"""Take a line apart that is not one JSON value (B085-B088).

    ``raw`` is the line with or without its newline; ``first`` allows a byte order mark, ``last`` says that the file
    ends here without a newline, so that an incomplete line is called cut.

    >>> mend(b'{"type":"x","pr{"type":"user","parentUuid":null}')
    Mended(values=[{'type': 'user', 'parentUuid': None}], faults=['a torn record of 15 characters before a whole one'])
    """
    values: list[Any] = []
    faults: list[str] = []
    if first:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    if b"\x00" in raw:
        faults.append(f"{raw.count(0)} NUL bytes, skipped")
    for piece in _NULS.split(raw):
        try:
            text = piece.decode().strip()
        except UnicodeDecodeError:
            text = piece.decode(errors="replace").strip()
            faults.append("bytes that are not UTF-8, replaced")
        if text:
            _scan(text, last, values, faults)
    return Mended(values, faults)


def _scan(text: str, last: bool, values: list[Any], faults: list[str]) -> None:
    """Walk from left to right: at a record's border any value is taken, inside torn text only what looks like one."""
    at, torn_from, found = 0, None, 0
    for _ in range(_CANDIDATES):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, at
        if end > at and (torn_from is None or _is_record(value, ends_line=end == len(text))):
            if torn_from is not None:
                faults.append(f"a torn record of {at - torn_from} characters before a whole one")
                torn_from = None
            values.append(value)
            found += 1
            space = _SPACE.match(text, end)
            at = space.end() if space else end
            if at == len(text):
                break
            continue
        torn_from = at if torn_from is None else torn_from
        at = text.find('{"', at + 1)
        if at < 0:
            break
    if torn_from is not None:
        faults.append(_describe(text[torn_from:], last))
    if found > 1:
        faults.append(f"{found} records on one line, all read")


def _is_record(value: object, *, ends_line: bool) -> bool:
    if not isinstance(value, dict):
        return False
    if "sessionId" in value or "parentUuid" in value:
        return True
    kind = value.get("type")
    return ends_line and isinstance(kind, str) and kind not in _BLOCKS


def _describe(rest: str, last: bool) -> str:
    shown = rest if len(rest) <= 40 else rest[:39] + "…"
    what = f"the last line is cut after {len(rest)} characters" if last else "not whole JSON, skipped"
    return f"{what}: {shown!a}"
