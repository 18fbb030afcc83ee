"""The context as the log says it should move on, attempt by attempt (C1-C3).

The rule: what a call sees follows from request order alone: the changes of all calls before the last exclusive one that
stands before it, and that one's own. Values are those of ``left``'s ``sets``, made by bodies that ended ok.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any


class ContextLine:
    """The context of one attempt, from the turn's first one on; places are those of calls in order of arrival."""

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._values = dict(initial)
        self._pending: list[tuple[int, Mapping[str, Any]]] = []
        self._exclusive: deque[int] = deque()
        self.told: Mapping[str, Any] = dict(initial)
        """What the executor last said the context was."""

    def arrive(self, place: int) -> None:
        """Note an exclusive call: its admission is a barrier. One that became so may stand before others (H8)."""
        if self._exclusive and self._exclusive[-1] > place:
            self._exclusive = deque(sorted([*self._exclusive, place]))
        else:
            self._exclusive.append(place)

    def change(self, place: int, sets: Mapping[str, Any], *, exclusive: bool) -> None:
        """Take over what a call sets: at once for an exclusive one, at the next barrier for a safe one."""
        self._pending.append((place, sets))
        if exclusive:
            self._flush(place + 1)

    def seen_by(self, place: int) -> Mapping[str, Any]:
        """Give what a call that enters now should see."""
        barrier: int | None = None
        while self._exclusive and self._exclusive[0] <= place:
            barrier = self._exclusive.popleft()
        if barrier is not None:
            self._flush(barrier)
        return self._values

    def at_the_end(self) -> Mapping[str, Any]:
        """Give what the context should be when the turn ends, which is a barrier too."""
        self._flush(None)
        return self._values

    def _flush(self, before: int | None) -> None:
        if not self._pending:
            return
        later = []
        for place, sets in sorted(self._pending, key=lambda change: change[0]):
            if before is None or place < before:
                self._values |= sets
            else:
                later.append((place, sets))
        self._pending = later
