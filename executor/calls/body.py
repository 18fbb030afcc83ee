"""What runs when a tool is called, and what it may hold on to meanwhile."""

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ..abort import AbortSignal
from .context import ToolContext


class CallHandle(Protocol):
    """What a body may hold on to while it runs; a parameter annotated with it receives it."""

    @property
    def call_id(self) -> str:
        """The id of the ``tool_use`` that is being answered."""

    @property
    def context(self) -> ToolContext:
        """The context as it stood when the call was admitted (C2, C3)."""

    @property
    def signal(self) -> AbortSignal:
        """Fires when the call should give up; after the grace time its task is cancelled (A9)."""

    def progress(self, data: Any) -> None:
        """Report progress; taken at once, whatever the order of results (E7). Threads may call it too."""

    def output(self, text: str) -> None:
        """Give a piece of the output while running: progress too, kept if the call is stopped (A10). Threads may."""

    def abort_turn(self) -> None:
        """End the whole turn, as a person's refusal does (A4). Threads may call it too."""


Body = Callable[[CallHandle, Mapping[str, Any]], Awaitable[Any]]
"""Runs one call: handle and validated input in; out, what :func:`~executor.calls.content.content_of` takes."""


def body_of(function: Callable[..., Any], handle_name: str | None) -> Body:
    """Make a body of a function: ``async`` ones run on the loop, others in a thread.

    Args:
        function: takes the validated input as keywords.
        handle_name: the parameter that receives the handle, if there is one.
    """
    run = function if inspect.iscoroutinefunction(function) else functools.partial(_in_thread, function)
    if handle_name is None:
        return lambda _handle, arguments: run(**arguments)
    return lambda handle, arguments: run(**arguments, **{handle_name: handle})


async def _in_thread(function: Callable[..., Any], /, **arguments: Any) -> Any:
    """Run a function in the loop's thread pool and stay with it until it is over.

    A cancellation cannot reach the thread, so it is not obeyed either: the call counts as running for as long as
    the thread does, and the executor abandons it once its grace is over (A9, B074).
    """
    run = functools.partial(contextvars.copy_context().run, _call, function, arguments)
    work = asyncio.get_running_loop().run_in_executor(None, run)
    while not work.done():
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            continue
        except Exception:
            break
    value = work.result()
    # An ordinary function around an async one gives back what still has to be waited for.
    return await value if inspect.isawaitable(value) else value


def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    try:
        return function(**arguments)
    except StopIteration as error:
        # No future takes it (Python 3.11 would wait for ever), so it goes under another type.
        raise RuntimeError(str(error) or "StopIteration") from error
