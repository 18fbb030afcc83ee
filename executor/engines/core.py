"""What both engines show to the outside: blocks go in, updates come out, and how to stop (SPEC 2)."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from types import TracebackType
from typing import Self

from ..abort import AbortController
from ..calls.block import ToolUseBlock
from ..calls.call import Call
from ..calls.context import ToolContext
from ..calls.life import Status
from ..calls.result import ToolResult, Update
from ..calls.toolset import ToolSet
from ..events import Announce, Kind, silent
from ..listeners import guarded, guarded_activity, wants_contents
from ..pipeline.questions import Question
from ..pipeline.run import validate
from .crew import Activity, Crew
from .options import Options
from .report import ClosingReport, Discarded, Effect, Fault
from .schedule import Schedule


class ToolExecutor:
    """Runs the tool calls of one response; the engines differ only in who may start when.

    Use it as an async context manager: when it is left, nothing it started is left behind (E10).

    Args:
        tools: what can be called.
        context: what the first call sees; empty by default.
        options: see :class:`~executor.engines.options.Options`.
        abort: the turn's abort controller; one of its own by default.
        announce: told of every event (``executor.events``).
        on_activity: see :data:`~executor.engines.crew.Activity`.
        attempt: which attempt at the response this is, 0 for the first; only told to ``announce``.
        poisoned_by: the earlier attempt's :attr:`poisoned_by`: beside a call nobody can stop nothing starts (A9).

    Raises:
        RuntimeError: made where no event loop runs.
    """

    def __init__(
        self,
        tools: ToolSet,
        context: ToolContext | None = None,
        *,
        options: Options | None = None,
        abort: AbortController | None = None,
        announce: Announce = silent,
        on_activity: Activity | None = None,
        attempt: int = 0,
        poisoned_by: str | None = None,
    ) -> None:
        options = options or Options()
        context = context if context is not None else ToolContext()
        self._loop = asyncio.get_running_loop()
        self._tools = tools
        self._announce = announce = guarded(announce)
        self._contents = wants_contents(announce)
        self._attempt = attempt
        self._calls: dict[str, Call] = {}
        self._response_complete = False
        schedule = self._make_schedule(options.max_concurrency)
        tell = guarded_activity(on_activity)
        self._crew = Crew(schedule, context, options, abort or AbortController(), announce, tell, poisoned_by)

    def _make_schedule(self, limit: int | None) -> Schedule[Call]:
        return Schedule(limit)

    def add(self, block: ToolUseBlock) -> Call | None:
        """Take one complete block; never waits, never raises for what a model can send (E1).

        Returns:
            The call; for an id that came before, the first call of that id; ``None`` for a block without an id (E11).

        Raises:
            RuntimeError: the response was declared complete before.
        """
        if self._response_complete:
            raise RuntimeError(f"block {block.id!r} came after the response was declared complete: add it before")
        if not isinstance(block.id, str) or not block.id or block.id in self._calls:
            return self._refuse_id(block)
        tool = self._tools.find(block.name) if isinstance(block.name, str) else None
        call = Call(block, len(self._calls), tool, self._loop.time())
        self._calls[block.id] = call
        if tool is not None:
            validate(call, tool)
        if self._announce is not silent:
            self._announce(
                Kind.BLOCK,
                call.id,
                tool=block.name,
                index=call.index,
                attempt=self._attempt,
                known=tool is not None,
                valid=tool is not None and call.invalid is None,
                safe=call.safe,
                **({"gated": True} if self._crew.is_guarded(call) else {}),
                **(block.told() if self._contents else {}),
            )
            self._announce(Kind.QUEUED, call.id)
        self._crew.arrive(call)
        return call

    def response_complete(self) -> None:
        """Declare that no further block comes; the batch engine starts here (E8)."""
        self._response_complete = True
        self._crew.response_complete()

    def completed_results(self) -> Iterator[Update]:
        """Hand on what can be handed on now, without waiting (E8)."""
        return self._crew.outlet.take_all()

    async def remaining_results(self) -> AsyncGenerator[Update, None]:
        """Declare the response complete, then hand on everything that comes until all calls are emitted (E8)."""
        self.response_complete()
        # As updates() does, but not through it: one generator more would cost each update.
        while await self.wait():
            for update in self.completed_results():
                yield update

    async def updates(self) -> AsyncGenerator[Update, None]:
        """Hand on everything that comes, until the response is complete and all its calls are emitted.

        Raises:
            RuntimeError: somebody else waits for updates already.
        """
        while await self.wait():
            for update in self.completed_results():
                yield update

    async def wait(self) -> bool:
        """Sleep until :meth:`completed_results` has something to give (E8, B043).

        Returns:
            Whether it has; ``False`` when the response is complete and all its calls are emitted.

        Raises:
            RuntimeError: somebody else waits for updates already.
        """
        return await self._crew.outlet.wait()

    def settled(self) -> list[ToolResult]:
        """Give the results that are final but wait for their turn to be emitted, in request order (E12)."""
        return self._crew.outlet.waiting()

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call so far, in request order, with what is known of it (X7)."""
        return tuple(self._calls.values())

    def results(self, *, unclaimed: bool) -> dict[str, ToolResult]:
        """Give the results that were handed on, by call id and in request order.

        Args:
            unclaimed: whether those count too that nobody took (P1).
        """
        return {
            call.id: call.result
            for call in self._calls.values()
            if call.result is not None and (unclaimed or call.status is Status.YIELDED)
        }

    @property
    def in_progress(self) -> tuple[str, ...]:
        """The ids of the calls that execute, in the order they were admitted (E9)."""
        return tuple(self._crew.executing)

    @property
    def interruptible(self) -> bool:
        """Whether something executes and a new message of the user would stop all of it (E9)."""
        return self._crew.interruptible

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions that wait for an answer, in request order (H4, B039)."""
        return self._crew.questions.open

    @property
    def context(self) -> ToolContext:
        """The context as it stands."""
        return self._crew.context

    @property
    def poisoned_by(self) -> str | None:
        """The exclusive call that still runs although it was abandoned, as it is described to its siblings (A9)."""
        return self._crew.stopping.poisoned_by

    @property
    def report(self) -> ClosingReport:
        """What is left behind; final once the executor was closed (E10)."""
        stopping = self._crew.stopping
        unclaimed = () if stopping.discarded else tuple(self.settled())
        ended = tuple(self._crew.background.ended)
        return ClosingReport(unclaimed, stopping.abandoned, tuple(self._crew.faults), ended)

    def submit(self, *, force: bool = False) -> bool:
        """Note that the user sent a message while tools run (A7).

        Args:
            force: stop the calls that may be stopped even if others may not.

        Returns:
            Whether it took effect; if not, the message has to wait.
        """
        if not (force or self.interruptible):
            return False
        self._crew.stopping.stop_cancellable()
        return True

    async def discard(self) -> Discarded:
        """Give this attempt up: nothing is emitted or started any more, what runs is stopped and awaited (A8).

        Returns:
            What must be taken back and what may have happened.
        """
        begun = [call for call in self._calls.values() if call.started and call.was_exclusive]
        withdrawn = tuple(call.id for call in self._calls.values() if call.status is Status.YIELDED)
        self._announce(
            Kind.DISCARD, None, attempt=self._attempt, withdrawn=list(withdrawn), effects=[call.id for call in begun]
        )
        self._crew.outlet.close()
        self._crew.stopping.discard()
        await self._crew.until_quiet()
        return Discarded(withdrawn, tuple(Effect.of(call) for call in begun))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._crew.stopping.stop()
        try:
            await self._crew.until_quiet()
        finally:
            self._crew.close()

    def _refuse_id(self, block: ToolUseBlock) -> Call | None:
        """A block may not repeat an id; the same block again is only told twice (E11)."""
        first = self._calls.get(block.id) if isinstance(block.id, str) else None
        if first is None:
            self._crew.faults.append(Fault("", f"a {block.name} block came without an id; it was left out"))
        elif (first.block.name, first.block.input) != (block.name, block.input):
            self._crew.faults.append(Fault(block.id, "the id came again with other content; the first block stays"))
        return first
