"""What is to happen when: instants in order, and an order within an instant (A11).

The rule: one thing at a time, with all it leads to. Times in nanoseconds from the turn's start.
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import TypeVarTuple

BEGINNING, BODY, ARRIVAL, DEADLINE, RESPONSE_END, USER = range(6)
"""The order of what happens at one instant (A11); a body that was let in begins when its cause is over."""


Ts = TypeVarTuple("Ts")


class Entry:
    """Something that is to happen, until it is dropped."""

    __slots__ = ("act", "arguments", "dropped")

    def __init__(self, act: Callable[..., None], arguments: tuple[object, ...]) -> None:
        self.act = act
        self.arguments = arguments
        self.dropped = False


class Agenda:
    """Everything that is to happen.

    >>> agenda, done = Agenda(), []
    >>> for rank in (USER, BODY):
    ...     _ = agenda.at(5, rank, done.append, rank)
    >>> while agenda.do_next():
    ...     pass
    >>> done == [BODY, USER], agenda.now_ns
    (True, 5)
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self._entries: list[tuple[int, int, int, Entry]] = []
        self._count = count()

    def at(self, at_ns: int, rank: int, act: Callable[[*Ts], None], *arguments: *Ts) -> Entry:
        """Put something down for an instant; of one rank, what was put down first comes first."""
        entry = Entry(act, arguments)
        heapq.heappush(self._entries, (at_ns, rank, next(self._count), entry))
        return entry

    def now(self, rank: int, act: Callable[[*Ts], None], *arguments: *Ts) -> Entry:
        """Put something down for the present instant."""
        return self.at(self.now_ns, rank, act, *arguments)

    def do_next(self) -> bool:
        """Do what comes next; tells whether there was anything."""
        while self._entries:
            at_ns, _, _, entry = heapq.heappop(self._entries)
            if not entry.dropped:
                self.now_ns = at_ns
                entry.act(*entry.arguments)
                return True
        return False
