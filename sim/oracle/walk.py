"""Goes through a log once, row by row, and says at each step what is asked: a row, an instant's end, the log's end.

The rule: whoever is asked sees the state before the row. Times in nanoseconds from the turn's start.
"""

from collections.abc import Callable, Iterable

from executor.events import Event, Kind

from .reading import take_in
from .rule import Moment
from .state import State

Ask = Callable[[Kind | Moment, Event | None], None]
"""Told of each occasion, with the row if it is one."""


def walk(state: State, events: Iterable[Event], ask: Ask) -> None:
    """Go through a log; each row is looked at once and not kept."""
    for event in events:
        if event.t_ns > state.now_ns:
            while (deadline_ns := state.deadline_ns()) is not None and deadline_ns < event.t_ns:
                _end_instant(state, ask, deadline_ns)
            _end_instant(state, ask, event.t_ns)
        ask(event.kind, event)
        take_in(state, event)
    halted = state.halted
    if halted is not None and halted.detail.get("why") == "deadlock":
        # Nothing is scheduled any more, so the last instant is over although time does not move.
        _end_instant(state, ask, None)
    ask(Moment.LOG_OVER, None)


def _end_instant(state: State, ask: Ask, next_ns: int | None) -> None:
    """Ask about the present instant, and let time pass to the next, if there is one."""
    state.close_instant()
    ask(Moment.INSTANT_OVER, None)
    if next_ns is None or next_ns - state.now_ns > state.terms.tolerance_ns:
        ask(Moment.AT_REST, None)
    state.aborts.judged(state.now_ns)
    if next_ns is not None:
        state.move_to(next_ns)
