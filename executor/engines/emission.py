"""Which finished calls may be handed on, by their place in request order: pure rules, no waiting (E6).

The rule: what is handed on costs the same however many calls wait for their turn.
"""

import heapq
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

EmissionOrder = Literal["ordered", "eager"]
"""``ordered``: results in request order. ``eager``: the published walk, which lets a finished call pass (E6)."""

T = TypeVar("T")


class Emission(Generic[T]):
    """Finished calls that wait to be handed on, each when all calls before it have been.

    >>> emission = Emission()
    >>> emission.complete(1, "b"), emission.take()
    (None, None)
    >>> emission.complete(0, "a"), emission.take(), emission.take()
    (None, 'a', 'b')
    """

    __slots__ = ("_finished", "_next")

    def __init__(self) -> None:
        self._finished: dict[int, T] = {}
        self._next = 0

    @property
    def waiting(self) -> list[T]:
        """What is finished and not handed on, in request order (E12)."""
        return [self._finished[index] for index in sorted(self._finished)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits to be handed on."""
        return not self._finished

    def complete(self, index: int, call: T) -> None:
        """Note that the call at ``index`` has its result."""
        self._finished[index] = call

    def may_take(self) -> bool:
        """Whether a result may be handed on now."""
        return self._next in self._finished

    def take(self) -> T | None:
        """Take the call whose result is to be handed on next, ``None`` if there is none now."""
        call = self._finished.pop(self._next, None)
        if call is not None:
            self._next += 1
        return call


class EagerEmission(Emission[T]):
    """Finished calls that wait to be handed on, each as soon as no exclusive call executes before it.

    Args:
        exclusive: gives the place of the first exclusive call that executes.
    """

    __slots__ = ("_exclusive", "_order")

    def __init__(self, exclusive: Callable[[], int | None]) -> None:
        super().__init__()
        self._exclusive = exclusive
        self._order: list[int] = []

    def complete(self, index: int, call: T) -> None:
        """Note that the call at ``index`` has its result."""
        super().complete(index, call)
        heapq.heappush(self._order, index)

    def may_take(self) -> bool:
        """Whether a result may be handed on now."""
        if not self._order:
            return False
        exclusive = self._exclusive()
        return exclusive is None or self._order[0] < exclusive

    def take(self) -> T | None:
        """Take the call whose result is to be handed on next, ``None`` if there is none now."""
        return self._finished.pop(heapq.heappop(self._order)) if self.may_take() else None
