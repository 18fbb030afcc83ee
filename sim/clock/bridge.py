"""Waiting across the border: coroutines for SimPy events, SimPy processes for coroutines.

The rule: who stops waiting leaves nothing behind on the other side (B115), and no failure on one side ends the other
unless somebody there waits for it (B107). No times here.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from simpy.events import Event
from simpy.resources.base import Get, Put

from .futures import Future

if TYPE_CHECKING:
    from .loop import SimLoop


class EventFuture(Future[Any]):
    """A future with the result of a SimPy event; cancelled, it takes its callback off the event at once."""

    __slots__ = ("event",)

    def __init__(self, event: Event, *, loop: SimLoop) -> None:
        if event.env is not loop.env:
            raise ValueError(f"{event!r} belongs to another environment than the loop's: create it from loop.env")
        super().__init__(loop=loop)
        self.event = event
        if event.callbacks is None:
            self._deliver(event)
        else:
            event.callbacks.append(self._deliver)

    def _deliver(self, event: Event) -> None:
        if event._ok:
            self.set_result(event._value)
        else:
            event.defused = True
            self.set_exception(event._value)

    def cancel(self, msg: Any = None) -> bool:
        """Cancel the future and let go of the event; a request that waits in a resource's queue is withdrawn (B114)."""
        cancelled = super().cancel(msg)
        if cancelled and self.event.callbacks is not None:
            self.event.callbacks.remove(self._deliver)
            # A request has one callback of its own, with which the resource serves its other queue.
            if isinstance(self.event, (Get, Put)) and len(self.event.callbacks) == 1:
                self.event.cancel()
        return cancelled


class TaskEvent(Event):
    """A SimPy event that happens when an awaitable ends, with its result or its error; `.task` runs it.

    An error that no process waits for (any more) goes to the loop's exception handler.
    """

    _defused = True

    def __init__(self, task: asyncio.Future[Any], *, loop: SimLoop) -> None:
        super().__init__(loop.env)
        self.task = task
        task.add_done_callback(self._deliver)

    def _deliver(self, task: asyncio.Future[Any]) -> None:
        if task.cancelled():
            self.fail(asyncio.CancelledError())  # type: ignore[arg-type]
            return
        error = task.exception()
        if error is None:
            self.succeed(task.result())
            return
        if not self.callbacks:
            message = "a coroutine failed and no SimPy process waits for it"
            task.get_loop().call_exception_handler({"message": message, "exception": error, "future": task})
        self.fail(_rebuildable(error))  # type: ignore[arg-type]


def _rebuildable(error: BaseException) -> BaseException:
    """Return the error, or a RuntimeError that tells it: SimPy throws a copy built from `args` into the process."""
    try:
        type(error)(*error.args)
    except Exception:
        told = RuntimeError(f"{type(error).__name__}: {error}")
        told.__cause__ = error
        return told
    return error
