"""Keeps the event log of a turn: pass it as ``announce`` (DESIGN 5).

The rule: a log says how exact its clock is. On a real one things of one instant are told some time apart, so its header
has ``tolerance_ns``, and a judge takes nothing for late that is not later than that.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from .events import Event, Kind, dump_lines, header_line, row_line

REAL_CLOCK_TOLERANCE_NS: Final = 250_000_000
"""What a busy machine may lie behind: a process that was not run for a while, a garbage collection, a slow disk."""


class Recorder:
    """Collects events, timed from the first one on.

    Args:
        header: what the log's header says; a :class:`~executor.turn.Turn` adds its tools, engine and options. On a real
            loop's clock ``tolerance_ns`` is added too, :data:`REAL_CLOCK_TOLERANCE_NS` unless told otherwise here; a
            clock that counts nanoseconds exactly (``loop.time().ns``), or is handed in, needs none.
        clock_ns: gives the present in nanoseconds; the running event loop's clock by default.
        path: where the log is also written, line by line as things happen, so that it can be read after a crash; an
            earlier file is replaced.
        append: whether to go on after an earlier file instead, so that the turns of a session, each with a recorder of
            its own, lie in one.
        contents: whether the log also holds what was asked and answered, word for word: then the turn's messages can be
            made of it again (:func:`~executor.retelling.messages_of`), and it holds whatever secrets they hold.

    Raises:
        OSError: the file cannot be written.

    >>> recorder = Recorder(clock_ns=iter([5, 7]).__next__)
    >>> recorder(Kind.STOP, None)
    >>> recorder(Kind.TURN_ENDED, None, how="stopped")
    >>> [(event.t_ns, event.kind.value) for event in recorder.events]
    [(0, 'stop'), (2, 'turn_ended')]
    """

    def __init__(
        self,
        header: Mapping[str, Any] | None = None,
        *,
        clock_ns: Callable[[], int] | None = None,
        path: str | Path | None = None,
        append: bool = False,
        contents: bool = False,
    ) -> None:
        self.header = dict(header or {})
        self.contents = contents
        if contents:
            self.header["contents"] = True
        self.events: list[Event] = []
        self._clock_ns = clock_ns
        self._start_ns: int | None = None
        self._path = None if path is None else Path(path)
        self._file: TextIO | None = None
        if self._path is not None:
            self._begin(self._path, append=append)

    def __call__(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        """Take note of an event, now."""
        now_ns = self._loop_ns() if self._clock_ns is None else self._clock_ns()
        first = self._start_ns is None
        if self._start_ns is None:
            self._start_ns = now_ns
        event = Event(now_ns - self._start_ns, kind, call, detail)
        self.events.append(event)
        if self._path is not None:
            if first:
                self._write(header_line(self.header))
            self._write(row_line(event, as_given=self.contents))
            if kind is Kind.TURN_ENDED:
                self.close()

    def complete_header(self, told: Mapping[str, Any]) -> None:
        """Add to the header what it does not say yet."""
        self.header = {**told, **self.header}

    def close(self) -> None:
        """Close the file; the end of the turn does so too. Later events open it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def lines(self) -> Iterator[str]:
        """Give the log as JSON lines."""
        return dump_lines(self.header, self.events)

    @staticmethod
    def _begin(path: Path, *, append: bool) -> None:
        """Make the file, so that one that cannot be written is told at once."""
        with path.open("ab" if append else "wb") as file:
            torn = file.tell() > 0 and not path.read_bytes().endswith(b"\n")
            if torn:
                # A crash cut the line off; what comes now is none of it.
                file.write(b"\n")

    def _write(self, line: str) -> None:
        assert self._path is not None, "only a recorder with a path writes"
        if self._file is None:
            # A lone surrogate, which UTF-8 has no bytes for, becomes the escape that JSON has for it.
            self._file = self._path.open("a", encoding="utf-8", errors="backslashreplace")
        self._file.write(line + "\n")
        self._file.flush()

    def _loop_ns(self) -> int:
        now_s = asyncio.get_running_loop().time()
        exact_ns: int | None = getattr(now_s, "ns", None)
        if exact_ns is not None:
            return exact_ns
        if self._start_ns is None:
            self.complete_header({"tolerance_ns": REAL_CLOCK_TOLERANCE_NS})
        return round(now_s * 1e9)
