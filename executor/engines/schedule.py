"""Who may start, and what may be handed on: pure rules, no waiting (E3–E7).

The rule: calls are admitted in arrival order, safe ones side by side, exclusive ones alone. Only the head of the
queue decides, so a pass costs as much as it starts, never as much as the turn is long (E4).
"""

import heapq
from collections import deque
from collections.abc import Sequence
from typing import Generic, Literal, Protocol, TypeVar

EmissionOrder = Literal["ordered", "eager"]
"""``ordered``: results in request order. ``eager``: the published walk, which lets a finished call pass (E6)."""


class Schedulable(Protocol):
    """What a schedule needs to know of a call."""

    @property
    def safe(self) -> bool:
        """Whether it may run beside other safe calls."""


S = TypeVar("S", bound=Schedulable)


class Schedule(Generic[S]):
    """The streaming engine's admission: first come, first served.

    Args:
        limit: how many calls may execute at once; ``None`` for no limit.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._queue: deque[S] = deque()
        self._executing = 0
        self._exclusive: list[S] = []

    @property
    def exclusive(self) -> Sequence[S]:
        """The exclusive calls that hold their place: one at most, unless calls became exclusive after admission."""
        return self._exclusive

    @property
    def is_idle(self) -> bool:
        """Whether nothing executes and nothing waits in the queue."""
        return self._executing == 0 and not self._queue

    def arrive(self, call: S) -> None:
        """Put a call at the end of the queue."""
        self._queue.append(call)

    def response_complete(self) -> None:
        """Note that no further call arrives; it changes nothing for calls that come and go as they arrive."""

    def admit_next(self) -> S | None:
        """Admit the call at the queue's head if it may start now (E3), ``None`` if it must wait."""
        if not self._queue:
            return None
        call = self._queue[0]
        if self._executing and (not call.safe or self._exclusive or self._executing == self._limit):
            return None
        self._executing += 1
        if not call.safe:
            self._exclusive.append(call)
        return self._queue.popleft()

    def harden(self, call: S) -> None:
        """Note that an admitted call became exclusive: nothing is admitted until it is over (H8)."""
        self._exclusive.append(call)

    def settle(self, call: S) -> None:
        """Note that an admitted call is over."""
        self._executing -= 1
        if self._exclusive and call in self._exclusive:
            self._exclusive.remove(call)

    def give_up(self) -> list[S]:
        """Empty the queue and return what was in it, in arrival order: nothing queued starts any more."""
        queued = list(self._queue)
        self._queue.clear()
        return queued


class Emission:
    """Which finished calls may be handed on, by their place in request order (E6).

    Args:
        order: see :data:`EmissionOrder`.

    >>> emission = Emission("ordered")
    >>> emission.complete(1), emission.take(None)
    (None, None)
    >>> emission.complete(0), emission.take(None), emission.take(None)
    (None, 0, 1)
    """

    def __init__(self, order: EmissionOrder) -> None:
        self.is_ordered = order == "ordered"
        self._completed: list[int] = []
        self._next = 0

    def complete(self, index: int) -> None:
        """Note that the call at ``index`` has its result."""
        heapq.heappush(self._completed, index)

    def may_take(self, exclusive: int | None) -> bool:
        """Whether a result may be handed on; ``exclusive`` is the index of the executing exclusive call."""
        if not self._completed:
            return False
        first = self._completed[0]
        return first == self._next if self.is_ordered else exclusive is None or first < exclusive

    def take(self, exclusive: int | None) -> int | None:
        """Take the index of the result to hand on next, ``None`` if there is none now."""
        if not self.may_take(exclusive):
            return None
        self._next += 1
        return heapq.heappop(self._completed)
