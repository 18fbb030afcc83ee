"""Work that is begun in a task that was another's: whoever has to wait keeps the task, the others move on to a new one.

The rule: work that never waits costs no task; and work that waits finds, to its end, the task it was begun in, which
``asyncio.timeout``, task groups and others remember.
"""

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


def begin(work: Coroutine[Any, Any, T]) -> tuple[Coroutine[Any, Any, T], None] | tuple[None, T]:
    """Do work in the task that runs, in a context of its own, until it is over or has to wait.

    Returns:
        What is left of it and is to keep the task, and ``None``; or ``None`` and what it gave. Work that cancelled its
        own task keeps it too, so that the cancellation meets nobody else.

    Raises:
        BaseException: what the work raised.
    """
    context = copy_context()
    try:
        awaited = context.run(work.send, None)
    except StopIteration as end:
        value: T = end.value
        return (_ended(value, None), None) if current_task().cancelling() else (None, value)
    except (Exception, asyncio.CancelledError) as error:
        if current_task().cancelling():
            return _ended(None, error), None
        raise
    return _resumed(work, context, awaited), None


async def leave_if_cancelled() -> None:
    """Go on in another task if this one was cancelled: that was meant for what is over in it and for nobody else."""
    if current_task().cancelling():
        await Leave(_ended(None, None))


def current_task() -> "asyncio.Task[Any]":
    """Give the task that runs, for code that only runs in one."""
    task = asyncio.current_task()
    assert task is not None, "this runs in a task"
    return task


async def _ended(value: Any, error: BaseException | None) -> Any:
    if error is not None:
        raise error
    return value


class Movable(Coroutine[Any, Any, T]):
    """A coroutine for a task, which can leave its task to what has to wait in it and go on in another.

    Args:
        work: what is run; wherever it awaits a :class:`Leave`, it moves.
        go_on: gives what moves a new task.
    """

    __slots__ = ("_go_on", "_work")

    def __init__(self, work: Coroutine[Any, Any, T], go_on: Callable[["Movable[T]"], None]) -> None:
        self._work: Coroutine[Any, Any, Any] = work
        self._go_on = go_on

    def send(self, value: Any) -> Any:
        """Run it to its next wait; for the task that runs it."""
        return self._awaited(self._work.send(value))

    def throw(self, *error: Any) -> Any:
        """Raise in it what its task was given, a cancellation for one; for the task that runs it."""
        return self._awaited(self._work.throw(*error))

    def close(self) -> None:
        """End it where it stands."""
        self._work.close()

    def __await__(self) -> NoReturn:
        raise TypeError("a movable coroutine runs in a task, nothing else can await it")

    def __getattr__(self, name: str) -> Any:
        # What debuggers and asyncio's own messages ask of a coroutine: its name, its frame.
        return getattr(self._work, name)

    def _awaited(self, awaited: Any) -> Any:
        if type(awaited) is not Leave:
            return awaited
        moved, self._work = self._work, awaited.to
        self._go_on(Movable(moved, self._go_on))
        return self._work.send(None)


class Leave:
    """What a :class:`Movable` awaits to go on in another task.

    Args:
        to: takes over the task that is left.
    """

    __slots__ = ("to",)

    def __init__(self, to: Coroutine[Any, Any, Any]) -> None:
        self.to = to

    def __await__(self) -> Generator["Leave", None, None]:
        yield self


@types.coroutine
def _resumed(work: Coroutine[Any, Any, T], context: Context, awaited: Any) -> Generator[Any, Any, T]:
    """Run the rest of a coroutine that awaits something, in its own context."""
    step: Callable[[Any], Any]
    told: Any
    while True:
        try:
            step, told = work.send, (yield awaited)
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:
            step, told = work.throw, error
        try:
            awaited = context.run(step, told)
        except StopIteration as end:
            value: T = end.value
            return value
