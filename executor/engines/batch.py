"""The batch engine: the whole response first, then its calls, batch by batch (SPEC 3)."""

from collections import deque
from collections.abc import Iterable

from ..calls.call import Call
from .core import ToolExecutor
from .schedule import S, Schedule


def partition(calls: Iterable[S]) -> list[list[S]]:
    """Cut calls into batches: neighbouring safe calls share one, each exclusive call is one alone (Q1).

    Args:
        calls: in request order, without those of unknown tools, which split nothing.
    """
    batches: list[list[S]] = []
    for call in calls:
        if call.safe and batches and batches[-1][-1].safe:
            batches[-1].append(call)
        else:
            batches.append([call])
    return batches


class BatchSchedule(Schedule[S]):
    """Admission batch by batch, once the response is complete (Q1, Q2).

    Args:
        limit: how many calls of one batch may execute at once; ``None`` for no limit.
    """

    def __init__(self, limit: int | None) -> None:
        super().__init__(limit)
        self._arrived: list[S] = []
        self._batches: deque[list[S]] = deque()

    def arrive(self, call: S) -> None:
        """Keep a call until the response is complete."""
        self._arrived.append(call)

    def response_complete(self) -> None:
        """Cut the response into batches; the first may start."""
        self._batches.extend(partition(self._arrived))
        self._arrived.clear()
        self._begin_next()

    def settle(self, call: S) -> None:
        """Note that an admitted call is over; with the last of its batch the next one may start."""
        super().settle(call)
        self._begin_next()

    def give_up(self) -> list[S]:
        """Drop what has not started, of this batch and all later ones."""
        later = [call for batch in self._batches for call in batch] + self._arrived
        self._batches.clear()
        self._arrived = []
        return super().give_up() + later

    def _begin_next(self) -> None:
        if self._batches and self.is_idle:
            self._queue.extend(self._batches.popleft())


class BatchToolExecutor(ToolExecutor):
    """Starts calls when the response is complete: neighbouring safe ones together, exclusive ones alone."""

    def _make_schedule(self, limit: int | None) -> Schedule[Call]:
        return BatchSchedule(limit)
