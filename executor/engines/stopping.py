"""How calls are kept from starting and stopped while they run: reasons, signals, grace (SPEC 5).

The rule: a body is asked first, by its signal; after the grace its task is cancelled; if it resists that for the
same time again, it is abandoned (A9). Which reason its result names is judged when the call settles (A5).
"""

import asyncio
import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from ..abort import AbortController
from ..calls.call import Call
from ..calls.content import Content
from ..calls.outcome import Outcome
from ..calls.result import ToolResult
from ..events import Announce, Kind
from ..pipeline import synthetic

_ABANDONED: Final[set[asyncio.Task[Any]]] = set()
"""Bodies nobody can stop outlive their executor; a task without a strong reference may vanish in mid-run (B076)."""


class Stopping:
    """The abort tree of one executor and what hangs on it.

    Args:
        turn: the turn's controller, the level above.
        executing: the calls that execute, by their ids, in the order they were admitted.
        grace_s: seconds from a signal to the cancellation, and again to the abandonment.
        announce: told when a running body is signalled.
        on_refusal: called when nothing may start any more, each time a reason for that comes up.
        on_abandoned: called with a call that is abandoned, and its result.
        poisoned_by: the exclusive call of an earlier attempt that still runs and cannot be stopped, if there is one.
    """

    def __init__(
        self,
        turn: AbortController,
        executing: Mapping[str, Call],
        grace_s: float,
        announce: Announce,
        on_refusal: Callable[[], None],
        on_abandoned: Callable[[Call, ToolResult], None],
        poisoned_by: str | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._turn = turn
        self._executing = executing
        self._grace_s = grace_s
        self._announce = announce
        self._on_refusal = on_refusal
        self._on_abandoned = on_abandoned
        self._stopped = False
        self._culprit = poisoned_by
        self._poisoned_by = poisoned_by
        self._abandoned: dict[str, asyncio.Task[Any]] = {}
        self.discarded = False
        self._siblings = AbortController(turn, self._on_siblings_abort)

    @property
    def reason(self) -> Outcome | None:
        """Why nothing starts any more, the highest reason first (A5); ``None`` while calls may start."""
        if self.discarded:
            return Outcome.STREAMING_FALLBACK
        if self._culprit is not None:
            return Outcome.SIBLING_ERROR
        return Outcome.USER_INTERRUPTED if self._stopped else None

    @property
    def poisoned_by(self) -> str | None:
        """An abandoned exclusive call: beside it nothing may start, in this attempt or the next (A9)."""
        return self._poisoned_by

    @property
    def abandoned(self) -> tuple[str, ...]:
        """The ids of calls whose body still runs although they are settled, and hooks that do (``ID: hook NAME``)."""
        return tuple(self._abandoned)

    def stops(self, call: Call) -> bool:
        """Whether there is a reason for this call not to come to its end."""
        return self.reason is not None or call.signal_reason is not None

    def result(self, call: Call, partial: Content = "", *, abandoned: bool = False) -> ToolResult:
        """Write the result of a call that was kept from starting or stopped, by an abort or by its deadline (X5)."""
        partial = partial or (call.partial.text if call.partial is not None else "")
        if call.signal_reason == Outcome.TIMEOUT and not self.discarded:
            return synthetic.timed_out(call, partial, abandoned=abandoned)
        assert self.reason is not None, "an abort's result needs an abort"
        return synthetic.aborted(call, self.reason, self._culprit or "", partial, abandoned=abandoned)

    # What can be asked for

    def stop(self) -> None:
        """Stop this executor's calls, all of them: the user wants it, or the executor is being left."""
        self._siblings.abort(Outcome.USER_INTERRUPTED)

    def stop_cancellable(self) -> None:
        """Stop the calls that a new message may stop; the signals of the others do not fire (A7)."""
        self._stopped = True
        self._on_refusal()
        for call in list(self._executing.values()):
            if call.tool is not None and call.tool.interrupt == "cancel":
                self._abort(call, Outcome.USER_INTERRUPTED)

    def poison(self, call: Call) -> None:
        """Start nothing any more beside an exclusive call that cannot be stopped, in this attempt or the next (A9)."""
        if self._poisoned_by is None:
            self._poisoned_by = call.describe()
            self.cascade(call)

    def cascade(self, culprit: Call) -> None:
        """Cancel the siblings of a call that failed; the first to fail is the one that is named (A2)."""
        if self._culprit is None:
            self._culprit = culprit.describe()
            self._siblings.abort(Outcome.SIBLING_ERROR)
            self._on_refusal()

    def discard(self) -> None:
        """Stop everything because the response is asked for again (A8)."""
        self.discarded = True
        self._siblings.abort(Outcome.STREAMING_FALLBACK)
        self._on_refusal()

    def abort_turn(self, call: Call, by: Literal["person", "tool"]) -> None:
        """Let an abort that a tool asked for, or a refusal, rise to the turn, unless that is over or given up (A4)."""
        if not (self.discarded or self._turn.signal.aborted):
            self._announce(Kind.REFUSED, call.id, by=by)
            self._turn.abort(Outcome.USER_INTERRUPTED)

    def close(self) -> None:
        """Leave the tree: the turn keeps nothing of this executor."""
        self._siblings.close()

    # One call

    def watch(self, call: Call, timeout_s: float) -> None:
        """Stop a call that was just admitted when its time is over (X5)."""
        call.deadline = self._loop.call_later(timeout_s, self._abort, call, Outcome.TIMEOUT)

    def leave(self, call: Call, name: str, task: asyncio.Task[Any]) -> None:
        """Leave work beside a call running that cannot be stopped; it is reported under its call's id (E10)."""
        name = f"{call.id}: {name}"
        self._abandoned[name] = task
        _ABANDONED.add(task)
        task.add_done_callback(functools.partial(self._over_after_all, name))

    def hurry(self) -> None:
        """Cancel what runs without waiting for the grace to pass: the owner itself is being cancelled."""
        for call in self._executing.values():
            if call.task is not None and call.task.cancelling():
                continue  # Its last grace runs already and does not begin anew.
            if call.timer is not None:
                call.timer.cancel()
            self._cancel(call)

    def forget(self, call: Call, task: asyncio.Task[Any]) -> bool:
        """Note that a task of a settled call is over; tells whether it was the abandoned body's."""
        if self._abandoned.get(call.id) is not task:
            return False
        _ABANDONED.discard(self._abandoned.pop(call.id))
        return True

    def _over_after_all(self, name: str, task: asyncio.Task[Any]) -> None:
        del self._abandoned[name]
        _ABANDONED.discard(task)

    def _on_siblings_abort(self, reason: str) -> None:
        if reason not in (Outcome.SIBLING_ERROR, Outcome.STREAMING_FALLBACK):
            self._stopped = True
            self._on_refusal()
        for call in list(self._executing.values()):
            self._abort(call, reason)

    def _abort(self, call: Call, reason: str) -> None:
        """Fire a call's signal; a second reason changes nothing."""
        if call.signal_reason is not None:
            return
        call.signal_reason = reason
        if call.in_body:
            self._announce(Kind.SIGNALLED, call.id, reason=str(reason))
        call.timer = self._loop.call_later(self._grace_s, self._cancel, call)
        call.fire()

    def _cancel(self, call: Call) -> None:
        assert call.task is not None, "only a call with a task is signalled"
        call.task.cancel()
        call.timer = self._loop.call_later(self._grace_s, self._abandon, call)

    def _abandon(self, call: Call) -> None:
        assert call.task is not None, "only a call with a task is signalled"
        if call.task.done():
            return  # It obeyed in time; its end waits to be heard only because the loop was busy.
        if not call.in_body:
            return  # Only a body can resist: a hook or a question that does is left running, the call ends without it.
        self._abandoned[call.id] = call.task
        _ABANDONED.add(call.task)
        result = self.result(call, abandoned=True)
        if call.was_exclusive:
            # A deadline had stopped this call alone; nothing may start beside a body that nobody can stop.
            self.poison(call)
        self._on_abandoned(call, result)
