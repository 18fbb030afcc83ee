"""What must have happened by some later instant: bodies that have to obey (A9), deadlines (X5).

The rule: an entry is looked at once, when its instant comes. Times in nanoseconds from the turn's start.
"""

import heapq
from collections.abc import Iterator
from typing import Literal

from .view import CallView

What = Literal["obey", "deadline"]


class Agenda:
    """Entries by instant; at one instant in the order in which they were made.

    >>> agenda = Agenda()
    >>> agenda.add(5, "obey", CallView("a"))
    >>> agenda.next_ns(), [(what, call.id) for what, call in agenda.pop_until(5)], agenda.next_ns()
    (5, [('obey', 'a')], None)
    """

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, What, CallView]] = []
        self._made = 0

    def add(self, at_ns: int, what: What, call: CallView) -> None:
        """Note what a call must have done by an instant."""
        heapq.heappush(self._entries, (at_ns, self._made, what, call))
        self._made += 1

    def next_ns(self) -> int | None:
        """Give the instant of the first entry, ``None`` where there is none."""
        return self._entries[0][0] if self._entries else None

    def pop_until(self, t_ns: int) -> Iterator[tuple[What, CallView]]:
        """Take out the entries of all instants up to this one."""
        while self._entries and self._entries[0][0] <= t_ns:
            _, _, what, call = heapq.heappop(self._entries)
            yield what, call
