"""The calls of one executor on their way: admitted, running, settled (SPEC 2).

The rule: every event is taken with all its consequences, settle, admit, emit, before the next; nothing here waits,
except for an owner that closes.
"""

import asyncio
import functools
from collections.abc import Callable
from typing import Any

from ..abort import AbortController
from ..calls.call import Call
from ..calls.context import ToolContext
from ..calls.life import Status
from ..calls.outcome import Outcome
from ..calls.progress import Progress
from ..calls.result import ToolResult
from ..events import Announce, Kind, silent
from ..pipeline import synthetic
from ..pipeline.run import Ending, Handle, run_body
from .context_line import ContextLine
from .options import Options
from .outlet import Outlet
from .report import Fault
from .schedule import Schedule
from .stopping import Stopping

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
        self._cascade_policy = options.cascade
        self._announce = announce
        self._on_activity = on_activity
        self._unsettled = 0
        self._admitting = False
        self._response_complete = False
        self._quiet = asyncio.Event()
        self.executing: dict[str, Call] = {}
        self.faults: list[Fault] = []
        self.line = ContextLine(context, announce, self.faults)
        self.outlet = Outlet(options.emission, announce, self)
        self.stopping = Stopping(turn, options.grace_s, announce, self._give_up_queued, self.complete, poisoned_by)

    @property
    def exclusive(self) -> Call | None:
        """The exclusive call that executes, if one does."""
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

    def arrive(self, call: Call) -> None:
        """Take a call whose input was checked and whose class is decided."""
        self._unsettled += 1
        if call.tool is None:
            self.complete(call, synthetic.unknown_tool(call))
        elif self.stopping.reason is not None:
            self.complete(call, self.stopping.result(call))
        else:
            self._schedule.arrive(call)
            self._admit()

    def response_complete(self) -> None:
        """Note that no further call arrives; the batch engine starts here (E8)."""
        if not self._response_complete:
            self._response_complete = True
            self._schedule.response_complete()
            self._admit()
            self._end_if_over()

    def complete(self, call: Call, result: ToolResult) -> None:
        """Settle a call, with all that follows from it: context, cascade, emission, the next admissions (E5)."""
        was_executing = call.status is Status.EXECUTING
        call.advance(Status.COMPLETED)
        call.result = result
        call.settled_s = self._loop.time()
        self._unsettled -= 1
        if self._announce is not silent:
            self._announce(Kind.COMPLETED, call.id, outcome=result.outcome)
        if was_executing:
            self._release(call)
        if call.modifier is not None:
            self.line.settle(call.index, call.modifier, exclusive=call.was_exclusive)
        if self._cascades(call, result.outcome):
            self.stopping.cascade(call)
        self.outlet.put_result(call)
        self._admit()
        self._end_if_over()

    async def until_quiet(self) -> None:
        """Wait until nothing executes; a cancellation meanwhile shortens the grace and is passed on at the end."""
        cancelled: asyncio.CancelledError | None = None
        while self.executing:
            self._quiet.clear()
            try:
                await self._quiet.wait()
            except asyncio.CancelledError as error:
                cancelled = error
                self.stopping.hurry(self.executing.values())
        if cancelled is not None:
            raise cancelled

    def close(self) -> None:
        """Leave the abort tree and hand nothing on any more; what ok calls changed counts, the turn is over (C3)."""
        if not self.stopping.discarded:
            self.line.barrier()
        self.stopping.close()
        self.outlet.close()

    def _admit(self) -> None:
        """Start every call that may start now (E3-E5); a call that ends within this pass is part of it."""
        if self._admitting:
            return
        self._admitting = True
        try:
            while (call := self._schedule.admit_next()) is not None:
                self._start(call)
        finally:
            self._admitting = False

    def _start(self, call: Call) -> None:
        call.advance(Status.EXECUTING)
        call.admitted_s = self._loop.time()
        self.executing[call.id] = call
        if not call.safe:
            self.line.barrier()
        call.context = self.line.current
        # Before anybody is told: who hears of the admission may stop the call on the spot.
        controller = self.stopping.watch(call)
        if self._announce is not silent:
            self._announce(Kind.ADMITTED, call.id)
        if self._on_activity is not None:
            self._tell_activity()
        if call.invalid is not None:
            self.complete(call, synthetic.invalid_input(call))
            return
        handle = Handle(call, controller, self._loop, self._on_progress, self._on_abort_turn)
        call.task = self._loop.create_task(run_body(call, handle, self._announce), name=f"call {call.id}")
        call.task.add_done_callback(functools.partial(self._on_body_over, call))

    def _on_body_over(self, call: Call, task: asyncio.Task[Ending]) -> None:
        if self.stopping.came_too_late(call):
            self.faults.append(Fault(call.id, "its body ended after it was abandoned; what it brought was dropped"))
        elif task.cancelled():
            self.complete(call, self._result_of(call, Ending(is_error=True, stopped=True)))
        elif (error := task.exception()) is not None:
            self.complete(call, self._result_of(call, Ending(type(error).__name__, is_error=True)))
        else:
            self.complete(call, self._result_of(call, task.result()))

    def _result_of(self, call: Call, ending: Ending) -> ToolResult:
        if ending.stopped and self.stopping.reason is not None:
            return self.stopping.result(call, ending.content)
        if ending.is_error:
            summary = f"Error: {ending.content}" if isinstance(ending.content, str) else "Error"
            return synthetic.make(call, Outcome.ERROR, ending.content, summary)
        call.modifier = ending.modifier
        return synthetic.make(call, Outcome.OK, ending.content)

    def _release(self, call: Call) -> None:
        del self.executing[call.id]
        self._schedule.settle(call)
        self.stopping.release(call)
        self._tell_activity()
        if not self.executing:
            self._quiet.set()

    def _cascades(self, call: Call, outcome: Outcome) -> bool:
        """Whether this ending cancels the siblings (A2, A3)."""
        failed = outcome in (Outcome.ERROR, Outcome.TIMEOUT) and call.started
        if not failed or call.tool is None or not call.tool.cascades:
            return False
        return self._cascade_policy == "any" or (self._cascade_policy == "exclusive" and call.was_exclusive)

    def _on_progress(self, call: Call, data: Any) -> None:
        """Take progress from a body; none after its call settled or the attempt was discarded (E7, G1)."""
        if call.status is Status.EXECUTING and not self.stopping.discarded:
            self._announce(Kind.PROGRESSED, call.id, n=call.progress_count)
            self.outlet.put_progress(Progress(call.id, call.progress_count, data))
            call.progress_count += 1

    def _on_abort_turn(self, call: Call) -> None:
        """Let an abort that a body asks for rise; the body of a settled call has no say any more (A4, A6)."""
        if call.status is Status.EXECUTING:
            self.stopping.abort_turn()

    def _give_up_queued(self) -> None:
        """Answer every queued call at once: it will never start (A2, A7, A8)."""
        for call in self._schedule.give_up():
            self.complete(call, self.stopping.result(call))

    def _end_if_over(self) -> None:
        """The end of the turn is a barrier too (C3), and the consumer's last news."""
        if self.is_over:
            self.line.barrier()
        self.outlet.wake()

    def _tell_activity(self) -> None:
        if self._on_activity is not None:
            self._on_activity(tuple(self.executing), self.interruptible)
