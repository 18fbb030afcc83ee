"""What is to happen when: instants in order, and an order within an instant (A11).

The rule: one thing at a time, with all it leads to. Times in nanoseconds from the turn's start.
"""

import heapq
from collections import deque
from collections.abc import Callable
from typing import TypeVarTuple

BODY, ARRIVAL, DEADLINE, RESPONSE_END, USER = range(5)
"""The order of what happens at one instant (A11)."""


Ts = TypeVarTuple("Ts")


Entry = int
"""The number of something put down, by which it can be dropped."""

_Planned = tuple[int, int, Entry, Callable[..., None], tuple[object, ...]]


class Agenda:
    """Everything that is to happen.

    >>> agenda, done = Agenda(), []
    >>> for rank in (USER, BODY):
    ...     _ = agenda.at(5, rank, done.append, rank)
    >>> agenda.drop(agenda.at(5, ARRIVAL, done.append, ARRIVAL))
    >>> while agenda.do_next():
    ...     pass
    >>> done == [BODY, USER], agenda.now_ns
    (True, 5)
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self._entries: list[_Planned] = []
        self._next: deque[_Planned] = deque()
        self._count = 0
        self._dropped: set[Entry] = set()

    def at(self, at_ns: int, rank: int, act: Callable[[*Ts], None], *arguments: *Ts) -> Entry:
        """Put something down for an instant; of one rank, what was put down first comes first."""
        self._count = number = self._count + 1
        heapq.heappush(self._entries, (at_ns, rank, number, act, arguments))
        return number

    def next(self, act: Callable[[*Ts], None], *arguments: *Ts) -> Entry:
        """Put something down for when its cause is over: before whatever else there is, as a body begins."""
        self._count = number = self._count + 1
        self._next.append((self.now_ns, BODY, number, act, arguments))
        return number

    def now(self, rank: int, act: Callable[[*Ts], None], *arguments: *Ts) -> Entry:
        """Put something down for the present instant."""
        return self.at(self.now_ns, rank, act, *arguments)

    def drop(self, *entries: Entry) -> None:
        """Let nothing come of what was put down; of what is over nothing more comes anyway."""
        self._dropped.update(entries)

    def do_next(self) -> bool:
        """Do what comes next; tells whether there was anything."""
        while self._next or self._entries:
            at_ns, _, number, act, arguments = self._next.popleft() if self._next else heapq.heappop(self._entries)
            if number not in self._dropped:
                self.now_ns = at_ns
                act(*arguments)
                return True
        return False
