"""Run a coroutine on a virtual clock from anywhere, also from inside a running event loop (Jupyter, async tests).

The rule: the loop outside does not notice; the loop inside is closed with nothing left in it. No times here.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self, TypeVar

from .loop import SimLoop

T = TypeVar("T")


def run(
    main: Coroutine[Any, Any, T],
    *,
    loop: SimLoop | None = None,
    debug: bool | None = None,
    on_over: Callable[[], None] | None = None,
) -> T:
    """Run a coroutine to its end on virtual time and return its result.

    `loop` is a loop made for this run (its environment, its options) and closed after it; by default a plain SimLoop.
    Tasks that are left are cancelled in the order of their birth, asynchronous generators closed; `on_over` is called
    before that, also when the run came to no end.
    Raises what the coroutine raises, and what `SimLoop.run_until_complete` raises.

    >>> run(asyncio.sleep(3600, "an hour later"))
    'an hour later'
    """
    with Course(loop, debug=debug) as course:
        return course.run(main, on_over=on_over)


class Course:
    """Coroutines that are run one after the other on one loop, whose clock goes on from each to the next.

    To be used as a context manager, which closes the loop.

    >>> with Course() as course:
    ...     for _ in range(2):
    ...         course.run(asyncio.sleep(1800))
    ...     course.loop.time()
    3600.0
    """

    def __init__(self, loop: SimLoop | None = None, *, debug: bool | None = None) -> None:
        self.loop = SimLoop() if loop is None else loop
        self._runner = asyncio.Runner(loop_factory=lambda: self.loop, debug=debug)

    def run(self, main: Coroutine[Any, Any, T], *, on_over: Callable[[], None] | None = None) -> T:
        """Run a coroutine to its end, as :func:`run` does."""
        with _stepped_out(), _ended_by_ctrl_c():
            try:
                return self._runner.run(main)
            finally:
                if on_over is not None:
                    on_over()
                _cancel_leftovers(self.loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        with _stepped_out():
            self._runner.close()


@contextmanager
def _stepped_out() -> Iterator[None]:
    """Let this thread look as if no loop were running in it."""
    outer = asyncio._get_running_loop()
    if outer is None:
        yield
        return
    task = asyncio.current_task(outer)
    if task is not None:
        _leave_task(outer, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(outer)
        if task is not None:
            _enter_task(outer, task)


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end what runs now: `Runner` would cancel its main task, which code that never waits does not notice.

    A handler of somebody else's is left alone, and so is a thread that gets no signals.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _cancel_leftovers(loop: SimLoop) -> None:
    """Cancel what the coroutine left, oldest first; `Runner` would go by a set shared with the loop outside."""
    leftovers = sorted(asyncio.all_tasks(loop), key=hash)
    for task in leftovers:
        task.cancel()
    if leftovers:
        loop.run_until_complete(asyncio.wait(leftovers))
    for task in leftovers:
        if not task.cancelled() and (error := task.exception()) is not None:
            message = "unhandled exception during the end of run()"
            loop.call_exception_handler({"message": message, "exception": error, "task": task})
