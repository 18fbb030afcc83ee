"""The stage for an executor of your own: bodies to run, results to hand on, and word of what the user does.

The rule: what the rules ask of the executor (what a submit has to do, what a discard takes back) is written down by the
world, whatever the executor makes of it. Unit: nanoseconds from the turn's start.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from executor import (
    AbortController,
    AbortSignal,
    Background,
    BlockStream,
    Outcome,
    Stopped,
    StreamFailure,
    ToolContext,
    ToolResult,
    ToolUseBlock,
)
from executor.events import Kind
from scenarios.model import Happening

from .stage import Stage


class OwnStage(Stage):
    """One turn of a scenario, for an executor of your own.

    It takes :meth:`blocks`, runs each with :meth:`call` and hands the results to :meth:`emit`. What else it may want to
    know is in :attr:`tools` and :attr:`options`; :meth:`heed` lets it be told of the user.
    """

    _how = "completed"
    _heard: Mapping[str, Callable[..., Any]] = {}
    _is_over = False
    _is_final = False
    _attempt = 0
    _kept = 0
    _giving_up: asyncio.Future[Any] | None = None
    unclaimed: tuple[ToolResult, ...] = ()
    """What the executor had ready when it was left and nobody took (P1)."""
    abandoned: tuple[str, ...] = ()
    """The calls it settled although their bodies run on, if their results do not say it (A9)."""

    @property
    def wants_another(self) -> bool:
        """Whether the response was given up and is to be asked for again, if the scenario has another attempt (W3)."""
        return self._how == "failed" and not self._is_final and self.consumer_stays

    def blocks(self, attempt: int = 0) -> AsyncGenerator[ToolUseBlock, None] | BlockStream:
        """Ask for the response and give its blocks, as every stage does; what came of an attempt before is gone."""
        self._attempt, self._how, self._kept = attempt, "completed", len(self.results)
        return super().blocks(attempt)

    async def call(
        self,
        block: ToolUseBlock,
        *,
        signal: AbortSignal | None = None,
        context: ToolContext | None = None,
        on_progress: Callable[[Any], None] | None = None,
    ) -> ToolResult:
        """Run the modelled tool that a block asks for, now, and give its result; it has no body where none may run.

        Args:
            block: what is asked for.
            signal: tells the body to give up; the outcome of one that does is the signal's reason.
            context: what the body sees; nothing by default.
            on_progress: told of the body's progress.
        """
        tool = self.tools.find(block.name)
        if tool is None:
            return ToolResult(block.id, block.name, Outcome.UNKNOWN_TOOL, f"No such tool available: {block.name}")
        try:
            tool.input.validate_python(block.input)
        except ValueError as error:
            return ToolResult(block.id, block.name, Outcome.INVALID_INPUT, str(error))
        signal = signal or AbortController().signal
        try:
            output = await tool.body(LooseHandle(block.id, signal, context or ToolContext(), on_progress), block.input)
        except Exception as error:
            return ToolResult(block.id, block.name, Outcome.ERROR, str(error), started=True)
        if isinstance(output, Background):
            await output.work
            return ToolResult(block.id, block.name, Outcome.OK, str(output.handle), started=True)
        if isinstance(output, Stopped):
            outcome = Outcome(signal.reason) if signal.reason else Outcome.ERROR
            return ToolResult(block.id, block.name, outcome, output.partial, started=True)
        outcome = Outcome.ERROR if output.is_error else Outcome.OK
        return ToolResult(block.id, block.name, outcome, output.content, started=True)

    def context_is(self, context: ToolContext) -> None:
        """Tell what the context is from now on (C3)."""
        self.note(Kind.CONTEXT, None, values=dict(context))

    def heed(
        self,
        *,
        stop: Callable[[], Any] | None = None,
        submit: Callable[..., Any] | None = None,
        discard: Callable[[], Any] | None = None,
    ) -> None:
        """Be told of what the user does.

        Args:
            stop: called when everything is to be stopped (A7).
            submit: called with ``force=…`` when the user sends a message while tools run (A7).
            discard: called when the response is given up (A8); may be ``async``.
        """
        heard = {"stop": stop, "submit": submit, "discard": discard}
        self._heard = {word: told for word, told in heard.items() if told is not None}

    def broke_off(self, failure: Exception) -> bool:
        """Give the response up because it broke off (A8), unless the user has stopped the turn: what came of it stays.

        Returns:
            Whether it is given up.
        """
        self._is_final = isinstance(failure, StreamFailure) and not failure.retryable
        if self._how != "stopped":
            self.give_up()
        return self._how == "failed"

    def give_up(self) -> None:
        """Give the response up, because it broke off or somebody wants another; the executor is told, once (A8)."""
        if self._how == "failed":
            return
        self._how = "failed"
        withdrawn = [result.call_id for result in self.results[self._kept :]]
        told = [event for event in self.recorder.events if event.call is not None]
        blocks = [event for event in told if event.kind is Kind.BLOCK and event.detail["attempt"] == self._attempt]
        exclusive = {event.call for event in blocks if not event.detail["safe"]}
        effects = [event.call for event in told if event.kind is Kind.ENTERED and event.call in exclusive]
        self.note(Kind.DISCARD, None, attempt=self._attempt, withdrawn=withdrawn, effects=effects)
        done = self._heard["discard"]() if "discard" in self._heard else None
        if inspect.isawaitable(done):
            self._giving_up = asyncio.ensure_future(done)

    async def play(self, drive: Callable[["OwnStage"], Awaitable[None]]) -> None:
        """Play the scenario with an executor of your own, to the end of its turn.

        Raises:
            RuntimeError: it returned without having asked for the response.
        """
        driver = asyncio.current_task()
        assert driver is not None, "a turn is driven by a task"
        self._loop.env.process(self._play_user(partial(self._tell_own, driver)))
        if self.scenario.attempts:
            self._responses.on_discard = self.give_up
        try:
            await drive(self)
        except asyncio.CancelledError:
            if self.consumer_stays:
                raise
        asked = any(event.kind is Kind.RESPONSE_STARTED for event in self.recorder.events)
        if self._how == "completed" and self.consumer_stays and not asked:
            raise RuntimeError("it returned without asking for the response: take the blocks of stage.blocks()")
        self._is_over = True
        told = {result.call_id for result in self.results if result.abandoned}.union(self.abandoned)
        how = self._how if self.consumer_stays else "left"
        self.end(how, self.unclaimed, [call for call in self._workshop.running if call in told])

    def _tell_own(self, driver: "asyncio.Task[Any]", event: Happening) -> None:
        if self._is_over:
            return
        if event.do == "discard":
            self.give_up()
        elif event.do == "cancel":
            self.consumer_left("cancelled")
            driver.cancel()
        elif event.do == "stop":
            self._how = "stopped"
            self.note(Kind.STOP, None)
            self._heard["stop"]()
        else:
            took_effect = event.force or self._is_interruptible()
            self._how = "stopped" if took_effect else self._how
            self.note(Kind.SUBMIT, None, force=event.force, took_effect=took_effect)
            self._heard["submit"](force=event.force)

    def _is_interruptible(self) -> bool:
        """Whether a new message has to stop all that runs (E9); without hooks, what executes is what has a body."""
        tools = [self.scenario.tool_of(call) for call in self._workshop.running.values()]
        return bool(tools) and all(tool.interrupt == "cancel" for tool in tools)


class LooseHandle:
    """The handle of a body that no executor of ours runs."""

    def __init__(
        self, call_id: str, signal: AbortSignal, context: ToolContext, on_progress: Callable[[Any], None] | None
    ) -> None:
        self.call_id = call_id
        self.signal = signal
        self.context = context
        self._on_progress = on_progress

    def progress(self, data: Any) -> None:
        """Pass it on to whoever wants it."""
        if self._on_progress is not None:
            self._on_progress(data)

    def output(self, text: str) -> None:
        """Pass it on as progress."""
        self.progress(text)

    def abort_turn(self) -> None:
        """Do nothing: there is no turn of ours to end."""
