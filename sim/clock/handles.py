"""Handles of the loop: callbacks that are ready, and timers, which are SimPy events as well.

The rule: a timer that is cancelled leaves the environment's schedule, so it neither fires nor prolongs a run (B114).
Both classes set all their slots themselves, which is what makes them fast. Unit: ns.
"""

from __future__ import annotations

import asyncio
import math
import sys
from asyncio.format_helpers import extract_stack
from asyncio.futures import _set_result_unless_cancelled  # type: ignore[attr-defined]
from collections.abc import Callable
from contextvars import Context, copy_context
from heapq import heappush
from typing import TYPE_CHECKING, Any

from simpy.events import EventPriority

from .environment import Environment, Rank, Timed
from .instant import Instant

if TYPE_CHECKING:
    from .loop import SimLoop

_DEADLINE = EventPriority(Rank.DEADLINE.value)


class Handle(asyncio.Handle):
    """A callback in the loop's ready queue."""

    __slots__ = ()

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], loop: SimLoop, context: Context | None
    ) -> None:
        self._callback = callback
        self._args = args
        self._loop = loop
        self._context = copy_context() if context is None else context
        self._cancelled = False
        self._repr = None
        self._source_traceback = extract_stack(sys._getframe(2)) if loop._debug else None


def _make_ready(event: Any) -> None:
    event._loop._ready.append(event)


# What every scheduled timer has for callbacks: the loop knows its timers by it, and a step outside the loop only makes
# them ready.
TIMER_CALLBACKS = (_make_ready,)


class Timer(asyncio.TimerHandle, Timed):
    """A callback that runs at an instant: asyncio's `TimerHandle` and SimPy's `Event` in one object.

    `when_ns` is None for one that never fires. That of `asyncio.sleep` has no context, as it only completes a future,
    whose own callbacks carry theirs.
    """

    __slots__ = ("callbacks", "when_ns")

    _loop: SimLoop
    _ok = True
    _value = None

    def __init__(
        self,
        when_ns: int | None,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: SimLoop,
        context: Context | None,
    ) -> None:
        self.when_ns = when_ns
        self.callbacks: Any = None if when_ns is None else TIMER_CALLBACKS
        self._callback = callback
        self._args = args
        self._loop = loop
        if context is None and callback is not _set_result_unless_cancelled:
            context = copy_context()
        self._context = context
        self._cancelled = False
        self._repr = None
        self._source_traceback = extract_stack(sys._getframe(2)) if loop._debug else None
        if when_ns is not None:
            # `env.schedule_ns` spelt out, as SimPy's own events do it. One that is late runs now (B112).
            env = loop.env
            now_ns = env._now
            heappush(env._queue, (when_ns if when_ns > now_ns else now_ns, _DEADLINE, next(env._eid), self))

    @property
    def env(self) -> Environment:  # type: ignore[override]
        """The environment the timer is scheduled in."""
        return self._loop.env

    def when(self) -> float:
        """Return the instant the timer is set for, on the scale of `loop.time()`."""
        return math.inf if self.when_ns is None else Instant(self.when_ns)

    _when = property(when)

    def cancel(self: Any) -> None:
        """Withdraw the callback: it will not run, unless it has."""
        if self.callbacks is not None:
            self._loop.env.cancel(self)
        # `asyncio.Handle.cancel` spelt out: `asyncio.sleep` cancels its timer when it has fired, too.
        if not self._cancelled:
            self._cancelled = True
            if self._loop._debug:
                self._repr = repr(self)
            self._callback = self._args = None
