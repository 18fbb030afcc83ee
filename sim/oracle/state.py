"""The turn as far as its log has told it: what the rules look at.

The rule: one update per row, each in constant time (amortised), so that a verdict costs time linear in the log; rules
read this state and never change it. Times in nanoseconds from the turn's start.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import ClassVar

from executor.calls.outcome import ABORTS, Outcome
from executor.events import Event, Kind

from .terms import Terms
from .view import CallView, ids_in, results_in


class State:
    """Everything the rows so far have told, kept so that each rule finds its answer without searching.

    A body *runs* from ``entered`` to ``left``. One that was signalled and has not left after twice the grace is
    abandoned (A9), as is one whose result says so: a safe one then no longer counts as running, an exclusive one does,
    and nothing may start any more.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.now_ns = 0
        self.count = 0
        self.latest: tuple[int, Event] | None = None
        self.calls: dict[str, CallView] = {}
        self.order: list[CallView] = []
        self.running: dict[CallView, None] = {}
        self.exclusive: dict[CallView, None] = {}
        self.abandoned: dict[CallView, None] = {}
        self.furthest_body: CallView | None = None
        self.furthest_exclusive: CallView | None = None
        self.furthest_result: CallView | None = None
        self.complete: set[int] = set()
        self.failed: set[int] = set()
        self.discarded: set[int] = set()
        self.closed_attempts: set[int] = set()
        self.closed = False
        self.ended: Event | None = None
        self.left_over: frozenset[str] = frozenset()
        self.halted: Event | None = None
        self._doomed: deque[tuple[int, CallView]] = deque()
        self._head = 0

    def call(self, id_: str | None) -> CallView:
        """Give the newest call of that id, an empty view (not kept) where the log has not named it yet."""
        return self.calls.get(id_ or "?") or CallView(id_ or "?")

    def kept(self, call: CallView) -> bool:
        """Tell whether the response that asked for the call is kept, so far."""
        return call.attempt not in self.discarded and call.attempt not in self.failed

    def head(self) -> CallView | None:
        """Give the call whose turn it is to be admitted (E4), ``None`` where nobody waits.

        Calls are passed in order of arrival, each once. An unknown tool's call holds nobody up (E1). One with invalid
        input is exclusive and has no body: it holds the queue until nothing runs, and is then through at once.
        """
        while self._head < len(self.order) and self._is_through(self.order[self._head]):
            self._head += 1
        return self.order[self._head] if self._head < len(self.order) else None

    def _is_through(self, call: CallView) -> bool:
        if not call.known or call.entered_ns is not None or call.results or call.attempt in self.closed_attempts:
            return True
        overtaken = self.furthest_body is not None and self.furthest_body.place > call.place
        return not call.valid and (overtaken or not self.running)

    def deadline_ns(self) -> int | None:
        """Give the next instant at which a signalled body's time to obey runs out, ``None`` where none has to obey."""
        return self._doomed[0][0] if self._doomed else None

    def move_to(self, t_ns: int) -> None:
        """Let time pass: bodies whose time to obey has run out are abandoned (A9)."""
        self.now_ns = t_ns
        while self._doomed and self._doomed[0][0] <= t_ns:
            self._abandon(self._doomed.popleft()[1])

    def apply(self, event: Event) -> None:
        """Take in one row of the outside view."""
        if handler := self._HANDLERS.get(event.kind):
            handler(self, event)
        self.latest = (self.count, event)
        self.count += 1

    def _named(self, event: Event) -> CallView:
        id_ = event.call or "?"
        call = self.calls.setdefault(id_, CallView(id_))
        call.rows.append((self.count, event))
        return call

    def _with_body(self, event: Event) -> CallView:
        """Find whose body a row means where a retried response has reused an id: the one that is still there."""
        newest = call = self._named(event)
        while call not in self.running and call not in self.abandoned:
            if call.namesake is None:
                return newest
            call = call.namesake
        return call

    def _block(self, event: Event) -> None:
        told, earlier = event.detail, self.calls.get(event.call or "?")
        attempt = told.get("attempt", 0)
        if earlier is not None and earlier.arrived:
            if earlier.attempt == attempt:
                return
            self.calls[earlier.id] = CallView(earlier.id, namesake=earlier)
        call = self._named(event)
        call.tool, call.attempt, call.place = str(told.get("tool", "?")), attempt, len(self.order)
        call.request = (attempt, told.get("index", call.place))
        call.known, call.valid = bool(told.get("known", True)), bool(told.get("valid", True))
        of_the_tool = self.terms.tools.get(call.tool, {}).get("safe", False)
        call.safe = call.valid and bool(told.get("safe", of_the_tool))
        self.order.append(call)

    def _entered(self, event: Event) -> None:
        call = self._named(event)
        if call.entered_ns is None:
            call.entered_ns = event.t_ns
        self.running[call] = None
        if self.furthest_body is None or call.place > self.furthest_body.place:
            self.furthest_body = call
        if not call.safe:
            self.exclusive[call] = None
            if self.furthest_exclusive is None or call.place > self.furthest_exclusive.place:
                self.furthest_exclusive = call

    def _signalled(self, event: Event) -> None:
        call, reason = self._with_body(event), str(event.detail.get("reason"))
        if call.signal is None and self.terms.grace_ns is not None:
            self._doomed.append((event.t_ns + 2 * self.terms.grace_ns, call))
        call.signal = call.signal or reason
        if reason == Outcome.USER_INTERRUPTED:
            self.closed = True
        elif reason in ABORTS:
            self.closed_attempts.add(call.attempt)

    def _left(self, event: Event) -> None:
        call = self._with_body(event)
        for bodies in (self.running, self.exclusive, self.abandoned):
            bodies.pop(call, None)
        if event.detail.get("ended") != "ok":
            self._failed(call)

    def _failed(self, call: CallView) -> None:
        if self.terms.cascades(call.tool, safe=call.safe):
            self.closed_attempts.add(call.attempt)

    def _abandon(self, call: CallView) -> None:
        if call not in self.running:
            return
        if not call.safe:
            self.closed = True
            return
        self.abandoned[call] = self.running.pop(call)
        self._failed(call)

    def _emitted(self, event: Event) -> None:
        for _, outcome in results_in(event):
            call = self._named(event)
            call.results.append((event.t_ns, outcome))
            if self.furthest_result is None or call.request > self.furthest_result.request:
                self.furthest_result = call
            if event.detail.get("abandoned"):
                self._abandon(call)

    def _turn_ended(self, event: Event) -> None:
        if self.ended is None:
            self.ended, self.left_over = event, ids_in(event, "abandoned")
        for id_, outcome in results_in(event):
            call = self.call(id_)
            if call.attempt not in self.discarded:
                call.results.append((event.t_ns, outcome))

    def _response_ended(self, event: Event) -> None:
        self.complete.add(event.detail.get("attempt", 0))

    def _response_dropped(self, event: Event) -> None:
        attempt = event.detail.get("attempt", 0)
        (self.discarded if event.kind is Kind.DISCARD else self.failed).add(attempt)
        self.closed_attempts.add(attempt)

    def _user_acted(self, event: Event) -> None:
        self.closed = self.closed or event.kind is Kind.STOP or bool(event.detail.get("took_effect"))

    def _halted(self, event: Event) -> None:
        self.halted = self.halted or event

    _HANDLERS: ClassVar[Mapping[Kind, Callable[["State", Event], None]]] = {
        Kind.BLOCK: _block,
        Kind.RESPONSE_ENDED: _response_ended,
        Kind.RESPONSE_FAILED: _response_dropped,
        Kind.ENTERED: _entered,
        Kind.SIGNALLED: _signalled,
        Kind.LEFT: _left,
        Kind.EMITTED: _emitted,
        Kind.STOP: _user_acted,
        Kind.SUBMIT: _user_acted,
        Kind.DISCARD: _response_dropped,
        Kind.TURN_ENDED: _turn_ended,
        Kind.HALTED: _halted,
    }
