"""What can be set on a loop: debug mode, exception handler, task factory, executor; and how generators end.

The rule: as in asyncio's own loop, whose code is used where it asks for no selector; only what it keeps by address is
kept in order here. No times here.
"""

from __future__ import annotations

import asyncio
import math
import warnings
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import Executor
from contextvars import Context
from functools import partial
from itertools import count
from typing import Any, TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

from .escape import ClosedWorld
from .futures import Task

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
TaskFactory = Callable[..., asyncio.Task[Any]]
ExceptionHandler = Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object]


class Settings(ClosedWorld):
    """The part of an event loop that its users adjust."""

    slow_callback_duration = math.inf  # asyncio's name; no callback takes virtual time

    def __init__(self, inline_executor: bool) -> None:
        self._inline_executor = inline_executor
        self.task_numbers = count(1)
        self.future_numbers = count(1)
        self._closed = False
        self.set_debug(asyncio.coroutines._is_debug_mode())  # type: ignore[attr-defined]
        self._task_factory: TaskFactory | None = None
        self._make_task: TaskFactory | None = None
        self._exception_handler: ExceptionHandler | None = None
        self._current_handle = None  # asyncio's default handler reads it

    def is_closed(self) -> bool:
        """Tell whether the loop was closed."""
        return self._closed

    def _check_closed(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")

    def get_debug(self) -> bool:
        """Tell whether the loop is in debug mode."""
        return self._debug

    def set_debug(self, enabled: bool) -> None:
        """Set debug mode: calls are checked and tracebacks of their origin kept."""
        self._debug = enabled
        self._strict = enabled or self._closed
        # asyncio's C code asks with every future, and a call from there into Python is dear.
        self.get_debug = partial(bool, enabled)  # type: ignore[method-assign]

    def get_exception_handler(self) -> ExceptionHandler | None:
        """Return the handler set by the user, None for the default one."""
        return self._exception_handler

    def set_exception_handler(self, handler: ExceptionHandler | None) -> None:
        """Set who hears of errors that no caller can be given."""
        if handler is not None and not callable(handler):
            raise TypeError(f"A callable object or None is expected, got {handler!r}")
        self._exception_handler = handler

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Log an error that no caller can be given."""
        asyncio.BaseEventLoop.default_exception_handler(self, context)  # type: ignore[arg-type]

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Hand an error to the handler."""
        asyncio.BaseEventLoop.call_exception_handler(self, context)  # type: ignore[arg-type]

    def get_task_factory(self) -> TaskFactory | None:
        """Return the task factory as it was set."""
        return self._task_factory

    def set_task_factory(self, factory: TaskFactory | None) -> None:  # type: ignore[override]
        """Set what makes tasks; asyncio's eager factory is replaced by one whose tasks are numbered."""
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self._task_factory = self._make_task = factory
        if factory is not None and factory is getattr(asyncio, "eager_task_factory", None):
            self._make_task = asyncio.create_eager_task_factory(Task)  # type: ignore[attr-defined]

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Context | None = None, **kwargs: Any
    ) -> asyncio.Task[Any]:
        """Make a task of a coroutine; by default one that hashes to its birth number."""
        self._check_closed()
        if self._make_task is None:
            return Task(coro, loop=self, name=name, context=context, **kwargs)  # type: ignore[arg-type]
        if context is not None:
            kwargs["context"] = context
        task = self._make_task(self, coro, **kwargs)
        if name is not None:
            task.set_name(name)
        return task

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Call `func` at once when the loop was made with `inline_executor`; else raise SimulationEscape (B110)."""
        self._check_closed()
        if not self._inline_executor:
            super().run_in_executor(executor, func, *args)
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Do nothing: there is no executor."""


class AsyncGenerators:
    """The asynchronous generators that were begun and not finished, in the order of their beginning.

    asyncio's own loop keeps them in a set ordered by address.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._open: WeakValueDictionary[int, AsyncGenerator[Any, Any]] = WeakValueDictionary()
        self._numbers = count()
        self._shut_down = False

    def began(self, agen: AsyncGenerator[Any, Any]) -> None:
        """Take note of a generator at its first iteration."""
        if self._shut_down:
            warnings.warn(
                f"asynchronous generator {agen!r} was scheduled after loop.shutdown_asyncgens() call",
                ResourceWarning,
                source=self._loop,
                stacklevel=2,
            )
        self._open[next(self._numbers)] = agen

    def dropped(self, agen: AsyncGenerator[Any, Any]) -> None:
        """Close a generator that nobody refers to any more."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.create_task, agen.aclose())

    async def shutdown(self) -> None:
        """Close all that are open, in the order of their beginning."""
        self._shut_down = True
        agens = list(self._open.values())
        self._open.clear()
        results = await asyncio.gather(*(agen.aclose() for agen in agens), return_exceptions=True)
        for agen, result in zip(agens, results, strict=True):
            if isinstance(result, Exception):
                self._loop.call_exception_handler(
                    {
                        "message": f"an error occurred during closing of asynchronous generator {agen!r}",
                        "exception": result,
                        "asyncgen": agen,
                    }
                )
