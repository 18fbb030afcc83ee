"""Open what records come in: lines of JSON, one JSON document, Server-Sent Events, recorded HTTP interactions, a zip.

The rule: the container is known by its first bytes, never by the file's name; each gives the same records, and what
cannot be read of it is reported where it stands. Memory is bounded by the largest record.
"""

import json
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

import yaml

from executor.wire.sse import SSEDecoder

from .encodings import as_utf8
from .findings import Findings
from .lines import PROGRESS_BYTES, Record, RecordReader
from .model import Damage
from .repair import mend

_SSE: Final = (b"event:", b"data:", b"id:", b"retry:", b": ", b":\n")
_CASSETTE: Final = (b"interactions:", b"- request:", b"- recorded_at:")
_BODY_BYTES: Final = 1 << 28
"""How much of a compressed body is unpacked."""

_MEMBER_BYTES: Final = 1 << 30
"""A member that unpacks to more is passed over."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

OnBytes = Callable[[int], None]
"""Takes the number of bytes read, about once a megabyte and at the end."""


def records(stream: BinaryIO, findings: Findings, on_bytes: OnBytes | None = None) -> Iterator[Record]:
    """Give the JSON objects of an open binary file, from its beginning.

    Args:
        stream: the file; it is rewound.
        findings: takes the damage, the counts of lines and the layout.
        on_bytes: takes the progress.
    """
    stream.seek(0)
    if stream.read(512).lstrip().startswith(b"PK\x03\x04"):
        findings.layout = "zip"
        return _members(stream, findings, on_bytes)
    stream = as_utf8(stream, findings.damage)
    head = stream.read(512).removeprefix(BOM_UTF8).lstrip()
    stream.seek(0)
    if head.startswith(_SSE):
        findings.layout = "sse"
        return _events(_Lines(stream, findings, on_bytes))
    if head.startswith(_CASSETTE):
        findings.layout = "cassette"
        return _interactions(_Lines(stream, findings, on_bytes))
    return iter(RecordReader(stream, findings, on_bytes))


class _Lines:
    """The lines of a file that is no JSON, with the place of each."""

    def __init__(self, stream: BinaryIO, findings: Findings, on_bytes: OnBytes | None) -> None:
        self.line = self.offset = 0
        self.findings = findings
        self._stream, self._on_bytes = stream, on_bytes

    def __iter__(self) -> Iterator[bytes]:
        done = reported = 0
        for raw in self._stream:
            self.line, self.offset, done = self.line + 1, done, done + len(raw)
            if self._on_bytes is not None and done - reported >= PROGRESS_BYTES:
                reported = done
                self._on_bytes(done)
            yield raw
        self.findings.counts.lines = self.line
        if self._on_bytes is not None:
            self._on_bytes(done)


def _members(stream: BinaryIO, findings: Findings, on_bytes: OnBytes | None) -> Iterator[Record]:
    """Give the JSON documents of an archive, one after another; their places are their numbers in it."""
    try:
        with zipfile.ZipFile(stream) as archive:
            for number, member in enumerate(archive.infolist(), start=1):
                if member.filename.endswith(".json") and member.file_size <= _MEMBER_BYTES:
                    yield from _member(archive, member, number, findings)
                if on_bytes is not None:
                    on_bytes(member.header_offset + member.compress_size)
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        findings.damage.append(Damage(0, 0, f"the archive is damaged: {error}"))


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, number: int, findings: Findings) -> Iterator[Record]:
    try:
        value = json.loads(archive.read(member))
    except (zipfile.BadZipFile, zlib.error, ValueError, RecursionError, NotImplementedError, EOFError, RuntimeError):
        findings.damage.append(Damage(number, member.header_offset, "a member that is no whole JSON, skipped"))
        return
    if isinstance(value, dict):
        yield Record(number, member.header_offset, value, b"")


def _events(lines: _Lines) -> Iterator[Record]:
    """Give the data of each event; an event that the file's end cuts off is one if its data is whole."""
    decoder = SSEDecoder()
    for raw in lines:
        for event in decoder.feed(raw):
            yield from _data(event.data, lines.line, lines.offset, lines.findings)
    for event in decoder.feed(b"\n\n"):
        yield from _data(event.data, lines.line, lines.offset, lines.findings)


def _data(text: str, line: int, offset: int, findings: Findings) -> Iterator[Record]:
    """Give the objects in the data of one event; two events whose border was damaged are two objects."""
    if text.strip() in ("", "[DONE]"):
        return
    raw = text.encode(errors="replace")
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):
        values, faults = mend(raw)
        findings.damage += [Damage(line, offset, fault) for fault in faults]
    for value in values:
        if isinstance(value, dict):
            yield Record(line, offset, value, raw)
        else:
            findings.damage.append(Damage(line, offset, "an event whose data is no object, skipped"))


def _interactions(lines: _Lines) -> Iterator[Record]:
    """Give each recorded exchange: its request as ``{"request": body}``, then what the response held.

    An exchange begins at a list item of the top level, so one that is no YAML any more costs none of the others.
    """
    held: list[bytes] = []
    begins = (0, 0)
    for raw in lines:
        if raw.startswith(b"- ") or (raw[:1].isalpha() and held):
            yield from _interaction(b"".join(held), *begins, lines.findings)
            held, begins = [], (lines.line, lines.offset)
        if held or raw.startswith(b"- "):
            held.append(raw)
    yield from _interaction(b"".join(held), *begins, lines.findings)


def _interaction(raw: bytes, line: int, offset: int, findings: Findings) -> Iterator[Record]:
    if not raw.startswith(b"- "):
        return
    try:
        (exchange,) = yaml.load(raw.decode(errors="replace"), Loader=_LOADER)
        request, response = exchange["request"], exchange["response"]
    except (yaml.YAMLError, ValueError, TypeError, KeyError, RecursionError):
        findings.damage.append(Damage(line, offset, "a recorded exchange that is no whole YAML, skipped"))
        return
    asked = _body(request)
    if isinstance(asked, dict):
        yield Record(line, offset, {"request": asked}, b"")
    answered = _body(response)
    if isinstance(answered, dict):
        yield Record(line, offset, answered, b"")
    elif isinstance(answered, str):
        decoder = SSEDecoder()
        for event in decoder.feed(answered.encode(errors="replace") + b"\n\n"):
            yield from _data(event.data, line, offset, findings)


def _body(message: object) -> Any:
    """Give a request's or response's body: as it was parsed already, as JSON, else as text."""
    if not isinstance(message, dict):
        return None
    if "parsed_body" in message:
        return message["parsed_body"]
    body = message.get("body")
    body = body.get("string", body) if isinstance(body, dict) else body
    text = _unpacked(body) if isinstance(body, bytes) else body
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return text


def _unpacked(body: bytes) -> str:
    """Give a body that was recorded as it came over the wire as text; gzip is what such recordings hold."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, _BODY_BYTES)
        except zlib.error:
            return ""
    return body.decode(errors="replace")
