"""A SimPy environment whose clock counts integer nanoseconds.

SimPy's users see seconds (`env.now`, `env.timeout(0.2)`), everything inside is exact. The one rule: at one instant
what comes from outside is taken by `Rank`, and within a rank first-come, or as `pick` says. Unit: ns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import Any

import simpy
from simpy.core import EmptySchedule, StopSimulation
from simpy.events import NORMAL, URGENT, Event, EventPriority, Process, Timeout

from .instant import ns, seconds

_COMPACT_FROM = 64  # cancelled entries; below that a heap is not worth rebuilding


class Rank(IntEnum):
    """The order of what comes from outside at one instant, as SimPy priorities: lower is taken first (SPEC A11)."""

    NORMAL = 1
    """SimPy's own: ends of bodies, answers to questions, and everything a plain SimPy model does."""
    ARRIVAL = 2
    """A block of the response arrives."""
    DEADLINE = 3
    """Timers of the event loop: `call_later`, `call_at`, `asyncio.sleep`, `asyncio.timeout`."""
    STREAM_END = 4
    """The response ends or fails."""
    STOP = 5
    """The user stops or submits; a response is discarded."""


_AFTER_ALL = EventPriority(max(Rank) + 1)

Pick = Callable[[int], int]
"""Told how many events tie, first-come, says which of them is taken next: 0 for the first."""
_Entry = tuple[int, int, int, Event]


class Timed(Event):
    """An event that was set for an instant; those of one instant and rank have no order of their own (A11)."""


