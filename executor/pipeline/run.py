"""How one call runs, from admission to its ending; both engines share it (Q5).

The rule: whatever a tool does becomes an :class:`Ending`; nothing a tool raises leaves here, except
``KeyboardInterrupt`` and ``SystemExit`` (X4).
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..abort import AbortController, AbortSignal
from ..calls.call import Call
from ..calls.context import Modifier, ToolContext
from ..calls.result import Content, Stopped, ToolOutput, content_of
from ..events import Announce, Kind, silent
from ..wire.json_input import problem_of


class Ending(NamedTuple):
    """How a body came to its end.

    Args:
        content: what it gave back; for a stopped one, what it had so far (A10).
        is_error: whether it failed.
        stopped: whether it gave up after its signal had fired, so that the abort decides the outcome (A6).
        modifier: its change of the context.
    """

    content: Content = ""
    is_error: bool = False
    stopped: bool = False
    modifier: Modifier | None = None


class Handle:
    """What a running body sees of its call (:class:`~executor.calls.tool.CallHandle`)."""

    __slots__ = ("_call", "_controller", "_loop", "_on_abort_turn", "_on_progress")

    def __init__(
        self,
        call: Call,
        controller: AbortController,
        loop: asyncio.AbstractEventLoop,
        on_progress: Callable[[Call, Any], None],
        on_abort_turn: Callable[[Call], None],
    ) -> None:
        self._call = call
        self._controller = controller
        self._loop = loop
        self._on_progress = on_progress
        self._on_abort_turn = on_abort_turn

    @property
    def call_id(self) -> str:
        return self._call.id

    @property
    def context(self) -> ToolContext:
        assert self._call.context is not None, "a body runs only after its call was admitted"
        return self._call.context

    @property
    def signal(self) -> AbortSignal:
        return self._controller.signal

    def progress(self, data: Any) -> None:
        self._on_the_loop(self._on_progress, self._call, data)

    def abort_turn(self) -> None:
        self._on_the_loop(self._on_abort_turn, self._call)

    def _on_the_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        if asyncio._get_running_loop() is self._loop:
            function(*arguments)
        else:
            self._loop.call_soon_threadsafe(function, *arguments)


def validate(call: Call) -> None:
    """Check a call's input and decide its class; both are settled here, once, at arrival (E2, X1)."""
    assert call.tool is not None, "a call without a tool has no input to check"
    if call.block.raw is not None:
        call.invalid = problem_of(call.block.raw)
        return
    try:
        call.input = call.tool.input.validator.validate_python(call.block.input)
    except ValidationError as error:
        call.invalid = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors())
    except Exception as error:
        # A validator of the tool's own may raise anything, and `add` nothing (E1).
        call.invalid = str(error) or type(error).__name__
    else:
        call.safe = call.tool.is_concurrency_safe(call.input)


async def run_body(call: Call, handle: Handle, announce: Announce) -> Ending:
    """Run the body of an admitted call with valid input to its end; it does not begin once its signal has fired."""
    assert call.tool is not None, "an unknown tool has no body"
    if call.signal_reason is not None:
        return Ending(is_error=True, stopped=True)
    loop = asyncio.get_running_loop()
    call.started, call.was_exclusive, call.body_started_s = True, not call.safe, loop.time()
    if announce is not silent:
        announce(Kind.ENTERED, call.id, **({"sees": dict(handle.context)} if handle.context else {}))
    how = "raised"
    try:
        ending = _ending_of(await call.tool.body(handle, call.input))
        how = "error" if ending.is_error else "ok"
    except asyncio.CancelledError:
        how = "cancelled"
        ending = _failed(call, "CancelledError")
    except Exception as error:
        ending = _failed(call, str(error) or type(error).__name__)
    finally:
        call.body_ended_s = loop.time()
        if announce is not silent:
            announce(Kind.LEFT, call.id, ended=how)
    return ending


def _ending_of(value: Any) -> Ending:
    if isinstance(value, str):
        return Ending(value)
    if isinstance(value, Stopped):
        return Ending(content_of(value.partial), is_error=True, stopped=True)
    if isinstance(value, ToolOutput):
        return Ending(content_of(value.content), is_error=value.is_error, modifier=value.modifier)
    return Ending(content_of(value))


def _failed(call: Call, text: str) -> Ending:
    """A body that raised: it was stopped if its signal had fired, else it failed by itself (A6, A12)."""
    stopped = call.signal_reason is not None
    return Ending("" if stopped else text, is_error=True, stopped=stopped)
