"""An asyncio event loop whose clock is a SimPy environment.

The rule: the ready queue is first-in first-out and empty before the environment takes its next event, so time moves
only when nothing is ready (B111), and between two events from outside all their consequences have run (SPEC A11).
Unit: ns inside, seconds in asyncio's own calls.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import sys
import threading
from asyncio.constants import DEBUG_STACK_DEPTH
from asyncio.format_helpers import _format_callback_source
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import Context
from sys import _getframe
from typing import Any, TypeVar, TypeVarTuple

from simpy.events import Event

from .bridge import EventFuture, TaskEvent
from .collecting import EVERY, automatic_collection_off, collect
from .environment import Environment
from .escape import escape, threads_refused
from .futures import Future
from .handles import TIMER_CALLBACKS, Handle, Timer
from .instant import Instant, ns
from .settings import AsyncGenerators, Settings
from .stuck import Deadlock, Livelock, describe_event, describe_handle, waiting_tasks

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_SLEEP = asyncio.sleep.__code__
_SAMPLED_STEPS = 1_000  # before a livelock is reported: enough to see who is busy


class SimLoop(Settings):
    """An event loop for any asyncio code, on virtual time.

    Args:
        env: the environment to live in (a new one by default), readable as `.env`.
        inline_executor: lets `run_in_executor` and `asyncio.to_thread` call their function on the spot instead of
            refusing it.
        max_steps_per_instant: bounds callbacks and events at one instant.

    `run_until_complete` raises Deadlock, Livelock (SPEC L1) and what a failed SimPy event raises; all else that would
    leave the simulation raises SimulationEscape (B110).

    >>> with asyncio.Runner(loop_factory=SimLoop) as runner:
    ...     runner.run(asyncio.sleep(3600))
    ...     runner.get_loop().time()
    3600.0
    """

    def __init__(
        self,
        env: Environment | None = None,
        *,
        inline_executor: bool = False,
        max_steps_per_instant: int = 1_000_000,
    ) -> None:
        super().__init__(inline_executor)
        self.env = Environment() if env is None else env
        self._ready: deque[Any] = deque()
        self._instant = Instant(self.env.now_ns)
        self._asyncgens = AsyncGenerators(self)
        self._max_steps = max_steps_per_instant
        self._thread_id: int | None = None
        self._stopping = False
        self._instants = 0
        self._collects = False

    def create_future(self) -> asyncio.Future[Any]:
        """Return a future of this loop, which hashes to its number."""
        # Nobody can put that of `asyncio.sleep` into a set, and asyncio's C code is quicker with its own class.
        return asyncio.Future(loop=self) if _getframe(1).f_code is _SLEEP else Future(loop=self)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} t={self.time()} running={self.is_running()} "
            f"closed={self.is_closed()} debug={self.get_debug()}>"
        )

    def run_forever(self) -> None:
        """Run until `stop()` is called; raises Deadlock when nothing can happen any more."""
        self._check_idle()
        with self._installed():
            self._drive()

    def _check_idle(self) -> None:
        self._check_closed()
        if self.is_running():
            raise RuntimeError("This event loop is already running")
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")

    @contextmanager
    def _installed(self) -> Iterator[None]:
        hooks = sys.get_asyncgen_hooks()
        origin_depth = sys.get_coroutine_origin_tracking_depth()
        self._thread_id = threading.get_ident()
        sys.set_asyncgen_hooks(firstiter=self._asyncgens.began, finalizer=self._asyncgens.dropped)
        if self._debug:
            sys.set_coroutine_origin_tracking_depth(DEBUG_STACK_DEPTH)
        asyncio._set_running_loop(self)
        try:
            with threads_refused(), automatic_collection_off() as self._collects:
                yield
        finally:
            self._stopping = False
            self._thread_id = None
            asyncio._set_running_loop(None)
            sys.set_coroutine_origin_tracking_depth(origin_depth)
            sys.set_asyncgen_hooks(*hooks)

    def _drive(self) -> None:
        """Run what is ready; when nothing is, let the next event happen; until stopped."""
        ready, env = self._ready, self.env
        popleft, take, queue = ready.popleft, env.take, env._queue
        sample_from = max(self._max_steps - _SAMPLED_STEPS, self._max_steps // 2)
        busy: Counter[str] = Counter()
        now_ns, steps = env._now, 0
        due = len(ready)
        while True:
            if not due:
                # A round is what is ready at its beginning, and `stop` ends a round: so asyncio's own loop does it.
                if self._stopping:
                    return
                due = len(ready)
            steps += 1
            if steps > sample_from:
                self._watch(steps, busy)
            if due:
                due -= 1
                handle = popleft()
            else:
                # This is `env.step()` spelt out, because timers, which are most of the events, are run on the spot.
                try:
                    at_ns, _, _, event = take(queue)
                except IndexError:
                    raise Deadlock(env._now, waiting_tasks(self)) from None
                callbacks = event.callbacks
                if callbacks is None:
                    env._cancelled -= 1
                    continue
                if at_ns != now_ns:
                    env._now = now_ns = at_ns
                    self._instants += 1
                    if not self._instants % EVERY and self._collects:
                        collect(self._instants)
                    steps = 1
                    busy.clear()
                if callbacks is not TIMER_CALLBACKS:
                    env.happen(event)
                    continue
                event.callbacks = None
                handle = event
            if not handle._cancelled:
                try:
                    if handle._context is None:  # the end of an `asyncio.sleep`
                        future, result = handle._args
                        if not future.cancelled():
                            future.set_result(result)
                    else:
                        handle._context.run(handle._callback, *handle._args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self._report(handle, error)

    def _watch(self, steps: int, busy: Counter[str]) -> None:
        """Note whose turn it is, and give up when there were too many at one instant."""
        if self._ready:
            busy[describe_handle(self._ready[0])] += 1
        elif (event := self.env.next_event_now()) is not None:
            busy[describe_event(event)] += 1
        else:
            return
        if steps > self._max_steps:
            busiest = tuple(f"{times} x {who}" for who, times in busy.most_common(5))
            raise Livelock(self.env.now_ns, busiest, self._max_steps)

    def _report(self, handle: Any, error: BaseException) -> None:
        callback = _format_callback_source(handle._callback, handle._args)
        context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
        if handle._source_traceback:
            context["source_traceback"] = handle._source_traceback
        self.call_exception_handler(context)

    def run_until_complete(self, future: Generator[Any, None, T] | Awaitable[T]) -> T:
        """Run until the awaitable is done and return its result or raise its error."""
        self._check_idle()
        ours = not asyncio.isfuture(future)
        waited: asyncio.Future[T] = asyncio.ensure_future(future, loop=self)  # type: ignore[arg-type]
        if ours:
            # Its end is reported by what this call raises, not once more by asyncio's destructor.
            waited._log_destroy_pending = False  # type: ignore[attr-defined]
        waited.add_done_callback(_stop_loop)
        try:
            self.run_forever()
        except BaseException:
            if ours and waited.done() and not waited.cancelled():
                waited.exception()
            raise
        finally:
            waited.remove_done_callback(_stop_loop)
        if not waited.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return waited.result()

    def stop(self) -> None:
        """Leave `run_forever` when what is ready by now has run."""
        self._stopping = True

    def close(self) -> None:
        """Drop what is ready; the loop cannot be used any more. The environment stays as it is."""
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        self._closed = self._strict = True
        self._ready.clear()

    def is_running(self) -> bool:
        """Tell whether the loop is running."""
        return self._thread_id is not None

    def time(self) -> Instant:
        """Return the present instant: a float in seconds that is exact in calculations with delays."""
        if self._instant.ns != self.env._now:
            self._instant = Instant(self.env._now)
        return self._instant

    def call_soon(self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None) -> Handle:
        """Run `callback(*args)` at the present instant, after what is ready already."""
        if self._strict:
            self._check_call(callback)
        handle = Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> Handle:
        """Do `call_soon` from the loop's own thread, as signal handlers do; other threads get SimulationEscape."""
        if self._thread_id not in (None, threading.get_ident()):
            raise escape("loop.call_soon_threadsafe from another thread", "threads run in real time, model a duration")
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> Timer:
        """Run `callback(*args)` after `delay` seconds; with a negative delay now, but after what is ready."""
        if delay is None:
            raise TypeError("delay must not be None")
        if self._strict:
            self._check_call(callback)
        try:
            when_ns = self.env._now + ns(delay)
        except ValueError:
            if delay != math.inf:
                raise
            when_ns = None
        return Timer(when_ns, callback, args, self, context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> Timer:
        """Run `callback(*args)` at the instant `when` of `loop.time()`; one in the past runs now (B112)."""
        if when is None:
            raise TypeError("when cannot be None")
        if self._strict:
            self._check_call(callback)
        return Timer(None if when == math.inf else ns(when), callback, args, self, context)

    def _check_call(self, callback: object) -> None:
        self._check_closed()
        if self._thread_id not in (None, threading.get_ident()):
            raise RuntimeError("Non-thread-safe operation invoked on an event loop other than the current one")
        if asyncio.iscoroutine(callback) or inspect.iscoroutinefunction(callback):
            raise TypeError(f"coroutines cannot be used as callbacks, got {callback!r}: use create_task()")
        if not callable(callback):
            raise TypeError(f"a callable object was expected as callback, got {callback!r}")

    def as_future(self, event: Event) -> asyncio.Future[Any]:
        """Return a future with the result of a SimPy event of this loop's environment.

        A failed event raises its error in the coroutine. Cancelling the future takes its callback off the event (B115).

        >>> async def main():
        ...     loop = asyncio.get_running_loop()
        ...     return await loop.as_future(loop.env.timeout(2, value="done")), loop.time()
        >>> asyncio.Runner(loop_factory=SimLoop).run(main())
        ('done', 2.0)
        """
        return EventFuture(event, loop=self)

    def as_event(self, awaitable: Awaitable[Any]) -> TaskEvent:
        """Return a SimPy event that happens when an awaitable ends, for a process to yield; `.task` can be cancelled.

        An error or cancellation of the task is raised in the process.
        """
        return TaskEvent(asyncio.ensure_future(awaitable, loop=self), loop=self)

    async def shutdown_asyncgens(self) -> None:
        """Close the asynchronous generators that are open, in the order of their beginning."""
        await self._asyncgens.shutdown()


def _stop_loop(future: asyncio.Future[Any]) -> None:
    if not future.cancelled() and isinstance(future.exception(), (SystemExit, KeyboardInterrupt)):
        return  # the error is on its way out of the loop
    future.get_loop().stop()
