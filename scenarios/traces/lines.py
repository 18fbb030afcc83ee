"""Read the JSON objects of a file line by line, whatever is wrong with some of the lines.

The rule: a good line costs one decoding and nothing else; a bad one is mended as far as it goes and always reported.
No limit on a line's length; memory is bounded by the longest line, or by the largest pretty-printed object.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from .findings import Findings
from .model import Damage
from .repair import mend

BUFFER_BYTES: Final = 1 << 16
"""Of a file read at once: lines are kilobytes long, and each that runs over the buffer's end must be put together."""

PROGRESS_BYTES: Final = 1 << 20
"""How many bytes lie between two calls of ``on_progress``."""

_CLOSERS: Final = {b"{": (b"}", b"},"), b"[": (b"]", b"],")}


class Record(NamedTuple):
    """One JSON object: the line and byte offset it begins at, its value, and its bytes for comparing copies."""

    line: int
    offset: int
    value: dict[str, Any]
    raw: bytes


class RecordReader:
    """Iterate once over the JSON objects of an open binary file.

    ``findings`` takes the damage, the counts of lines and the layout; ``on_progress`` the number of bytes read, about
    once a megabyte and at the end.
    """

    def __init__(self, stream: BinaryIO, findings: Findings, on_progress: Callable[[int], None] | None = None) -> None:
        self.offset = 0
        self._stream = stream
        self._findings = findings
        self._on_progress = on_progress
        self._line = 0
        self._foreign: list[Damage] = []
        self._twice: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def __iter__(self) -> Iterator[Record]:
        decode, reported = self._decoder.raw_decode, 0
        raw = self._stream.readline()
        while raw:
            self._line += 1
            following: bytes | None = None
            try:
                text = raw.decode()
                value, end = decode(text)
                if text[end:] != "\n" and text[end:].strip():
                    raise ValueError("more than one value on the line")
            except (ValueError, RecursionError):
                bare = raw.removeprefix(BOM_UTF8)
                if (opener := bare.strip()) in _CLOSERS:
                    self.offset += len(raw) - len(bare)
                    records, following = self._pretty(bare, opener)
                else:
                    records = self._mended(raw)
                yield from records
            else:
                if type(value) is dict and "loglines" not in value:
                    if self._foreign or self._twice:
                        self._flush()
                    yield Record(self._line, self.offset, value, raw)
                else:
                    yield from self._unfold(value, raw, self._line, self.offset)
                self.offset += len(raw)
            if self._on_progress is not None and self.offset - reported >= PROGRESS_BYTES:
                reported = self.offset
                self._on_progress(self.offset)
            raw = self._stream.readline() if following is None else following
        self._flush()
        self._findings.counts.lines = self._line
        if self._on_progress is not None:
            self._on_progress(self.offset)

    def _report(self, what: str, line: int, offset: int) -> None:
        self._flush()
        self._findings.damage.append(Damage(line, offset, what))

    def _flush(self) -> None:
        """Report what was held back: a run of foreign lines as one, keys that stood twice in this line's objects."""
        if self._foreign:
            first, more = self._foreign[0], len(self._foreign) - 1
            what = f"{first.what} (and {more} more such line{'s' * (more > 1)})" if more else first.what
            self._findings.damage.append(Damage(first.line, first.byte_offset, what))
            self._foreign.clear()
        for key in self._twice:
            what = f"key {key!a} stands twice in one object, the last one is taken"
            self._findings.damage.append(Damage(self._line, self.offset, what))
        self._twice.clear()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Build an object, the last of two equal keys winning (B099)."""
        value = dict(pairs)
        if len(value) != len(pairs):
            keys = [key for key, _ in pairs]
            self._twice.append(next(key for key in keys if keys.count(key) > 1))
        return value

    def _mended(self, raw: bytes) -> Iterator[Record]:
        """Give what a damaged line still holds and report the rest."""
        offset = self.offset
        self.offset += len(raw)
        self._twice.clear()
        if raw.isspace():
            self._findings.counts.blank += 1
            return
        values, faults = mend(raw, first=self._line == 1, last=not raw.endswith(b"\n"))
        objects = [value for value in values if isinstance(value, dict)]
        if not objects and b"\x00" not in raw and not raw.lstrip().startswith(b"{"):
            # A log in which JSON is embedded has thousands of such lines: one report for each run of them.
            shown = raw.strip()[:40].decode(errors="replace")
            self._foreign.append(Damage(self._line, offset, f"not JSON, skipped: {shown!a}"))
            return
        for fault in faults:
            self._report(fault, self._line, offset)
        for value in values:
            yield from self._unfold(value, raw if len(values) == 1 else _encode(value), self._line, offset)

    def _pretty(self, opening: bytes, opener: bytes) -> tuple[Iterator[Record], bytes | None]:
        """Collect a pretty-printed value from its lone bracket to the bracket that closes it at the same depth.

        A whole object on one line in between ends the attempt: the bracket was debris, and that line is given back.
        """
        first_line, first_offset = self._line, self.offset
        depth = len(opening) - len(opening.lstrip())
        collected = [opening]
        following: bytes | None = None
        while raw := self._stream.readline():
            inner = raw.strip()
            shallow = len(raw) - len(raw.lstrip()) <= depth
            if shallow and inner.startswith(b'{"') and self._whole(inner) is not None:
                following = raw
                break
            collected.append(raw)
            if shallow and inner in _CLOSERS[opener]:
                break
        self._line += len(collected) - 1
        self.offset += sum(map(len, collected))
        text = b"".join(collected)
        value = None if following is not None else self._whole(text.rstrip().removesuffix(b","))
        if value is None:
            self._twice.clear()
            lines = "the line from here is" if len(collected) == 1 else f"{len(collected)} lines from here are"
            self._report(f"{lines} no whole JSON, skipped", first_line, first_offset)
            return iter(()), following
        self._findings.layout = "pretty"
        return self._unfold(value, text, first_line, first_offset), None

    def _whole(self, raw: bytes) -> object:
        try:
            return self._decoder.decode(raw.decode())
        except (ValueError, RecursionError):
            return None

    def _unfold(self, value: object, raw: bytes, line: int, offset: int) -> Iterator[Record]:
        """Give a value's records: itself, or the members of a list of records, or of ``{"loglines": [...]}``."""
        self._flush()
        members: object = value
        if isinstance(value, dict):
            members = value.get("loglines")
            if not isinstance(members, list):
                yield Record(line, offset, value, raw)
                return
            self._findings.layout = "loglines"
        if not isinstance(members, list) or not any(isinstance(member, dict) for member in members):
            self._report(f"valid JSON, but a {_kind(value)} where a record belongs, skipped", line, offset)
            return
        for member in members:
            if isinstance(member, dict):
                yield Record(line, offset, member, _encode(member))
            else:
                self._report(f"a {_kind(member)} where a record belongs, skipped", line, offset)


def _encode(value: object) -> bytes:
    return json.dumps(value).encode()


def _kind(value: object) -> str:
    names = {dict: "object", list: "list", str: "string", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null")
