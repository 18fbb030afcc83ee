"""The calls of one executor on their way: admitted, running, settled (SPEC 2).

The rule: every event is taken with all its consequences, settle, admit, emit, before the next; nothing here waits,
except for an owner that closes.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ..abort import AbortController
from ..calls.call import Call
from ..calls.context import ToolContext
from ..calls.life import Status
from ..calls.outcome import Outcome
from ..calls.progress import Progress
from ..calls.result import ToolResult
from ..events import Announce, Kind, silent
from ..listeners import wants_contents
from ..pipeline import synthetic
from ..pipeline.checkpoint import Checkpoint
from ..pipeline.movable import Movable
from ..pipeline.questions import Questions
from ..pipeline.run import Ending, Handle, run_body
from .background import BackgroundWork, drop
from .context_line import ContextLine
from .options import Options
from .outlet import Outlet
from .report import Fault
from .schedule import Schedule
from .settling import cascades, ending_of, keep, result_of
from .stopping import Stopping
from .turnstile import Turnstile

Activity = Callable[[tuple[str, ...], bool], None]
"""Told, on change, which calls execute and whether a new message would stop them all (E9)."""


class Crew:
    """Runs the calls it is given, each at its time.

    Args:
        schedule: who may start; the only thing in which the engines differ (Q5).
        context: what the first call sees.
        options: see :class:`~executor.engines.options.Options`.
        turn: the turn's abort controller.
        announce: told of every event.
        on_activity: see :data:`Activity`.
        poisoned_by: see :class:`~executor.engines.stopping.Stopping`.
    """

    def __init__(
        self,
        schedule: Schedule[Call],
        context: ToolContext,
        options: Options,
        turn: AbortController,
        announce: Announce,
        on_activity: Activity | None,
        poisoned_by: str | None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._schedule = schedule
        self._options = options
        self._announce = announce
        self._contents = wants_contents(announce)
        self._on_activity = on_activity
        self._unsettled = 0
        self._admitting = False
        self._response_complete = False
        self._quiet = asyncio.Event()
        self.executing: dict[str, Call] = {}
        self.faults: list[Fault] = []
        self.line = ContextLine(context, announce, self.faults)
        self.outlet = Outlet(options.emission, announce, self.line, self)
        self.stopping = Stopping(
            turn, self.executing, options.grace_s, announce, self._give_up_queued, self.complete, poisoned_by
        )
        leave, grace_s = self.stopping.leave, options.grace_s
        self.background = BackgroundWork(grace_s, self.faults, self._on_work_over, self._on_work_left, announce)
        self.questions = Questions(options.can_use_tool, options.question_timeout_s, grace_s, announce, leave)
        self._turnstile = Turnstile(self.executing, self._refresh_context)
        self._checkpoint = Checkpoint(
            options.hooks, options.permissions, self.questions, grace_s, announce, self._turnstile, self._harden, leave
        )
        self._guards_all = self._checkpoint.guards_all

    @property
    def exclusive(self) -> Sequence[Call]:
        """The exclusive calls that hold their place."""
        return self._schedule.exclusive

    @property
    def context(self) -> ToolContext:
        """The context as it stands."""
        return self.line.current

    @property
    def is_over(self) -> bool:
        """Whether the response is complete and all its calls are settled."""
        return self._response_complete and self._unsettled == 0

    @property
    def interruptible(self) -> bool:
        """Whether something executes and a new message of the user would stop all of it (E9)."""
        executing = self.executing.values()
        return bool(executing) and all(call.tool is not None and call.tool.interrupt == "cancel" for call in executing)

    def is_guarded(self, call: Call) -> bool:
        """Whether hooks, rules or a question stand before the call's body."""
        return self._guards_all or (call.tool is not None and call.tool.is_guarded)

    def arrive(self, call: Call) -> None:
        """Take a call whose input was checked and whose class is decided."""
        self._unsettled += 1
        if call.tool is None:
            self.complete(call, synthetic.unknown_tool(call))
        elif self.stopping.reason is not None:
            self.complete(call, self.stopping.result(call))
        else:
            self._schedule.arrive(call)
            self._admit(call.arrived_s)
            self.outlet.wake()

    def response_complete(self) -> None:
        """Note that no further call arrives; the batch engine starts here (E8)."""
        if not self._response_complete:
            self._response_complete = True
            self._schedule.response_complete()
            self._admit(self._loop.time())
            self._end_if_over()

    def complete(self, call: Call, result: ToolResult, *, rises: bool = False) -> None:
        """Settle a call, with all that follows from it: context, cascade, emission, the next admissions (E5).

        Args:
            call: the call.
            result: its result.
            rises: whether a person refused it, which ends the turn (A4).
        """
        was_executing = call.status is Status.EXECUTING
        call.advance(Status.COMPLETED)
        call.result = result
        call.settled_s = now_s = self._loop.time()
        self._unsettled -= 1
        if self._announce is not silent:
            told = result.told() if self._contents else {}
            self._announce(Kind.COMPLETED, call.id, outcome=result.outcome, **told)
        if was_executing:
            self._release(call)
        if call.modifier is not None:
            self.line.settle(call.index, call.modifier, exclusive=call.was_exclusive)
        if result.outcome is not Outcome.OK and cascades(call, result.outcome, self._options.cascade):
            self.stopping.cascade(call)
        if rises:
            self.stopping.abort_turn(call, by="person")
        self.outlet.put_result(call)
        self._admit(now_s)
        self._turnstile.look()
        self._end_if_over()

    async def until_quiet(self) -> None:
        """End background work and wait until nothing runs.

        A cancellation meanwhile shortens the grace and is passed on at the end.
        """
        cancelled: asyncio.CancelledError | None = None
        self.background.end()
        while self.executing or self.background.running:
            self._quiet.clear()
            try:
                await self._quiet.wait()
            except asyncio.CancelledError as error:
                cancelled = error
                self.stopping.hurry()
        if cancelled is not None:
            raise cancelled

    def close(self) -> None:
        """Leave the abort tree and hand nothing on any more; what ok calls changed counts, the turn is over (C3)."""
        if not self.stopping.discarded:
            self.line.barrier()
        self.stopping.close()
        self.outlet.close()

    def _admit(self, now_s: float) -> None:
        """Start every call that may start now (E3-E5); a call that ends within this pass is part of it."""
        if self._admitting:
            return
        self._admitting = True
        try:
            while (call := self._schedule.admit_next()) is not None:
                self._start(call, now_s)
        finally:
            self._admitting = False

    def _start(self, call: Call, now_s: float) -> None:
        call.advance(Status.EXECUTING)
        call.admitted_s = now_s
        self.executing[call.id] = call
        if not call.safe:
            self.line.barrier()
        call.context = self.line.current
        if call.tool is not None and call.tool.timeout_s is not None:
            self.stopping.watch(call, call.tool.timeout_s)
        if self._announce is not silent:
            self._announce(Kind.ADMITTED, call.id)
        if self._on_activity is not None:
            self._tell_activity()
        if call.invalid is not None:
            self.complete(call, synthetic.invalid_input(call))
            return
        handle = Handle(call, self._loop, self)
        if self.is_guarded(call):
            go_on = functools.partial(self._go_on, call)
            go_on(Movable(self._checkpoint.run(call, handle), go_on))
        else:
            self._go_on(call, run_body(call, handle, self._announce))

    def _go_on(self, call: Call, ending: Coroutine[Any, Any, Ending]) -> None:
        """Let a call go on in a new task; one it had is kept by a hook or a question that waits."""
        call.task = None
        task = self._loop.create_task(ending, name=f"call {call.id}")
        call.task = call.task or task  # An eager one has run by now, and the call may have moved on from it.
        task.add_done_callback(functools.partial(self._on_task_over, call))

    def _on_task_over(self, call: Call, task: asyncio.Task[Ending]) -> None:
        ending = ending_of(task)
        if task is call.task:
            if ending.background is not None:
                self.background.start(call, ending.background)
            self.complete(call, result_of(call, ending, self.stopping, self._options), rises=ending.rises)
        elif self.stopping.forget(call, task):
            if ending.background is not None:
                drop(ending.background.work)
            self.faults.append(Fault(call.id, "its body ended after it was abandoned; what it brought was dropped"))

    def _release(self, call: Call) -> None:
        del self.executing[call.id]
        if call.id not in self.background.exclusive:
            self._give_way(call)
        call.release()
        if self._on_activity is not None:
            self._tell_activity()
        self._note_quiet()

    def _give_way(self, call: Call) -> None:
        """Free what a call held: its slot, and its being alone (X8)."""
        self._schedule.settle(call)
        if not call.safe:
            self._turnstile.reopen(call)

    def _note_quiet(self) -> None:
        if not self.executing and not self.background.running:
            self._quiet.set()

    def _on_work_over(self, call: Call, kept_exclusive: bool) -> None:
        if kept_exclusive:
            self._give_way(call)
            self._admit(self._loop.time())
            self._turnstile.look()
        self._note_quiet()

    def _on_work_left(self, call: Call, name: str, task: asyncio.Task[Any]) -> None:
        self.stopping.leave(call, name, task)
        if call.id in self.background.exclusive:
            self.stopping.poison(call)

    def _harden(self, call: Call) -> None:
        """Take note that a rewrite made a safe call exclusive (H8)."""
        call.safe = False
        self._schedule.harden(call)
        self._turnstile.harden(call)
        self._announce(Kind.HARDENED, call.id)

    def _refresh_context(self, call: Call) -> None:
        """Let a call see what became of the context while it stood before its body (C2, H8)."""
        if not call.safe:
            self.line.barrier(call.index)
        call.context = self.line.current

    def on_progress(self, call: Call, data: Any) -> None:
        """Take progress from a body; none after its call settled or the attempt was discarded (E7, G1)."""
        if call.status is Status.EXECUTING and not self.stopping.discarded:
            self._announce(Kind.PROGRESSED, call.id, n=call.progress_count)
            self.outlet.put_progress(Progress(call.id, call.progress_count, data))
            call.progress_count += 1

    def on_output(self, call: Call, text: str) -> None:
        """Keep a piece of a body's output, and pass it on as progress (A10)."""
        if call.status is Status.EXECUTING:
            keep(call, text, self._options)
            self.on_progress(call, text)

    def on_abort_turn(self, call: Call) -> None:
        """Let an abort that a body asks for rise; the body of a settled call has no say any more (A4, A6)."""
        if call.status is Status.EXECUTING:
            self.stopping.abort_turn(call, by="tool")

    def _give_up_queued(self) -> None:
        """Answer every queued call at once: it will never start (A2, A7, A8)."""
        for call in self._schedule.give_up():
            self.complete(call, self.stopping.result(call))

    def _end_if_over(self) -> None:
        """The end of the turn is a barrier too (C3), and the consumer's last news.

        What settles within a pass wakes nobody before the pass is over: all consequences come first (A11).
        """
        if self._admitting:
            return
        if not self._unsettled and self._response_complete:
            self.line.barrier()
        self.outlet.wake()

    def _tell_activity(self) -> None:
        if self._on_activity is not None:
            self._on_activity(tuple(self.executing), self.interruptible)
