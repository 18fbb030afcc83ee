"""Server-Sent Events out of raw bytes, as the HTML standard has them (W1).

The rule: chunk borders mean nothing. Lines end at CR, LF or CRLF and nowhere else; an event is over at its blank line.
"""

import codecs
import re
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_BOM: Final = "\ufeff"


class ServerSentEvent(NamedTuple):
    """One event as it was dispatched.

    Args:
        event: its type, ``message`` where none was given.
        data: its data lines, joined by line feeds.
        id: the last id that was given, by this event or an earlier one; empty if none was.
    """

    event: str
    data: str
    id: str = ""


class SSEDecoder:
    r"""Decodes one stream, chunk by chunk; bytes that are no UTF-8 become U+FFFD.

    >>> decoder = SSEDecoder()
    >>> decoder.feed(b"event: ping\r"), decoder.feed(b"\ndata: {}\n"), decoder.feed(b"\ndata: cut")
    ([], [], [ServerSentEvent(event='ping', data='{}', id='')])
    >>> decoder.close()
    'data: cut'
    """

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._at_start = True
        self._after_cr = False
        self._partial: list[str] = []
        self._lines: list[str] = []
        self._event = ""
        self._data: list[str] = []
        self._id = ""
        self.retry_ms: int | None = None
        """How long the server wants a client to wait before it connects again, in milliseconds, if it said so."""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Take the next bytes and give the events that are complete with them."""
        return self._take(self._text.decode(chunk))

    def close(self) -> str:
        """Say what was left of an event that no blank line ended; the standard discards it (B064).

        Returns:
            Its lines as they came, empty if nothing was left.
        """
        self._take(self._text.decode(b"", final=True))
        left = [*self._lines, "".join(self._partial)]
        return "\n".join(line for line in left if line and not line.startswith(":"))

    def _take(self, text: str) -> list[ServerSentEvent]:
        if text and self._at_start:
            self._at_start = False
            text = text.removeprefix(_BOM)
        if text and self._after_cr:
            # The line feed of a CRLF that was cut in two; its line was taken at the CR.
            self._after_cr = False
            text = text.removeprefix("\n")
        if not text:
            return []
        self._after_cr = text.endswith("\r")
        *lines, rest = _LINE_END.split(text)
        events = []
        for line in lines:
            self._partial.append(line)
            event = self._line("".join(self._partial))
            self._partial.clear()
            if event is not None:
                events.append(event)
        if rest:
            self._partial.append(rest)
        return events

    def _line(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        self._lines.append(line)
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and re.fullmatch(r"[0-9]{1,18}", value):
            self.retry_ms = int(value)
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        """End an event; one without data is none."""
        event = ServerSentEvent(self._event or "message", "\n".join(self._data), self._id) if self._data else None
        self._event = ""
        self._data.clear()
        self._lines.clear()
        return event
