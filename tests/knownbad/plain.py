"""A right executor as one would write it oneself: plain asyncio, one short method for each decision.

The rule: each defect of SPEC 11 and 12 is a subclass that decides one thing otherwise. It shares no code with our own
executor but the nouns. Seconds where asyncio wants them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from executor import (
    AbortController,
    Outcome,
    Progress,
    Stopped,
    Tool,
    ToolContext,
    ToolOutput,
    ToolResult,
    ToolUseBlock,
)
from executor.calls.outcome import ABORTS
from sim import OwnStage

BY_RANK = (Outcome.STREAMING_FALLBACK, Outcome.SIBLING_ERROR, Outcome.USER_INTERRUPTED)
"""The reasons of an abort, the highest first (A5)."""


@dataclass(eq=False)
class Work:
    """One call on its way; also the handle that its body holds on to."""

    block: ToolUseBlock
    index: int
    tool: Tool | None
    owner: "Plain"
    valid: bool = False
    safe: bool = False
    context: ToolContext = field(default_factory=ToolContext)
    controller: AbortController = field(default_factory=AbortController)
    task: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    was_cancelled: bool = False
    result: ToolResult | None = None
    emitted: bool = False
    told: int = 0

    @property
    def call_id(self) -> str:
        return self.block.id

    @property
    def signal(self) -> Any:
        return self.controller.signal

    def progress(self, data: Any) -> None:
        self.owner.on_progress(self, data)

    def output(self, text: str) -> None:
        self.progress(text)

    def abort_turn(self) -> None:
        self.owner.on_refusal(self)


class Plain:
    """Takes blocks, runs their calls, gives their results: the interface is ``sim.world.ExecutorLike``."""

    supports = frozenset(
        {"stop", "submit", "discard", "attempts", "consumer", "cascade", "limit", "progress", "context"}
    )

    def __init__(self, stage: OwnStage) -> None:
        self.stage = stage
        self.options = stage.options
        self.calls: list[Work] = []
        self.queue: list[Work] = []
        self.running: list[Work] = []
        self.news = asyncio.Event()
        self.steps: list[Progress] = []
        self.whys: set[Outcome] = set()
        self.complete = False
        self.closed = False
        self.context = ToolContext()
        self.changes: dict[int, Any] = {}
        self.abandoned: list[str] = []
        self.is_poisoned = False

    def follow(self, before: "Plain") -> None:
        """A9: beside an exclusive call of an earlier attempt that nobody can stop nothing starts either."""
        if before.is_poisoned:
            self.poison()

    # In

    def add(self, block: ToolUseBlock) -> None:
        """E1, E2: take a block and decide its class, once."""
        if self.is_known(block):
            return
        call = Work(block, len(self.calls), self.find(block.name), self)
        self.calls.append(call)
        call.valid = call.tool is not None and self.is_valid(call)
        call.safe = call.valid and self.is_safe(call)
        self.arrive(call)

    def is_known(self, block: ToolUseBlock) -> bool:
        """E11: the same block again is the same call."""
        return any(call.call_id == block.id for call in self.calls)

    def arrive(self, call: Work) -> None:
        if call.tool is None:
            self.answer(call, Outcome.UNKNOWN_TOOL)
        elif self.whys:
            self.answer(call, self.reason())
        else:
            self.queue.append(call)
            self.admit()

    def find(self, name: str) -> Tool | None:
        return self.stage.tools.find(name)

    def is_valid(self, call: Work) -> bool:
        try:
            call.tool.input.validate_python(call.block.input)
        except ValueError:
            return False
        return True

    def is_safe(self, call: Work) -> bool:
        """E2: fail closed."""
        try:
            return bool(call.tool.concurrency_safe(call.block.input))
        except Exception:
            return False

    def response_complete(self) -> None:
        self.complete = True
        self.end_if_over()

    # Who may start

    def admit(self) -> None:
        """E4, E5: the queue's head alone decides."""
        while self.queue and self.may_start(self.queue[0]):
            self.start(self.queue.pop(0))

    def may_start(self, call: Work) -> bool:
        """E3: when nothing runs, or beside safe calls if it is safe and there is room."""
        if not self.running:
            return True
        return call.safe and all(other.safe for other in self.running) and self.has_room()

    def has_room(self) -> bool:
        limit = self.options.max_concurrency
        return limit is None or len(self.running) < limit

    def start(self, call: Work) -> None:
        if not call.safe:
            self.barrier()
        if not call.valid:
            self.answer(call, Outcome.INVALID_INPUT)
            return
        call.context = self.context
        self.running.append(call)
        call.task = asyncio.create_task(self.run(call))

    # How one runs and ends

    async def run(self, call: Work) -> None:
        try:
            output = await call.tool.body(call, call.block.input)
        except asyncio.CancelledError:
            output = self.on_cancelled(call)
        except Exception as error:
            output = Stopped() if call.signal.aborted else ToolOutput(str(error), is_error=True)
        if call.result is None:
            self.settle(call, output)

    def on_cancelled(self, call: Work) -> ToolOutput | Stopped:
        """A12: a tool that cancels itself has failed."""
        stopped = call.was_cancelled or call.signal.aborted
        return Stopped() if stopped else ToolOutput("CancelledError", is_error=True)

    def settle(self, call: Work, output: ToolOutput | Stopped, *, abandoned: bool = False) -> None:
        """Settle a call with all its consequences, in one go (A11)."""
        if call.timer is not None:
            call.timer.cancel()
        self.running.remove(call)
        outcome = self.outcome(call, output)
        if outcome is Outcome.OK and output.modifier is not None:
            self.change(call, output.modifier)
        said = output.partial if isinstance(output, Stopped) else output.content
        self.answer(call, outcome, str(said), started=True, abandoned=abandoned)
        if abandoned:
            self.abandoned.append(call.call_id)
            if not call.safe:
                self.poison()
        if outcome is Outcome.ERROR and self.cascades(call):
            self.cascade(call)
        self.admit()
        self.end_if_over()

    def outcome(self, call: Work, output: ToolOutput | Stopped) -> Outcome:
        """A6: what ran to its end keeps its result."""
        if isinstance(output, Stopped):
            return self.reason()
        return Outcome.ERROR if output.is_error else Outcome.OK

    def answer(
        self, call: Work, outcome: Outcome, text: str = "", *, started: bool = False, abandoned: bool = False
    ) -> None:
        """Give a call its one result."""
        call.result = ToolResult(call.call_id, call.block.name, outcome, text, started=started, abandoned=abandoned)
        self.news.set()

    def end_if_over(self) -> None:
        if self.complete and all(call.result is not None for call in self.calls):
            self.barrier()
        self.news.set()

    # Context

    def change(self, call: Work, modifier: Any) -> None:
        """C2, C3: at once for an exclusive call, at the next barrier for a safe one."""
        self.changes[call.index] = modifier
        if not call.safe:
            self.barrier()

    def barrier(self) -> None:
        if not self.changes or Outcome.STREAMING_FALLBACK in self.whys:
            return
        for index in self.due():
            self.context = self.changes[index](self.context)
        self.changes.clear()
        self.stage.context_is(self.context)

    def due(self) -> list[int]:
        return sorted(self.changes)

    # How all of it is stopped

    def reason(self) -> Outcome:
        """A5: the highest of the reasons there are."""
        return next(reason for reason in BY_RANK if reason in self.whys)

    def cascades(self, call: Work) -> bool:
        """A2, A3: which errors concern the siblings."""
        policy = self.options.cascade
        return call.tool.cascades and (policy == "any" or (policy == "exclusive" and not call.safe))

    def cascade(self, culprit: Work) -> None:
        self.stop_all(Outcome.SIBLING_ERROR)

    def stop(self) -> None:
        """A7: Escape."""
        self.stop_all(Outcome.USER_INTERRUPTED)

    def submit(self, *, force: bool) -> None:
        """A7: a new message stops what may be stopped, if that is everything or it is to be forced."""
        if not force and not self.is_interruptible():
            return
        self.whys.add(Outcome.USER_INTERRUPTED)
        self.give_up_queue()
        for call in list(self.running):
            if call.tool.interrupt == "cancel":
                self.signal(call, Outcome.USER_INTERRUPTED)

    def is_interruptible(self) -> bool:
        return bool(self.running) and all(call.tool.interrupt == "cancel" for call in self.running)

    def discard(self) -> None:
        """A8: nothing more is emitted, nothing starts, what runs is stopped and awaited."""
        self.closed = True
        self.steps.clear()
        self.stop_all(Outcome.STREAMING_FALLBACK)
        self.news.set()

    def on_refusal(self, call: Work) -> None:
        """A4: rises to the turn."""
        if not self.closed:
            self.stop()

    def stop_all(self, why: Outcome) -> None:
        self.whys.add(why)
        self.give_up_queue()
        for call in list(self.running):
            self.signal(call, why)

    def give_up_queue(self) -> None:
        queued, self.queue = self.queue, []
        for call in queued:
            self.answer(call, self.reason())
        self.end_if_over()

    def signal(self, call: Work, why: Outcome) -> None:
        """A9: first the signal, after the grace the cancellation, after the grace again it is abandoned."""
        if call.signal.aborted:
            return
        call.controller.abort(why)
        call.timer = asyncio.get_running_loop().call_later(self.options.grace_s, partial(self.cancel, call))

    def cancel(self, call: Work) -> None:
        call.was_cancelled = True
        call.task.cancel()
        call.timer = asyncio.get_running_loop().call_later(self.options.grace_s, partial(self.abandon, call))

    def abandon(self, call: Work) -> None:
        if not call.task.done():
            self.settle(call, Stopped(), abandoned=True)

    def poison(self) -> None:
        """A9: beside an exclusive call that nobody can stop nothing starts any more."""
        self.is_poisoned = True
        self.stop_all(Outcome.SIBLING_ERROR)

    # Out

    def on_progress(self, call: Work, data: Any) -> None:
        """E7: at once, and none after the result or a discard."""
        if call.result is None and not self.closed:
            self.steps.append(Progress(call.call_id, call.told, data))
            call.told += 1
            self.news.set()

    async def updates(self) -> AsyncIterator[ToolResult | Progress]:
        """Hand on what comes, as it comes, until everything has been (E8)."""
        while True:
            while (update := self.take()) is not None:
                yield update
            if self.is_over():
                return
            await self.doze()

    async def doze(self) -> None:
        """Sleep until there is something new."""
        self.news.clear()
        await self.news.wait()

    def take(self) -> ToolResult | Progress | None:
        if self.closed:
            return None
        if (step := self.next_step()) is not None:
            return step
        call = next(self.emittable(), None)
        if call is None:
            return None
        call.emitted = True
        return call.result

    def next_step(self) -> Progress | None:
        """G1: progress first, so that it never comes after its result."""
        return self.steps.pop(0) if self.steps else None

    def emittable(self) -> Iterator[Work]:
        """E6: in request order, or by the published walk."""
        for call in self.calls:
            if call.result is not None and not call.emitted:
                yield call
            elif not call.emitted and self.is_barred_by(call):
                return

    def is_barred_by(self, call: Work) -> bool:
        return self.options.emission == "ordered" or (call in self.running and not call.safe)

    def is_over(self) -> bool:
        if self.closed:
            return not self.running
        return self.complete and all(call.emitted for call in self.calls)

    def completed_results(self) -> Iterator[ToolResult | Progress]:
        while (update := self.take()) is not None:
            yield update

    async def remaining_results(self) -> AsyncIterator[ToolResult | Progress]:
        self.response_complete()
        async for update in self.updates():
            yield update

    # The end

    async def __aenter__(self) -> "Plain":
        return self

    async def __aexit__(self, *_: object) -> None:
        """E10: nothing that was started is left."""
        if self.running:
            self.stop()
        while self.running:
            self.news.clear()
            await self.news.wait()
        self.complete = True
        self.barrier()

    def settled(self) -> list[ToolResult]:
        """What is final and nobody took (E12)."""
        if Outcome.STREAMING_FALLBACK in self.whys:
            return []
        return [call.result for call in self.calls if call.result is not None and not call.emitted]


assert set(BY_RANK) == ABORTS
