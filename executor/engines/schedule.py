"""Who may start: pure rules, no waiting (E3–E5).

The rule: calls are admitted in arrival order, safe ones side by side, exclusive ones alone. Only the head of the
queue decides, so a pass costs as much as it starts, never as much as the turn is long (E4).
"""

from collections import deque
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar


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
