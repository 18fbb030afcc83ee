"""Reports of a simulation that cannot go on: who waits for what, or who keeps the clock from moving.

The rule (SPEC L1): a run ends or says why it does not; it never hangs. Unit: ns.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.format_helpers import _format_callback_source
from collections.abc import Iterator
from types import FrameType
from typing import Any

from simpy.events import Event, Process

from .bridge import EventFuture
from .instant import seconds

_ASYNCIO = os.path.dirname(asyncio.__file__) + os.sep


class Deadlock(RuntimeError):
    """Nothing is ready, nothing is scheduled, and what was to be completed is not.

    `.t_ns` is the instant, `.waiting` one line per waiting task: its name, what it waits for, where.
    """

    def __init__(self, t_ns: int, waiting: tuple[str, ...]) -> None:
        super().__init__(t_ns, waiting)
        self.t_ns = t_ns
        self.waiting = waiting

    def __str__(self) -> str:
        lines = "".join(f"\n  {line}" for line in self.waiting)
        return f"deadlock at {seconds(self.t_ns)} s: nothing is ready or scheduled, yet somebody waits{lines}"


class Livelock(RuntimeError):
    """More steps were taken at one instant than `max_steps`, and time does not pass.

    `.t_ns` is the instant, `.busiest` one line per callback or task that keeps it there, busiest first.
    """

    def __init__(self, t_ns: int, busiest: tuple[str, ...], max_steps: int) -> None:
        super().__init__(t_ns, busiest, max_steps)
        self.t_ns = t_ns
        self.busiest = busiest
        self.max_steps = max_steps

    def __str__(self) -> str:
        lines = "".join(f"\n  {line}" for line in self.busiest)
        return (
            f"livelock at {seconds(self.t_ns)} s: {self.max_steps} steps without time passing "
            f"(max_steps_per_instant){lines}"
        )


def waiting_tasks(loop: asyncio.AbstractEventLoop) -> tuple[str, ...]:
    """Return one line per unfinished task of the loop, in the order of their birth."""
    return tuple(map(_describe_task, sorted(asyncio.all_tasks(loop), key=hash)))


def _describe_task(task: asyncio.Task[Any]) -> str:
    awaited = list(_awaited(task.get_coro()))
    what = _describe_awaited(task, [name for name, frame in awaited if _inside_asyncio(frame)])
    ours = [frame for _, frame in awaited if not _inside_asyncio(frame)]
    if not ours:
        return f"{task.get_name()} waits for {what}"
    return f"{task.get_name()} waits for {what} at {_place(ours[-1])}"


def _awaited(coro: Any) -> Iterator[tuple[str, FrameType]]:
    """Yield name and frame of a suspended coroutine and of what it awaits, from the outermost to the innermost."""
    while coro is not None:
        for kind in ("cr", "gi", "ag"):
            frame = getattr(coro, f"{kind}_frame", None)
            if frame is not None:
                yield coro.__qualname__, frame
                coro = getattr(coro, f"{kind}_yieldfrom" if kind == "gi" else f"{kind}_await")
                break
        else:
            return


def _describe_awaited(task: asyncio.Task[Any], library: list[str]) -> str:
    future = task._fut_waiter  # type: ignore[attr-defined]
    if isinstance(future, asyncio.Task):
        what = f"task {future.get_name()}"
    elif isinstance(future, EventFuture):
        what = _describe_event(future.event)
    elif (children := getattr(future, "_children", None)) is not None:
        names = (child.get_name() if isinstance(child, asyncio.Task) else "a future" for child in children)
        what = f"all of {', '.join(names)}"
    else:
        what = "a future"
    return f"{library[-1]} ({what})" if library else what


def _describe_event(event: Event) -> str:
    return f"SimPy process {event.name}" if isinstance(event, Process) else f"SimPy event {type(event).__name__}"


def _inside_asyncio(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_ASYNCIO)


def _place(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"


def describe_handle(handle: asyncio.Handle) -> str:
    """Return who a ready callback belongs to: the task and where it stands, or the callback and its source."""
    task = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
    if not isinstance(task, asyncio.Task):
        return str(_format_callback_source(handle._callback, handle._args))  # type: ignore[attr-defined]
    frames = [frame for _, frame in _awaited(task.get_coro()) if not _inside_asyncio(frame)]
    return f"{task.get_name()} at {_place(frames[-1])}" if frames else task.get_name()


def describe_event(event: Event) -> str:
    """Return who a SimPy event belongs to: the process that waits for it, the loop's timer, or its kind."""
    if isinstance(event, asyncio.Handle):
        return describe_handle(event)
    owners = (getattr(callback, "__self__", None) for callback in event.callbacks)
    return next((_describe_event(owner) for owner in owners if isinstance(owner, Process)), _describe_event(event))
