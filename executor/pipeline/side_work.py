"""Work beside a call: hooks and questions, side by side, watched for their deadlines and the call's abort.

The rule: an abort ends the wait at once (H6); work that resists its cancellation for the grace is left running and
reported, so that it holds its call no longer (A9). Unit: seconds.

The work keeps the call's own task, where it was begun; the call goes on in a new one (:mod:`.movable`).
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Literal, TypeVar

from ..calls.call import Call
from .movable import Leave, current_task

T = TypeVar("T")

How = Literal["open", "done", "raised", "late", "cut"]
"""How a piece of work ended: by itself, by an exception, by its deadline, or by the call's abort."""

OnStray = Callable[[Call, str, "asyncio.Task[Any]"], None]
"""Told of work that resists its cancellation: whose, its name, its task."""


class SideWork(Generic[T]):
    """One piece of work that keeps a task.

    Args:
        name: for reports.
        rest: what is left of it, or all.
        started_s: when it began, by the loop's clock.
        timeout_s: how long it may take from then; ``None`` for no limit.
    """

    __slots__ = ("error", "how", "is_over", "name", "rest", "started_s", "task", "timeout_s", "timers", "value")

    def __init__(self, name: str, rest: Coroutine[Any, Any, T], started_s: float, timeout_s: float | None) -> None:
        self.name = name
        self.rest = rest
        self.started_s = started_s
        self.timeout_s = timeout_s
        self.how: How = "open"
        self.value: T | None = None
        """What it gave, if it is ``done``."""
        self.error: BaseException | None = None
        """What it raised, if it ``raised``."""
        self.is_over = False
        self.task: asyncio.Task[Any] | None = None
        """The task it keeps."""
        self.timers: list[asyncio.TimerHandle] = []


class SideBySide(Generic[T]):
    """The work that waits beside one call; used by the call's own coroutine, a :class:`~.movable.Movable`.

    Args:
        call: whose abort ends the work.
        grace_s: seconds from the cancellation of one piece until it is left running.
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
        self._sleeper: asyncio.Future[None] | None = None
        self._forget: Callable[[], None] | None = None

    async def keep(self, work: SideWork[T]) -> None:
        """Leave the task that runs to a piece of work, and go on in another.

        Raises:
            asyncio.CancelledError: the call's task was cancelled and its signal had not fired.
        """
        work.task = current_task()
        work.task.set_name(f"call {self._call.id}: {work.name}")
        self._open.append(work)
        if self._forget is None:
            self._forget = self._call.signal.listen(self._cut)
        if work.timeout_s is not None:
            work.timers.append(self._loop.call_at(work.started_s + work.timeout_s, self._stop, work, "late"))
        try:
            await Leave(self._see_to_its_end(work))
        except asyncio.CancelledError as error:
            self._cut()
            await self._until_over(error)

    async def until_over(self) -> None:
        """Wait until all of it is over.

        Raises:
            asyncio.CancelledError: the call's task was cancelled and its signal had not fired.
        """
        await self._until_over(None)

    async def _until_over(self, cancelled: asyncio.CancelledError | None) -> None:
        while self._open:
            self._sleeper = self._loop.create_future()
            try:
                await self._sleeper
            except asyncio.CancelledError as error:
                cancelled = error
                self._cut()
        if self._forget is not None:
            self._forget()
        if cancelled is not None and self._call.signal_reason is None:
            raise cancelled

    async def _see_to_its_end(self, work: SideWork[T]) -> None:
        error: BaseException | None = None
        try:
            work.value = await work.rest
        except (Exception, asyncio.CancelledError) as raised:
            error = raised
        except BaseException as raised:
            error = raised
            raise
        finally:
            if work.how == "open":
                work.how = "done" if error is None else "raised"
                work.error = error
            if not work.is_over:
                self._end(work)

    def _cut(self, _reason: str = "") -> None:
        for work in list(self._open):
            self._stop(work, "cut")

    def _stop(self, work: SideWork[T], how: How) -> None:
        assert work.task is not None, "only work that waits is stopped"
        if work.how == "open" and work.task.cancel():
            work.how = how
            work.timers.append(self._loop.call_later(self._grace_s, self._leave, work))

    def _leave(self, work: SideWork[T]) -> None:
        assert work.task is not None, "only work that waits is left running"
        self._on_stray(self._call, work.name, work.task)
        self._end(work)

    def _end(self, work: SideWork[T]) -> None:
        work.is_over = True
        for timer in work.timers:
            timer.cancel()
        self._open.remove(work)
        self._on_over(work)
        if not self._open and self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)
