"""What the replayed turns of one session, or of many, amount to. Unit: nanoseconds.

The rule: engines are compared over the turns whose every makespan is known and whose recording agrees with the classes
assumed, and it is said how many those are and why the others are not.
"""

import heapq
from collections import Counter
from dataclasses import dataclass, field

from scenarios.expect import ENGINES
from scenarios.traces.builtins import is_known
from scenarios.traces.choosing import Choice
from scenarios.traces.model import RecordedCall, RecordedTurn
from sim.oracle import Violation

from .replay import ReplayedTurn

SLOWEST = 5
"""How many of the slowest calls are kept."""


@dataclass(slots=True)
class Session:
    """The sums of a session; feed it turn by turn.

    ``spans_ns`` holds, by ``recorded`` and each engine, the sum of makespans over the ``compared`` turns; ``left_out``
    says why others are not among them. ``together`` counts the calls that share their response with others, ``waits``
    those whose time is known to hold a wait for a person, ``logs`` the turns that are whole event logs. ``bases`` tells
    how the starts were found, ``safe`` and ``exclusive`` the classes assumed, by tool, ``profiles`` how the turns were
    run.
    """

    turns: int = 0
    calls: int = 0
    together: int = 0
    compared: int = 0
    waits: int = 0
    logs: int = 0
    spans_ns: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    bases: Counter[str] = field(default_factory=Counter)
    profiles: Counter[Choice] = field(default_factory=Counter)
    safe: Counter[str] = field(default_factory=Counter)
    exclusive: Counter[str] = field(default_factory=Counter)
    violations: list[tuple[RecordedTurn, Violation]] = field(default_factory=list)
    simulated: list[tuple[RecordedTurn, Violation]] = field(default_factory=list)
    unanswered: list[tuple[RecordedTurn, str]] = field(default_factory=list)
    slowest: list[tuple[int, int, RecordedCall]] = field(default_factory=list)
    """Duration, a number that breaks ties, and the call; slowest first."""
    widest: ReplayedTurn | None = None
    """The turn with the most calls, the longest among equals: the one worth a picture."""

    def add(self, replayed: ReplayedTurn) -> None:
        """Count one turn in."""
        turn = replayed.turn
        self.turns += 1
        self.calls += len(turn.calls)
        self.logs += turn.log is not None
        self.profiles[turn.choice] += 1
        self.together += len(turn.calls) if len(turn.calls) > 1 else 0
        self.violations += [(turn, violation) for violation in replayed.violations]
        self.simulated += [(turn, violation) for violation in replayed.simulated]
        self.unanswered += [(turn, call) for call in replayed.unanswered]
        self._compare(replayed)
        for call in turn.calls:
            self._add_call(call, known=turn.log is not None or is_known(call.tool, turn.choice.assumed.program))
        if self.widest is None or width(replayed) > width(self.widest):
            self.widest = replayed

    @property
    def saving_ns(self) -> int:
        """What streaming saves against batch over the compared turns."""
        return self.spans_ns["batch"] - self.spans_ns["streaming"]

    def _compare(self, replayed: ReplayedTurn) -> None:
        spans = replayed.makespan_ns
        known = {name: span for name in ("recorded", *ENGINES) if (span := spans[name]) is not None}
        if replayed.why_unknown is not None or len(known) <= len(ENGINES):
            self.left_out[replayed.why_unknown or "a time is unknown"] += 1
        elif replayed.refutes_its_classes:
            self.left_out["calls ran side by side that the assumed classes keep apart"] += 1
        else:
            self.compared += 1
            self.spans_ns.update(known)

    def _add_call(self, call: RecordedCall, *, known: bool) -> None:
        self.bases[call.start_basis] += 1
        tool = call.tool if known else f"{call.tool} (unknown)"
        (self.safe if call.safe else self.exclusive)[tool] += 1
        self.waits += call.permission_wait
        if call.duration_ns is not None:
            self.slowest = heapq.nlargest(
                SLOWEST, [*self.slowest, (call.duration_ns, -self.calls, call)], key=_slowness
            )


def width(replayed: ReplayedTurn) -> tuple[int, int]:
    """Order turns by how much there is to see: by calls, then by length."""
    return len(replayed.turn.calls), replayed.turn.makespan_ns or 0


def _slowness(row: tuple[int, int, RecordedCall]) -> tuple[int, int]:
    return row[:2]
