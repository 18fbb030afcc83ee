"""What stops bodies and keeps others from starting, as far as the log has told (SPEC 5).

The rule: an abort counts from its own row on, and owes a signal to each body in its reach that runs then and has none.
Times in nanoseconds from the turn's start.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from executor.events import Event

from .view import CallView

What = Literal["stop", "submit", "refusal", "discard", "cascade"]


@dataclass(slots=True, eq=False)
class Abort:
    """One abort: what it was, its row, until when its signals must have fired, and whose fault it was."""

    what: What
    row: tuple[int, Event]
    at_ns: int
    due_ns: int
    by: CallView | None
    owed: dict[CallView, None] = field(default_factory=dict)

    def missed(self, running: Collection[CallView]) -> Iterator[CallView]:
        """Give the bodies that still run without having been signalled."""
        return (call for call in self.owed if call.signal is None and call in running)


class Aborts:
    """The aborts of one turn, the first of each kind: later ones find nobody they could stop.

    ``stopped`` is the user's stop or a refusal that rose (A4), ``submitted`` a submit that took effect; ``cascades``
    and ``discards`` go by attempt.
    """

    def __init__(self, tolerance_ns: int) -> None:
        self.stopped: Abort | None = None
        self.submitted: Abort | None = None
        self.cascades: dict[int, Abort] = {}
        self.discards: dict[int, Abort] = {}
        self._tolerance_ns = tolerance_ns
        self._fresh: list[Abort] = []

    def make(
        self, what: What, row: tuple[int, Event], at_ns: int, reach: Iterable[CallView], by: CallView | None = None
    ) -> Abort:
        """Make an abort that reaches these bodies; those that have been signalled before are owed nothing."""
        owed = {call: None for call in reach if call.signal is None}
        abort = Abort(what, row, at_ns, at_ns + self._tolerance_ns, by, owed)
        if owed:
            self._fresh.append(abort)
        return abort

    def due(self, now_ns: int, *whats: What) -> list[Abort]:
        """Give the aborts of some kinds whose signals must have fired by now."""
        return [abort for abort in self._fresh if abort.due_ns <= now_ns and abort.what in whats]

    def next_ns(self) -> int | None:
        """Give the next instant at which signals must have fired, ``None`` where none is owed."""
        return min(abort.due_ns for abort in self._fresh) if self._fresh else None

    def judged(self, now_ns: int) -> None:
        """Note that the instant is over and what was due in it has been judged."""
        if self._fresh:
            self._fresh = [abort for abort in self._fresh if abort.due_ns > now_ns]
