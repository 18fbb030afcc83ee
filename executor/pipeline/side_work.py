"""Work beside a call: hooks and questions, side by side, watched for their deadlines and the call's abort.

The rule: an abort ends the wait at once (H6); work that resists its cancellation for the grace is left running and
reported, so that it holds its call no longer (A9). Unit: seconds.

Work that has to wait has a task of its own, and a context. Work that never waits needs none: one task works off what
is there until something waits; that keeps the task, and another takes up the rest.
"""

import asyncio
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import Context, copy_context
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
        self.task: asyncio.Task[None] | None = None
        """The task it runs in, ``None`` while it has not begun."""
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
        self._unbegun: deque[SideWork[T]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._sleeper: asyncio.Future[None] | None = None
        self._deadlines: list[asyncio.TimerHandle] = []
        self._forget: Callable[[], None] | None = None

    async def run(self, works: Sequence[SideWork[T]]) -> None:
        """Run them side by side until each is over.

        Raises:
            asyncio.CancelledError: the call's task was cancelled and its signal had not fired.
        """
        self._open, self._unbegun = list(works), deque(works)
        now_s = self._loop.time()
        for work in works:
            work.started_s = now_s
        self._work_on()
        cancelled: asyncio.CancelledError | None = None
        while self._open:
            self._sleeper = self._loop.create_future()
            try:
                await self._sleeper
            except asyncio.CancelledError as error:
                cancelled = error
                self._cut()
        for deadline in self._deadlines:
            deadline.cancel()
        if self._forget is not None:
            self._forget()
        if cancelled is not None and self._call.signal_reason is None:
            raise cancelled

    def _work_on(self) -> None:
        name = f"call {self._call.id}: {self._unbegun[0].name}"
        self._worker = self._loop.create_task(self._work_off(), name=name)
        self._worker.add_done_callback(self._worker_over)

    async def _work_off(self) -> None:
        """Take up one piece of work after the other, until one has to wait: it keeps this task to its end."""
        me = self._worker
        assert me is not None, "this runs in the worker"
        while self._unbegun:
            work = self._unbegun.popleft()
            if work.how == "open" and self._call.signal_reason is not None:
                work.how = "cut"
            if work.how != "open":
                work.work.close()
                self._end(work)
                continue
            work.task = me
            await self._run_one(work, me)
            if self._worker is me and self._unbegun and me.cancelling():
                # A cancellation that nobody obeyed was meant for what is over, not for the next.
                self._work_on()
            if self._worker is not me:
                return

    async def _run_one(self, work: SideWork[T], me: asyncio.Task[None]) -> None:
        error: BaseException | None = None
        try:
            work.value = await _drive(work.work, copy_context(), lambda: self._keep(work, me))
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

    def _keep(self, work: SideWork[T], me: asyncio.Task[None]) -> None:
        """Leave a task to the work that waits in it; from now on deadlines and the abort may have to end it."""
        if self._unbegun:
            self._work_on()
        else:
            self._worker = None
        me.set_name(f"call {self._call.id}: {work.name}")
        if self._forget is None:
            self._forget = self._call.signal.listen(self._cut)
            # One timer for all with the same deadline: hooks mostly share theirs.
            limits = dict.fromkeys(each.timeout_s for each in self._open if each.timeout_s is not None)
            begun_s = work.started_s
            self._deadlines = [self._loop.call_at(begun_s + limit_s, self._expire, limit_s) for limit_s in limits]

    def _worker_over(self, worker: asyncio.Task[None]) -> None:
        if not worker.cancelled():
            worker.exception()
        elif worker is self._worker:
            # Somebody cancelled it before it had begun.
            while self._unbegun:
                work = self._unbegun.popleft()
                work.work.close()
                if work.how == "open":
                    work.how, work.error = "raised", asyncio.CancelledError()
                self._end(work)

    def _expire(self, timeout_s: float) -> None:
        for work in list(self._open):
            if work.timeout_s == timeout_s:
                self._stop(work, "late")

    def _cut(self, _reason: str = "") -> None:
        for work in list(self._open):
            self._stop(work, "cut")

    def _stop(self, work: SideWork[T], how: How) -> None:
        if work.how != "open":
            return
        if work.task is None:
            work.how = how
        elif work.task.cancel():
            work.how = how
            work.timer = self._loop.call_later(self._grace_s, self._leave, work)

    def _leave(self, work: SideWork[T]) -> None:
        assert work.task is not None, "only work that has begun is left running"
        self._on_stray(self._call, work.name, work.task)
        self._end(work)

    def _end(self, work: SideWork[T]) -> None:
        work.is_over = True
        work.ended_s = self._loop.time()
        if work.timer is not None:
            work.timer.cancel()
        self._open.remove(work)
        self._on_over(work)
        if not self._open and self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)


@types.coroutine
def _drive(work: Coroutine[Any, Any, T], context: Context, on_wait: Callable[[], None]) -> Generator[Any, Any, T]:
    """Run a coroutine in a context of its own; ``on_wait`` is called once, when it has to wait for the first time."""
    waited = False
    step: Callable[[Any], Any] = work.send
    told: Any = None
    while True:
        try:
            awaited = context.run(step, told)
        except StopIteration as end:
            value: T = end.value
            return value
        if not waited:
            waited = True
            on_wait()
        try:
            step, told = work.send, (yield awaited)
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:
            step, told = work.throw, error
