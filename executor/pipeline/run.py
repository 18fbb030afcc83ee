"""How one call runs, from admission to its ending; both engines share it (Q5).

The rule: whatever a tool does becomes an :class:`Ending`; nothing a tool raises leaves here, except
``KeyboardInterrupt`` and ``SystemExit`` (X4).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic import ValidationError

from ..abort import AbortSignal
from ..calls.call import Call
from ..calls.content import Content, content_of
from ..calls.context import Modifier, ToolContext
from ..calls.result import Background, Stopped, ToolOutput, ToolResult
from ..calls.tool import Tool
from ..events import Announce, Kind, silent
from ..wire.json_input import problem_of


@dataclass(slots=True)
class Ending:
    """How a body came to its end. Nobody changes it; one that could not be changed costs every call more.

    Args:
        content: what it gave back; for a stopped one, what it had so far (A10).
        is_error: whether it failed.
        stopped: whether it gave up after its signal had fired, so that the abort decides the outcome (A6).
        modifier: its change of the context.
        background: the work that goes on (X8).
        answer: the whole result, where the executor wrote it itself because the body could not run.
        rises: whether a person refused the call, which ends the turn (A4).
    """

    content: Content = ""
    is_error: bool = False
    stopped: bool = False
    modifier: Modifier | None = None
    background: Background | None = None
    answer: ToolResult | None = None
    rises: bool = False


STOPPED: Final = Ending(is_error=True, stopped=True)
"""The ending of a call whose signal fired before its body began."""


class Owner(Protocol):
    """Whoever runs a body and hears what it says through its handle."""

    def on_progress(self, call: Call, data: Any) -> None:
        """Take progress (E7)."""

    def on_output(self, call: Call, text: str) -> None:
        """Take a piece of output (A10)."""

    def on_abort_turn(self, call: Call) -> None:
        """Let an abort rise that the body asks for (A4)."""


class Handle:
    """What a running body sees of its call (:class:`~executor.calls.tool.CallHandle`)."""

    __slots__ = ("_call", "_loop", "_owner")

    def __init__(self, call: Call, loop: asyncio.AbstractEventLoop, owner: Owner) -> None:
        self._call = call
        self._loop = loop
        self._owner = owner

    @property
    def call_id(self) -> str:
        return self._call.id

    @property
    def context(self) -> ToolContext:
        assert self._call.context is not None, "a body runs only after its call was admitted"
        return self._call.context

    @property
    def signal(self) -> AbortSignal:
        return self._call.signal

    def progress(self, data: Any) -> None:
        self._on_the_loop(self._owner.on_progress, self._call, data)

    def output(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"output: expected text, got {text!r}")
        self._on_the_loop(self._owner.on_output, self._call, text)

    def abort_turn(self) -> None:
        self._on_the_loop(self._owner.on_abort_turn, self._call)

    def _on_the_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        if asyncio._get_running_loop() is self._loop:
            function(*arguments)
        else:
            self._loop.call_soon_threadsafe(function, *arguments)


def validate(call: Call, tool: Tool) -> None:
    """Check a call's input and decide its class; both are settled here, once, at arrival (E2, X1)."""
    if call.block.raw is not None:
        call.invalid = problem_of(call.block.raw)
    elif accept(call, tool, call.block.input):
        call.safe = tool.is_concurrency_safe(call.input)


def accept(call: Call, tool: Tool, given: Any) -> bool:
    """Take an input for a call if it fits the tool; tells whether it does, and notes on the call why not (X1)."""
    try:
        call.input = tool.input.validator.validate_python(given)
    except ValidationError as error:
        call.invalid = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors())
    except Exception as error:
        # A validator of the tool's own may raise anything, and `add` nothing (E1).
        call.invalid = str(error) or type(error).__name__
    return call.invalid is None


async def run_body(call: Call, handle: Handle, announce: Announce) -> Ending:
    """Run the body of an admitted call with valid input to its end; it does not begin once its signal has fired."""
    assert call.tool is not None, "an unknown tool has no body"
    if call.signal_reason is not None:
        return STOPPED
    loop = asyncio.get_running_loop()
    call.started, call.was_exclusive, call.body_started_s = True, not call.safe, loop.time()
    if announce is not silent:
        announce(Kind.ENTERED, call.id, **({"sees": dict(handle.context)} if handle.context else {}))
    ending: Ending | None = None
    how = "raised"
    try:
        ending = _ending_of(await call.tool.body(handle, call.input))
        how = ""
    except asyncio.CancelledError:
        how = "cancelled"
        ending = _failed(call, "CancelledError")
    except Exception as error:
        ending = _failed(call, str(error) or type(error).__name__)
    finally:
        call.body_ended_s = loop.time()
        if announce is not silent:
            announce(Kind.LEFT, call.id, **({"ended": how} if how or ending is None else _told_of(ending)))
    return ending


def _told_of(ending: Ending) -> dict[str, Any]:
    """Say for the log how a body that returned came to its end (A6, X8)."""
    if ending.background is not None:
        return {"ended": "background"} | ({"detached": True} if ending.background.detached else {})
    return {"ended": "cancelled" if ending.stopped else "error" if ending.is_error else "ok"}


def _ending_of(value: Any) -> Ending:
    if isinstance(value, str):
        return Ending(value)
    if isinstance(value, Stopped):
        return Ending(content_of(value.partial), is_error=True, stopped=True)
    if isinstance(value, ToolOutput):
        return Ending(content_of(value.content), is_error=value.is_error, modifier=value.modifier)
    if isinstance(value, Background):
        return Ending(content_of(value.handle), background=value)
    return Ending(content_of(value))


def _failed(call: Call, text: str) -> Ending:
    """A body that raised: it was stopped if its signal had fired, else it failed by itself (A6, A12)."""
    stopped = call.signal_reason is not None
    return Ending("" if stopped else text, is_error=True, stopped=stopped)
