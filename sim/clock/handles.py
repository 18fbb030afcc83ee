"""Handles of the loop: callbacks that are ready, and timers, which are SimPy events as well.

The rule: a timer that is cancelled leaves the environment's schedule, so it neither fires nor prolongs a run (B114).
Both classes set their slots themselves: asyncio's constructors ask the loop for its debug mode each time. Unit: ns.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any

from simpy.events import Event

from .instant import Instant

if TYPE_CHECKING:
    from .environment import Environment
    from .loop import SimLoop


class Handle(asyncio.Handle):
    """A callback in the loop's ready queue."""

    __slots__ = ()



class HandleI(Handle):
    __slots__=()
    def __init__(self, callback, args, loop, context):
        self._callback = callback
        self._args = args
        self._loop = loop
        self._context = copy_context() if context is None else context
        self._cancelled = False
        self._repr = None
        self._source_traceback = None
new_handle=HandleI

def _make_ready(event: Event) -> None:
    event._loop._ready.append(event)


TIMER_CALLBACKS = (_make_ready,)


class Timer(asyncio.TimerHandle, Event):
    """A callback that becomes ready at an instant: asyncio's `TimerHandle` and SimPy's `Event` in one object."""

    __slots__ = ("callbacks", "when_ns")

    _loop: SimLoop
    _ok = True
    _value = None

    @property
    def env(self) -> Environment:  # type: ignore[override]
        """The environment the timer is scheduled in."""
        return self._loop.env

    def when(self) -> float:
        """Return the instant the timer is set for, on the scale of `loop.time()`; infinity for one that never fires."""
        return math.inf if self.when_ns is None else Instant(self.when_ns)

    _when = property(when)

    def cancel(self) -> None:
        """Withdraw the callback: it will not run, unless it has."""
        if not self._cancelled:
            if self.callbacks is not None:
                self._loop.env.cancel(self)
            self._cancelled = True
            self._callback = self._args = None

_new_t = Timer.__new__
from asyncio.futures import _set_result_unless_cancelled as _srl
def new_timer(
    when_ns: int | None,
    callback: Callable[..., object],
    args: tuple[Any, ...],
    loop: SimLoop,
    context: Context | None,
) -> Timer:
    self = _new_t(Timer)
    self.when_ns = when_ns
    self.callbacks = TIMER_CALLBACKS
    self._callback = callback
    self._args = args
    self._loop = loop
    self._context = context if context is not None else None if callback is _srl else copy_context()
    self._cancelled = False
    self._repr = None
    self._source_traceback = None
    return self