class Environment(simpy.Environment):
    """A `simpy.Environment` on integer nanoseconds, with ranked events at exact instants.

    `initial_time` is in seconds. SimPy's processes, resources, stores, conditions and interrupts work unchanged.
    `includes_until=False` lets `run(until=t)` stop before what happens at t, as SimPy's own does (B104).
    `pick` is asked wherever several events that were set for an instant (timeouts, timers of the loop, `at_ns`) tie in
    their rank (SPEC A11); what follows from an event, such as a process's end, is never reordered.

    >>> env = Environment()
    >>> def thrice(env):
    ...     for _ in range(3):
    ...         yield env.timeout(0.1)
    >>> env.run(env.process(thrice(env)))
    >>> env.now, env.now_ns
    (0.3, 300000000)
    """

    _now: int

    def __init__(self, initial_time: float = 0, *, pick: Pick | None = None, includes_until: bool = True) -> None:
        super().__init__(ns(initial_time))
        self._stop_rank = _AFTER_ALL if includes_until else URGENT
        self._cancelled = 0
        self._pick = pick
        self.take: Callable[[list[Any]], Any] = heappop if pick is None else self._take_picked
        """Takes the next entry off the schedule."""

    @property
    def now(self) -> int | float:
        """The present instant in seconds: an `int` when whole, else a `float`."""
        return seconds(self._now)

    @property
    def now_ns(self) -> int:
        """The present instant in nanoseconds."""
        return self._now

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: float = 0) -> None:
        """Schedule a triggered event `delay` seconds ahead; one that is infinitely far ahead never comes.

        Raises ValueError for a negative delay: time does not go backwards (B112).
        """
        at_ns = self._now
        if delay:
            if delay == math.inf:
                return
            if delay < 0:
                raise ValueError(f"expected a delay of 0 s or more, got {delay!r}: time does not go backwards")
            at_ns += ns(delay)
        heappush(self._queue, (at_ns, priority, next(self._eid), event))

    def schedule_ns(self, event: Event, at_ns: int, rank: int) -> None:
        """Schedule a triggered event at an absolute instant. The caller answers for `at_ns` not being in the past."""
        heappush(self._queue, (at_ns, EventPriority(rank), next(self._eid), event))

    def at_ns(self, at_ns: int, value: Any = None, rank: Rank = Rank.NORMAL) -> Event:
        """Return an event that happens at the absolute instant `at_ns` with `value`, among its equals by `rank` (A11).

        Raises ValueError for an instant in the past (B112) and TypeError for one that is no `int`.

        >>> env = Environment()
        >>> order = []
        >>> for rank in (Rank.STOP, Rank.ARRIVAL, Rank.NORMAL):
        ...     env.at_ns(5, rank.name, rank).callbacks.append(lambda event: order.append(event.value))
        >>> env.run()
        >>> order
        ['NORMAL', 'ARRIVAL', 'STOP']
        """
        if not isinstance(at_ns, int):
            raise TypeError(f"expected an instant in whole nanoseconds, got {at_ns!r}: convert seconds with ns()")
        if at_ns < self._now:
            raise ValueError(f"expected an instant from {self._now} ns on (now), got {at_ns} ns: the past is over")
        return self._set(Timed(self), at_ns, rank, value)

    def _set(self, event: Event, at_ns: int, rank: int, value: Any = None) -> Event:
        event._ok = True
        event._value = value
        self.schedule_ns(event, at_ns, rank)
        return event

    def timeout_ns(self, delay_ns: int, value: Any = None, rank: Rank = Rank.NORMAL) -> Event:
        """Return an event that happens `delay_ns` nanoseconds from now; otherwise as `at_ns`."""
        return self.at_ns(self._now + delay_ns, value, rank)

    def interrupt(self, process: Process, cause: object = None, rank: Rank = Rank.STOP) -> None:
        """Interrupt a process at the present instant, after everything of a lower rank has had its turn (A11).

        A process that has ended by then is left alone: what completes at the instant of a stop keeps its result, in
        whatever order the two were created (B105). `process.interrupt()` is SimPy's own: urgent, an error when late.
        """

        def deliver(_: Event) -> None:
            if process.is_alive:
                process.interrupt(cause)

        self._set(Event(self), self._now, rank).callbacks.append(deliver)

    def cancel(self, event: Event) -> None:
        """Withdraw a scheduled event: it never happens and does not prolong the run (B114).

        For timeouts that were abandoned, as by an interrupted process. Who still waits for it waits for ever.
        """
        if event.callbacks is None:
            return
        # SimPy marks an event as over by taking its callbacks; `_drop_cancelled` and `_compact` go by that mark.
        event.callbacks = None  # type: ignore[assignment]
        self._cancelled += 1
        if self._cancelled > _COMPACT_FROM and self._cancelled * 2 > len(self._queue):
            self._compact()

    def _compact(self) -> None:
        self._queue[:] = [entry for entry in self._queue if entry[3].callbacks is not None]
        heapify(self._queue)
        self._cancelled = 0

    def _drop_cancelled(self) -> None:
        queue = self._queue
        while queue and queue[0][3].callbacks is None:
            heappop(queue)
            self._cancelled -= 1

    def peek(self) -> float:
        """Return the instant of the next event in seconds, infinity when there is none."""
        self._drop_cancelled()
        return seconds(self._queue[0][0]) if self._queue else math.inf  # type: ignore[arg-type]

    def next_event_now(self) -> Event | None:
        """Return the event that the next step will process if that is one of the present instant, else None."""
        self._drop_cancelled()
        return self._queue[0][3] if self._queue and self._queue[0][0] == self._now else None

    def _take_picked(self, queue: list[_Entry]) -> _Entry:
        """Take the next entry; where it ties with others, the one that is picked."""
        first = heappop(queue)
        if not _was_timed(first):
            return first
        tied: list[_Entry] = [first]
        rest: list[_Entry] = []
        while queue and queue[0][:2] == first[:2]:
            entry = heappop(queue)
            (tied if _was_timed(entry) else rest).append(entry)
        assert self._pick is not None
        taken = tied.pop(self._pick(len(tied)) if len(tied) > 1 else 0)
        for entry in (*tied, *rest):
            heappush(queue, entry)
        return taken

    def step(self) -> None:
        """Process the next event; cancelled ones are dropped without letting time pass (B114).

        Raises simpy.core.EmptySchedule when nothing is scheduled, and the error of a failed event nobody defused.
        """
        queue = self._queue
        while queue:
            at_ns, _, _, event = self.take(queue)
            if event.callbacks is not None:
                break
            self._cancelled -= 1
        else:
            raise EmptySchedule
        self._now = at_ns
        self.happen(event)

    def happen(self, event: Event) -> None:
        """Run the callbacks of an event that was taken from the schedule."""
        callbacks = event.callbacks
        event.callbacks = None  # type: ignore[assignment]
        try:
            for callback in callbacks:
                callback(event)
        except StopSimulation:
            # As SimPy does: what is left of the event is processed first when the run is resumed.
            event.callbacks = callbacks[callbacks.index(callback) + 1 :]
            self.schedule(event, EventPriority(-1))
            raise
        if not event._ok and not hasattr(event, "_defused"):
            raise copy_of(event._value)

    def run(self, until: float | Event | None = None) -> Any:
        """Run until nothing is scheduled, until an event has happened, or up to and including an instant in seconds.

        All that happens at `until` happens, whatever its rank (B104). Returns the value of an event.
        Raises ValueError for an instant in the past, RuntimeError when the event can no longer happen.

        >>> env = Environment()
        >>> log = []
        >>> env.timeout(5).callbacks.append(lambda _: log.append(env.now))
        >>> env.run(until=5)
        >>> log
        [5]
        """
        if until is None or isinstance(until, Event):
            return super().run(until)
        if until == math.inf:
            return super().run()
        until_ns = ns(until if isinstance(until, int) else float(until))
        if until_ns < self._now:
            raise ValueError(f"until ({until} s) must not be in the past: it is {self.now} s now")
        return super().run(self._set(Event(self), until_ns, self._stop_rank))


def _was_timed(entry: _Entry) -> bool:
    return isinstance(entry[3], (Timed, Timeout)) and entry[3].callbacks is not None


def copy_of(error: BaseException) -> BaseException:
    """Return a copy of an exception with its own traceback, caused by the original, as SimPy hands failures on.

    SimPy builds the copy from `args`, which errors such as `json.JSONDecodeError` do not allow: those stay themselves.
    """
    try:
        copy = type(error)(*error.args)
    except Exception:
        return error
    copy.__cause__ = error
    return copy
