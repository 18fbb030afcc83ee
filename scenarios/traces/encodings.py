"""Files that were saved as UTF-16, as Windows shells write them by ``>``: read as the UTF-8 that they would be.

The rule: only a file whose beginning cannot be anything else is taken for one; damage does not look like that.
"""

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from .model import Damage

RECODED: Final = "UTF-16 text, read as the UTF-8 that it would be: byte offsets are those"
"""The note of a file in UTF-16."""

_HEAD_BYTES: Final = 512
_PIECE_BYTES: Final = 1 << 16
_MARKS: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def as_utf8(stream: BinaryIO, damage: list[Damage]) -> BinaryIO:
    """Give an open binary file as UTF-8, from its beginning.

    Args:
        stream: the file; it is rewound.
        damage: takes note of another encoding.

    >>> import io
    >>> heard = []
    >>> as_utf8(io.BytesIO('{"a": "é"}'.encode("utf-16")), heard).read().decode(), heard[0].what
    ('{"a": "é"}', 'UTF-16 text, read as the UTF-8 that it would be: byte offsets are those')
    """
    stream.seek(0)
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    encoding = _encoding_of(head)
    if encoding is None:
        return stream
    damage.append(Damage(1, 0, RECODED))
    return cast(BinaryIO, _Recoded(stream, encoding))


def _encoding_of(head: bytes) -> str | None:
    """Tell UTF-16 by its NULs: where text is mostly ASCII every other byte is one, and none of the others."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    zeros, others, found = max((odd, even, "utf-16-le"), (even, odd, "utf-16-be"))
    if not half or not zeros or zeros < half // 4 or others > half // 16:
        return None
    if not head.decode(found, errors="ignore").lstrip("\ufeff \t\r\n")[:1].isascii():
        return None
    marked = _MARKS.get(head[:2])
    if marked is None:
        return found
    # By this name the mark is no part of the text.
    return "utf-16" if marked == found else None


class _Recoded:
    """As much of a binary file as reading it line by line takes; only a line feed ends a line."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self.seek(0)

    def seek(self, place: int) -> int:
        """Go back to the beginning, the only place that there is a way to."""
        self._decoder = codecs.getincrementaldecoder(self._encoding)(errors="replace")
        self._held = bytearray()
        return self._stream.seek(place)

    def readline(self) -> bytes:
        searched = 0
        while (end := self._held.find(b"\n", searched)) < 0:
            searched = len(self._held)
            if not self._takes_more():
                return self._give(searched)
        return self._give(end + 1)

    def read(self, size: int = -1) -> bytes:
        while (size < 0 or len(self._held) < size) and self._takes_more():
            pass
        return self._give(len(self._held) if size < 0 else size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _takes_more(self) -> bool:
        raw = self._stream.read(_PIECE_BYTES)
        self._held += self._decoder.decode(raw, final=not raw).encode()
        return bool(raw)

    def _give(self, size: int) -> bytes:
        given = bytes(self._held[:size])
        del self._held[:size]
        return given
