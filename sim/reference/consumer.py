"""The reference model's consumer: what it takes, when, and when it leaves (E6–E8, E10).

The rule: progress first, then results in request order, or by the published walk. Times in nanoseconds.
"""

from typing import Protocol

from scenarios.model import Scenario

from .agenda import BODY, Agenda, Entry
from .call import CallState


class Turn(Protocol):
    """What the consumer must know of the turn that it takes from."""

    scenario: Scenario
    agenda: Agenda
    untaken: list[CallState]
    executing: list[CallState]
    discarded: bool

    def abort(self, name: str) -> None:
        """Stop everything, because the consumer leaves."""


class Consumer:
    """Takes what there is, one after the other, each keeping it busy for its time."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._words = turn.scenario.consumer
        self._is_ordered = turn.scenario.options.emission == "ordered"
        self.busy = self.leaves = False
        self.reports: list[tuple[str, int]] = []
        """Progress that nobody has taken yet."""
        self.progress: list[tuple[str, int, int]] = []
        self.emitted: list[tuple[str, str, int]] = []
        self._busy_until: Entry | None = None

    def take_all(self) -> None:
        """Take what can be taken at this instant."""
        while self._take():
            now_ns, busy_ns = self._turn.agenda.now_ns, self._words.takes_ns
            if self._words.leaves_at_ns is not None:
                busy_ns = min(busy_ns, max(0, self._words.leaves_at_ns - now_ns))
            if busy_ns:
                self.busy = True
                self._busy_until = self._turn.agenda.at(now_ns + busy_ns, BODY, self._be_free)
            else:
                self._be_free()

    def _be_free(self) -> None:
        self.busy = False
        after, at_ns = self._words.leaves_after, self._words.leaves_at_ns
        had_enough = after is not None and len(self.emitted) + len(self.progress) == after
        if had_enough or (at_ns is not None and self._turn.agenda.now_ns >= at_ns):
            self.leave()

    def leave(self) -> None:
        """Leave, whatever keeps it busy, and let everything be stopped."""
        if self._busy_until is not None:
            self._turn.agenda.drop(self._busy_until)
        self.leaves, self.busy = True, False
        self._turn.abort("user")

    def _take(self) -> bool:
        """Take the next update, progress first; tells whether there was one."""
        turn = self._turn
        if self.busy or self.leaves or turn.discarded:
            return False
        if self.reports:
            self.progress.append((*self.reports.pop(0), turn.agenda.now_ns))
            return True
        for call in turn.untaken:
            if call.outcome is not None:
                turn.untaken.remove(call)
                self.emitted.append((call.spec.id, call.outcome, turn.agenda.now_ns))
                return True
            if self._is_ordered or (call in turn.executing and not call.safe):
                break
        return False
