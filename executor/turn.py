"""A turn: one model response, with its retries, and everything its tool calls do (E13).

The rule: blocks are taken in by a task of their own, so that a slow consumer never keeps a call from starting (E8).
"""

import asyncio
import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, get_args

from .abort import AbortController
from .calls.context import ToolContext
from .calls.outcome import Outcome
from .calls.result import ToolResult, Update
from .calls.toolset import ToolSet
from .engines import Engine, make_executor
from .engines.core import ToolExecutor
from .engines.crew import Activity
from .engines.options import Options
from .engines.report import ClosingReport, Discarded, Fault
from .events import Announce, Kind, silent
from .header import header_of
from .listeners import guarded, wants_contents
from .pipeline.questions import Question
from .recorder import Recorder
from .retelling import told_of
from .wire.assembler import Start
from .wire.faults import is_final
from .wire.messages import assemble
from .wire.stream import BlockStream, Source

Ended = Literal["completed", "stopped", "failed", "left"]
"""How a turn came to its end: by itself, by the user, because the response failed, or left by its consumer."""


class ResponseDiscarded(Exception):
    """The owner of a turn gave its response up; the argument says why."""


class Turn:
    """Drives the tool calls of one turn and owns what outlives an executor.

    Args:
        tools: what can be called.
        context: what the first call sees; empty by default.
        engine: how the calls are run (Q5).
        options: see :class:`~executor.engines.options.Options`.
        start: when a complete block may start (W5), see :func:`~executor.wire.stream.blocks`.
        announce: told of every event (``executor.events``).
        on_activity: see :data:`~executor.engines.crew.Activity`.

    Raises:
        ValueError: there is no such engine or start.

    >>> import asyncio
    >>> from executor import ToolSet, ToolUseBlock, tool
    >>> @tool(concurrency_safe=True)
    ... async def read(path: str) -> str:
    ...     return f"contents of {path}"
    >>> async def response():
    ...     yield ToolUseBlock("1", "read", {"path": "a.ts"})
    >>> async def main():
    ...     turn = Turn(ToolSet([read]))
    ...     return [update.message.content async for update in turn.run(response())]
    >>> asyncio.run(main())
    ['contents of a.ts']
    """

    def __init__(
        self,
        tools: ToolSet,
        context: ToolContext | None = None,
        *,
        engine: Engine = "streaming",
        options: Options | None = None,
        start: Start = "block",
        announce: Announce = silent,
        on_activity: Activity | None = None,
    ) -> None:
        for word, value, known in (("engine", engine, get_args(Engine)), ("start", start, get_args(Start))):
            if value not in known:
                raise ValueError(f"{word}: expected one of {', '.join(known)}, got {value!r}")
        self._tools = tools
        self._initial = context if context is not None else ToolContext()
        self._engine = engine
        self._options = options or Options()
        self._start = start
        self._announce = guarded(announce)
        self._on_activity = on_activity
        if isinstance(announce, Recorder):
            announce.complete_header(header_of(tools, engine, self._options, start))
        self._abort = AbortController()
        self._submitted = False
        self._discarding: asyncio.Task[Discarded] | None = None
        self._executors: list[ToolExecutor] = []
        self._stream: BlockStream | None = None
        self._stream_faults: list[Fault] = []
        self._kept: ToolExecutor | None = None
        self.context = self._initial
        """The context as it stands; when the turn has ended, the one for the next."""
        self.ended: Ended | None = None
        """How the turn ended, ``None`` while it has not."""
        self.failure: BaseException | None = None
        """Why the response failed for good, ``None`` if it did not."""
        self.report = ClosingReport()
        """What was left when the turn ended (E10)."""
        self.discarded: list[Discarded] = []
        """What each given-up attempt leaves to be taken back and to be told (A8)."""

    async def run(
        self, response: Source | Callable[[int], Source], *, retries: int = 0
    ) -> AsyncGenerator[Update, None]:
        """Take a response in and hand on what its calls bring; wakes on a block or an update, whichever is first.

        Close the iterator when you leave it early (``contextlib.aclosing``), so that its calls are stopped then.

        Args:
            response: the response as bytes of Server-Sent Events, as events of the Messages API or as blocks (see
                :func:`~executor.wire.stream.blocks`); or a function that asks for it, given the attempt's number from
                0 on. One that gives nothing at all has no blocks; wrapped in ``blocks()`` it has failed.
            retries: how often a failed response is asked for again, unless that cannot help (W3); needs such a
                function (A8).

        Raises:
            RuntimeError: the turn has run before.
            TypeError: the response is nothing that can be waited for.
            ValueError: retries are wanted but there is nobody to ask.
        """
        if not callable(response) and not hasattr(response, "__aiter__"):
            raise TypeError(f"response: expected an async iterator or a function that asks for one, got {response!r}")
        if self._executors:
            raise RuntimeError("this turn has run already: make a new one for the next response")
        if retries and not callable(response):
            raise ValueError("retries need a function that asks for the response again, got the response itself")
        try:
            for attempt in range(retries + 1):
                ask = functools.partial(response, attempt) if callable(response) else lambda: response
                async with self._attempt(ask, attempt) as executor:
                    while await executor.wait():
                        for update in executor.completed_results():
                            self.context = update.context
                            yield update
                if self.failure is None or self._stopped or is_final(self.failure):
                    break
            self._end("failed" if self.failure is not None else "stopped" if self._stopped else "completed")
        finally:
            if self.ended is None:
                self._end("left")

    def stop(self) -> None:
        """Stop everything: the user pressed Escape (A7). A turn that has ended stays as it is."""
        if self.ended is None:
            self._announce(Kind.STOP, None)
            self._abort.abort(Outcome.USER_INTERRUPTED)

    def submit(self, *, force: bool = False) -> bool:
        """Note that the user sent a message while tools run; tells whether it took effect or has to wait (A7).

        There is nothing to take effect on once the turn has ended.

        Args:
            force: stop the calls that may be stopped even if others may not.
        """
        if self.ended is not None:
            return False
        executor = self._executors[-1] if self._executors else None
        takes_effect = executor is not None and (force or executor.interruptible)
        self._announce(Kind.SUBMIT, None, force=force, took_effect=takes_effect)
        if executor is not None and takes_effect:
            self._submitted = True
            executor.submit(force=force)
        return takes_effect

    def discard(self, why: str) -> None:
        """Give the response up as if it had failed: take back what it brought, ask again if retries are left (A8).

        Args:
            why: told as the failure.
        """
        if self.ended is None:
            self._give_up(ResponseDiscarded(why))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The assistant message and the one user message that answers it, as the Messages API wants them (W7)."""
        message = self._stream.message if self._stream is not None else None
        blocks = [call.block for call in self._kept.calls] if self._kept is not None else []
        return assemble(blocks, self._results, message=message, stopped=self._stopped)

    @property
    def stop_reason(self) -> str | None:
        """Why the response ended, by its own word; ``None`` where none was told."""
        return self._stream.stop_reason if self._stream is not None else None

    @property
    def should_continue(self) -> bool:
        """Whether the model may be asked again: nobody stopped it, no hook minds, something was answered (W7, B013).

        After ``pause_turn`` too: the server wants its own message back as it is, answered or not (B020).
        """
        results = self._results
        if self.ended != "completed" or any(result.prevents_continuation for result in results.values()):
            return False
        return bool(results) or self.stop_reason == "pause_turn"

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions that wait for an answer, in request order (H4, B039)."""
        return self._executors[-1].questions if self._executors else ()

    @property
    def _results(self) -> dict[str, ToolResult]:
        return {} if self._kept is None else self._kept.results(unclaimed=self.ended is not None)

    @property
    def _stopped(self) -> bool:
        return self._submitted or self._abort.signal.aborted

    @asynccontextmanager
    async def _attempt(self, ask: Callable[[], Source], attempt: int) -> AsyncIterator[ToolExecutor]:
        """Run one attempt at the response; a failed one is discarded, with all it brought (A8)."""
        self.failure, self._discarding, self.context = None, None, self._initial
        self._kept, self._stream = None, None
        poisoned_by = self._executors[-1].poisoned_by if self._executors else None
        executor = make_executor(
            self._engine,
            self._tools,
            self._initial,
            options=self._options,
            abort=self._abort,
            announce=self._announce,
            on_activity=self._on_activity,
            attempt=attempt,
            poisoned_by=poisoned_by,
        )
        self._executors.append(executor)
        self._kept = executor
        try:
            async with executor:
                intake = asyncio.create_task(self._take_in(ask, executor, attempt), name=f"response {attempt}")
                try:
                    yield executor
                finally:
                    await self._leave(intake)
        finally:
            self._settle_accounts(executor)

    async def _take_in(self, ask: Callable[[], Source], executor: ToolExecutor, attempt: int) -> None:
        """Read the response to its end, whatever the consumer does meanwhile (E8); a failed one is discarded."""
        self._announce(Kind.RESPONSE_STARTED, None, attempt=attempt)
        stream: BlockStream | None = None
        try:
            response = ask()
            if isinstance(response, BlockStream):
                stream = response
            else:
                stream = BlockStream(response, self._start, may_be_empty=True)
            self._stream = stream
            async for block in stream:
                executor.add(block)
        except (Exception, asyncio.CancelledError) as error:
            if _is_being_cancelled():
                raise
            self._announce(Kind.RESPONSE_FAILED, None, attempt=attempt, error=str(error) or type(error).__name__)
            if self._stopped:
                # Who stops a turn closes its stream: what came of it stays, and every call has its answer (F4).
                executor.response_complete()
            else:
                self._give_up(error)
        else:
            self._announce(Kind.RESPONSE_ENDED, None, attempt=attempt)
            executor.response_complete()
        finally:
            if stream is not None:
                await stream.aclose()

    def _give_up(self, error: BaseException) -> None:
        """Start to discard the attempt, once; whoever drives the turn waits for it to be over."""
        if self._executors and self.failure is None:
            self.failure = error
            self._discarding = asyncio.create_task(self._executors[-1].discard(), name="discard")

    async def _leave(self, intake: asyncio.Task[None]) -> None:
        """Wait for the intake to be over, and for a discard; a cancellation meanwhile hurries both."""
        intake.cancel()
        cancelled: asyncio.CancelledError | None = None
        while pending := [task for task in (intake, self._discarding) if task is not None and not task.done()]:
            try:
                await asyncio.wait(pending)
            except asyncio.CancelledError as error:
                cancelled = error
                for task in pending:
                    task.cancel()
        if self._discarding is not None and not self._discarding.cancelled():
            self.discarded.append(self._discarding.result())
        if cancelled is not None:
            raise cancelled

    def _settle_accounts(self, executor: ToolExecutor) -> None:
        """Keep what the attempt leaves: nothing of it if it failed (A8), every result if it did not (P1)."""
        if self._stream is not None:
            self._stream_faults += [Fault("", str(fault)) for fault in self._stream.faults]
        self.report = ClosingReport.of([each.report for each in self._executors], self._stream_faults)
        if self.failure is not None:
            self._kept, self._stream, self.context = None, None, self._initial
            return
        self.context = executor.context

    def _end(self, how: Ended) -> None:
        self.ended = how
        closing = [[result.call_id, result.outcome.value] for result in self.report.unclaimed]
        told = told_of(self._kept, self._stream, stopped=self._stopped) if wants_contents(self._announce) else {}
        self._announce(Kind.TURN_ENDED, None, how=how, closing=closing, abandoned=list(self.report.abandoned), **told)


def _is_being_cancelled() -> bool:
    """Whether somebody cancelled the running task; else a ``CancelledError`` came from what it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
