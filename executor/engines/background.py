"""Work that goes on after its call was settled with a handle (X8).

The rule: it ends with its executor at the latest; what resists is left running and reported (A9, E10).
"""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from ..calls.call import Call
from ..calls.result import Background
from ..events import Announce, Kind
from .report import Fault


class BackgroundWork:
    """The background work of one executor.

    Args:
        grace_s: seconds from the cancellation until work that resists it is left running.
        faults: takes note of work that failed.
        on_over: told of a call whose work is over, and whether it had kept others out until now.
        on_stray: told of work that resists its cancellation.
        announce: told when work is over.
    """

    def __init__(
        self,
        grace_s: float,
        faults: list[Fault],
        on_over: Callable[[Call, bool], None],
        on_stray: Callable[[Call, str, "asyncio.Task[Any]"], None],
        announce: Announce,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._grace_s = grace_s
        self._faults = faults
        self._on_over = on_over
        self._on_stray = on_stray
        self._announce = announce
        self.running: dict[str, tuple[Call, asyncio.Task[Any]]] = {}
        """The work that goes on, by the id of its call."""
        self.exclusive: set[str] = set()
        """The ids of calls whose work keeps others out."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._ending = False
        self.ended: list[str] = []
        """The ids of calls whose work was still going on when it was ended from outside."""

    def start(self, call: Call, background: Background) -> None:
        """Let the work of a call go on."""
        work = background.work
        if isinstance(work, asyncio.Task):
            # As it is: a task around it that is cancelled before it began would leave it running (E10).
            task = work
        else:
            task = self._loop.create_task(_await(work), name=f"call {call.id}: background work")
        if call.was_exclusive and not background.detached:
            self.exclusive.add(call.id)
        self.running[call.id] = call, task
        task.add_done_callback(functools.partial(self._over, call, work))
        if self._ending:
            self._end_one(call, task)

    def end(self) -> None:
        """End all work, now and from now on; the call returns before it is over."""
        if not self._ending:
            self._ending = True
            for call, task in list(self.running.values()):
                self._end_one(call, task)

    def _end_one(self, call: Call, task: asyncio.Task[Any]) -> None:
        if task.cancel():
            self.ended.append(call.id)
            self._timers[call.id] = self._loop.call_later(self._grace_s, self._leave, call, task)

    def _leave(self, call: Call, task: asyncio.Task[Any]) -> None:
        if task.done():
            return  # It obeyed in time; its end waits to be heard only because the loop was busy.
        self._on_stray(call, "background work", task)
        self._end_of(call)

    def _over(self, call: Call, work: Awaitable[Any], task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if task.cancelled():
            drop(work)
        if (timer := self._timers.pop(call.id, None)) is not None:
            timer.cancel()
        if error is not None:
            self._faults.append(Fault(call.id, f"its background work failed: {str(error) or type(error).__name__}"))
        self._announce(Kind.WORK_ENDED, call.id)
        if call.id in self.running:
            self._end_of(call)

    def _end_of(self, call: Call) -> None:
        del self.running[call.id]
        kept_exclusive = call.id in self.exclusive
        self.exclusive.discard(call.id)
        self._on_over(call, kept_exclusive)


def drop(work: Awaitable[Any]) -> None:
    """Let go of work that nobody will wait for: its call was given up before it could hand it over."""
    if inspect.iscoroutine(work):
        work.close()
    elif isinstance(work, asyncio.Future):
        work.cancel()


async def _await(work: Awaitable[Any]) -> Any:
    return await work
