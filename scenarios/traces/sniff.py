"""Decide from a file's first records which source wrote it.

The rule: one record that only one source writes decides for it; otherwise the error names what was seen instead and
what can be read. Nothing here trusts a file's name.
"""

import stat
from pathlib import Path
from typing import Any, Final

from ..words import hint_at_file
from .containers import records
from .declaring import Format
from .encodings import RECODED, as_utf8
from .findings import Findings
from .formats import FORMATS
from .model import TraceError

READABLE: Final = "`interlock formats` lists what can be read"
"""The end of every refusal: what can be read."""

_LOOKED_AT: Final = 8 << 20
"""Bytes after which a file without one known record is given up."""

_MAGIC: Final = (
    (b"\x1f\x8b", "gzip data; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data; decompress it first"),
    (b"SQLite format 3\x00", "an SQLite database"),
)


def sniff(path: str | Path) -> Format:
    """Look into a file and say which source wrote it; :class:`TraceError` if it cannot be read, or none is known.

    The error is one line: which file, what it is, and what can be read.
    """
    try:
        mode = Path(path).stat().st_mode
        what = "a directory" if stat.S_ISDIR(mode) else "no regular file"
        seen = _look(Path(path)) if stat.S_ISREG(mode) else what
    except FileNotFoundError:
        seen = f"no such file{hint_at_file(path)}"
    except OSError as error:
        seen = f"cannot be read ({error.strerror})"
    except ValueError as error:
        seen = f"no path ({error})"
    if isinstance(seen, Format):
        return seen
    raise TraceError(f"{path}: {seen}; {READABLE}")


def _look(path: Path) -> Format | str:
    """Give the source of the first record that has one, or say what the file is instead."""
    with path.open("rb") as stream:
        head = as_utf8(stream, []).read(512)
        if not head:
            return "an empty file"
        for magic, name in _MAGIC:
            if head.startswith(magic):
                return name
        findings = Findings()
        first: dict[str, Any] | None = None
        for record in records(stream, findings):
            for source in FORMATS:
                if source.fits(record.value):
                    return source
            first = first or record.value
            if record.offset > _LOOKED_AT:
                break
    return _describe(first, findings, head)


def _describe(first: dict[str, Any] | None, findings: Findings, head: bytes) -> str:
    if first is not None:
        keys = ", ".join(ascii(key)[1:-1] for key in list(first)[:4])
        return f"no known format: its first object has the keys {keys or 'none'}"
    if _is_binary(head):
        return "binary data, or text that is not UTF-8"
    faults = [fault for fault in findings.damage if fault.what != RECODED]
    if not faults:
        return "nothing but white space"
    fault = faults[0]
    return f"no whole JSON object in it; line {fault.line}: {fault.what}"


def _is_binary(head: bytes) -> bool:
    try:
        head[:-3].decode()
    except UnicodeDecodeError:
        return True
    return b"\x00" in head
