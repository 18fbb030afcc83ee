"""Keeps the event log of a turn: pass it as ``announce`` (DESIGN 5)."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .events import Event, Kind, dump_lines


class Recorder:
    """Collects events, timed from the first one on.

    Args:
        header: what the log's header says (tools, options, ...).
        clock_ns: gives the present in nanoseconds; the running event loop's clock by default.

    >>> recorder = Recorder(clock_ns=iter([5, 7]).__next__)
    >>> recorder(Kind.STOP, None)
    >>> recorder(Kind.TURN_ENDED, None, how="stopped")
    >>> [(event.t_ns, event.kind.value) for event in recorder.events]
    [(0, 'stop'), (2, 'turn_ended')]
    """

    def __init__(self, header: Mapping[str, Any] | None = None, *, clock_ns: Callable[[], int] | None = None) -> None:
        self.header = dict(header or {})
        self.events: list[Event] = []
        self._clock_ns = clock_ns or _loop_ns
        self._start_ns: int | None = None

    def __call__(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        """Take note of an event, now."""
        now_ns = self._clock_ns()
        if self._start_ns is None:
            self._start_ns = now_ns
        self.events.append(Event(now_ns - self._start_ns, kind, call, detail))

    def lines(self) -> Iterator[str]:
        """Give the log as JSON lines."""
        return dump_lines(self.header, self.events)


def _loop_ns() -> int:
    return round(asyncio.get_running_loop().time() * 1e9)
