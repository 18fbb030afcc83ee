"""Work beside a call: hooks and questions, each in a task of its own, watched for its deadline and the call's abort.

The rule: an abort ends the wait at once (H6); work that resists its cancellation for the grace is left running and
reported, so that it holds its call no longer (A9). Unit: seconds.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, Literal, TypeVar

from ..calls.call import Call

T = TypeVar("T")

How = Literal["open", "done", "raised", "late", "cut"]
"""How a piece of work ended: by itself, by an exception, by its deadline, or by the call's abort."""

OnStray = Callable[[Call, str, "asyncio.Task[Any]"], None]
"""Told of work that resists its cancellation: whose, its name, its task."""


class SideWork(Generic[T]):
    """One piece of work.

    Args:
        name: for reports.
        work: what is done.
        timeout_s: how long it may take; ``None`` for no limit.
    """

    __slots__ = (
        "ended_s",
        "error",
        "how",
        "is_over",
        "name",
        "started_s",
        "task",
        "timeout_s",
        "timer",
        "value",
        "work",
    )

    def __init__(self, name: str, work: Coroutine[Any, Any, T], timeout_s: float | None) -> None:
        self.name = name
        self.work = work
        self.timeout_s = timeout_s
        self.how: How = "open"
        self.value: T | None = None
        """What it gave, if it is ``done``."""
        self.error: BaseException | None = None
        """What it raised, if it ``raised``."""
        self.is_over = False
        self.started_s = self.ended_s = 0.0
        self.task: asyncio.Task[T] | None = None
        self.timer: asyncio.TimerHandle | None = None


class SideBySide(Generic[T]):
    """Runs several pieces of work for one call.

    Args:
        call: whose abort ends them.
        grace_s: seconds from the cancellation of one until it is left running.
        on_over: told of each as it ends.
        on_stray: see :data:`OnStray`.
    """

    def __init__(self, call: Call, grace_s: float, on_over: Callable[[SideWork[T]], None], on_stray: OnStray) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = call
        self._grace_s = grace_s
        self._on_over = on_over
        self._on_stray = on_stray
        self._open: list[SideWork[T]] = []
        self._all_over = asyncio.Event()

    async def run(self, works: Sequence[SideWork[T]]) -> None:
        """Run them side by side until each is over.

        Raises:
            asyncio.CancelledError: the call's task was cancelled and its signal had not fired.
        """
        self._open = list(works)
        for work in works:
            self._start(work)
        # One timer for all with the same deadline: hooks mostly share theirs.
        limits = dict.fromkeys(work.timeout_s for work in works if work.timeout_s is not None)
        deadlines = [self._loop.call_later(timeout_s, self._expire, timeout_s) for timeout_s in limits]
        forget = self._call.signal.listen(self._cut)
        cancelled: asyncio.CancelledError | None = None
        while self._open:
            try:
                await self._all_over.wait()
            except asyncio.CancelledError as error:
                cancelled = error
                self._cut()
        forget()
        for deadline in deadlines:
            deadline.cancel()
        if cancelled is not None and self._call.signal_reason is None:
            raise cancelled

    def _start(self, work: SideWork[T]) -> None:
        work.started_s = self._loop.time()
        work.task = self._loop.create_task(work.work, name=f"call {self._call.id}: {work.name}")
        work.task.add_done_callback(functools.partial(self._ended, work))

    def _ended(self, work: SideWork[T], task: asyncio.Task[T]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if work.is_over:
            return
        if work.how == "open":
            work.how = "done" if error is None else "raised"
            work.error = error
            work.value = task.result() if error is None else None
        self._end(work)

    def _expire(self, timeout_s: float) -> None:
        for work in self._open:
            assert work.task is not None, "work is open from its start on"
            if work.how == "open" and work.timeout_s == timeout_s and work.task.cancel():
                work.how = "late"
                self._leave_after_grace(work)

    def _leave_after_grace(self, work: SideWork[T]) -> None:
        work.timer = self._loop.call_later(self._grace_s, self._leave, work)

    def _leave(self, work: SideWork[T]) -> None:
        assert work.task is not None, "a deadline begins with the task"
        if work.task.done():
            return  # It obeyed in time; its end waits to be heard only because the loop was busy.
        self._on_stray(self._call, work.name, work.task)
        self._end(work)

    def _cut(self, _reason: str = "") -> None:
        for work in self._open:
            assert work.task is not None, "work is open from its start on"
            if work.how == "open" and work.task.cancel():
                work.how = "cut"
                self._leave_after_grace(work)

    def _end(self, work: SideWork[T]) -> None:
        work.is_over = True
        work.ended_s = self._loop.time()
        if work.timer is not None:
            work.timer.cancel()
        self._open.remove(work)
        self._on_over(work)
        if not self._open:
            self._all_over.set()
