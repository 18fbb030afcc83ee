"""The turn as far as its log has told it: what the rules look at.

The rule: rules read this state and never change it; :mod:`~sim.oracle.reading` does. Times in nanoseconds from the
turn's start.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final

from executor.calls.outcome import ABORTS, Outcome
from executor.events import Event

from .aborts import Aborts
from .agenda import Agenda
from .lines import ContextLine
from .terms import Terms
from .view import CallView

RECENT: Final = 1000
"""Of how many settled calls the rows are kept, in case a later row shows that one of them was settled wrongly."""


class State:
    """Everything the rows so far have told, kept so that each rule finds its answer without searching.

    A body *runs* from ``entered`` to ``left``; an exclusive call whose work goes on in the background holds its place
    until ``work_ended`` (X8). A body that was signalled and has not left after twice the grace is abandoned (A9), as is
    one whose result says so: a safe one then no longer counts as running, an exclusive one does, and nothing may start
    any more.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.now_ns = 0
        self.count = 0
        self.latest: tuple[int, Event] | None = None
        self.aborts = Aborts(terms.tolerance_ns)
        self.calls: dict[str, CallView] = {}
        self.unanswered: dict[CallView, None] = {}
        self.doubled: list[CallView] = []
        self.running: dict[CallView, None] = {}
        self.exclusive: dict[CallView, None] = {}
        self.background: dict[CallView, None] = {}
        self.abandoned: dict[CallView, None] = {}
        self.gated: dict[CallView, None] = {}
        self.untaken: dict[CallView, None] = {}
        self.lines: dict[int, ContextLine] = {}
        self.sayings: dict[str, CallView] = {}
        self.last_attempt = 0
        self.overdue: list[CallView] = []
        self.last_end: CallView | None = None
        self.furthest_body: CallView | None = None
        self.furthest_exclusive: CallView | None = None
        self.furthest_result: CallView | None = None
        self.complete: set[int] = set()
        self.failed: set[int] = set()
        self.discarded: set[int] = set()
        self.closed_attempts: set[int] = set()
        self.blamed: set[int] = set()
        self.closed = False
        self.user_acted = False
        self.consumer_left = False
        self.poisoned_by: CallView | None = None
        self.interrupted: list[tuple[int, CallView]] = []
        self.settled_as_interrupted: list[tuple[int, CallView]] = []
        self.ended: Event | None = None
        self.left_over: frozenset[str] = frozenset()
        self.halted: Event | None = None
        self.arrivals = 0
        self.queue: deque[CallView] = deque()
        self._recent: deque[CallView] = deque()
        self.agenda = Agenda()
        self.doomed: dict[CallView, None] = {}

    def call(self, id_: str | None) -> CallView:
        """Give the newest call of that id, an empty view (not kept) where the log has not named it yet."""
        return self.calls.get(id_ or "?") or CallView(id_ or "?")

    def of_attempt(self, attempt: int) -> Iterator[CallView]:
        """Give the calls that one attempt at the response asked for."""
        for newest in self.calls.values():
            call: CallView | None = newest
            while call is not None:
                if call.arrived and call.attempt == attempt:
                    yield call
                call = call.namesake

    def kept(self, call: CallView) -> bool:
        """Tell whether the response that asked for the call is kept, so far."""
        return call.attempt not in self.discarded and call.attempt not in self.failed

    @property
    def is_poisoned(self) -> bool:
        """Whether an exclusive call was abandoned (A9), or may have been at this very instant."""
        return self.poisoned_by is not None or any(not call.safe for call in self.doomed)

    def head(self) -> CallView | None:
        """Give the call whose turn it is to be admitted (E4), ``None`` where nobody waits.

        Calls are passed in order of arrival, each once. An unknown tool's call holds nobody up (E1). One with invalid
        input is exclusive and has no body: it holds the queue until nothing runs, and is then through at once.
        """
        while self.queue and self._is_through(self.queue[0]):
            self.queue.popleft()
        return self.queue[0] if self.queue else None

    def _is_through(self, call: CallView) -> bool:
        if not call.known or call.entered_ns is not None or call.results or call.attempt in self.closed_attempts:
            return True
        overtaken = self.furthest_body is not None and self.furthest_body.place > call.place
        return not call.valid and (overtaken or not (self.running or self.exclusive))

    def line(self, attempt: int) -> ContextLine:
        """Give the context of an attempt at the response."""
        if attempt not in self.lines:
            self.lines[attempt] = ContextLine(self.terms.context or {})
        return self.lines[attempt]

    def deadline_ns(self) -> int | None:
        """Give the next instant at which something must have happened, ``None`` where nothing must."""
        signals_ns, entry_ns = self.aborts.next_ns(), self.agenda.next_ns()
        return entry_ns if signals_ns is None else signals_ns if entry_ns is None else min(signals_ns, entry_ns)

    def move_to(self, t_ns: int) -> None:
        """Let time pass: bodies whose time to obey has run out are abandoned (A9), deadlines are over (X5)."""
        self.now_ns = t_ns
        self.overdue.clear()
        for what, call in self.agenda.pop_until(t_ns):
            if what == "obey":
                self.doom(call)
            else:
                self.overdue.append(call)

    def close_instant(self) -> None:
        """Draw the conclusions of an instant: a body that was to be abandoned and has not left in it, was (A11)."""
        for call in list(self.doomed):
            self.abandon(call)

    def fail(self, call: CallView) -> None:
        """Note that a call has failed; whether a guarded one takes others along shows by its result."""
        certain = self.terms.cascades(call.tool, safe=call.safe)
        if certain or (call.gated and self.terms.cascades(call.tool, safe=False)):
            self.closed_attempts.add(call.attempt)
            self.blamed.add(call.attempt)
        was_stopped = call.signal in ABORTS and call.ended != "error"
        if certain and not call.gated and not was_stopped:
            self.cascade(call)

    def cascade(self, culprit: CallView) -> None:
        """Note that a call takes its siblings along (A2); the first of an attempt to do so is the one that counts."""
        if culprit.attempt not in self.aborts.cascades:
            reach = (call for call in self.running if call.attempt == culprit.attempt)
            row = culprit.rows[-1]
            self.aborts.cascades[culprit.attempt] = self.aborts.make("cascade", row, self.now_ns, reach, culprit)

    def doom(self, call: CallView) -> None:
        """Take a safe body off those that run, unless it leaves at this very instant: then it was over in time."""
        if call in self.running and not call.abandoned:
            self.doomed[call] = None
            if call.safe:
                self.abandoned[call] = self.running.pop(call)

    def abandon(self, call: CallView) -> None:
        """Note that a call is settled although its body is still there (A9)."""
        self.doomed.pop(call, None)
        call.abandoned = True
        if not call.safe:
            self.closed, self.poisoned_by = True, self.poisoned_by or call
            return
        self.running.pop(call, None)
        self.abandoned[call] = None
        if call.signal not in ABORTS:
            self.fail(call)

    def answer(self, call: CallView, at_ns: int, outcome: str) -> None:
        """Note that a call has its result."""
        call.results += ((at_ns, outcome),)
        if len(call.results) == 2:
            self.doubled.append(call)
        self.unanswered.pop(call, None)
        self.gated.pop(call, None)
        failed = outcome in (Outcome.ERROR, Outcome.TIMEOUT)
        if call.gated and failed and call.ended is not None and self.terms.cascades(call.tool, safe=call.safe):
            self.cascade(call)
        self.retire(call)

    def retire(self, call: CallView) -> None:
        """Let go of the rows of calls that were settled long ago: memory does not grow with what they said."""
        if call.results and call not in self.running and call not in self.abandoned and call not in self.background:
            self._recent.append(call)
            if len(self._recent) > RECENT:
                gone = self._recent.popleft()
                gone.forget()
                if gone.said is not None and self.sayings.get(gone.said) is gone:
                    del self.sayings[gone.said]
