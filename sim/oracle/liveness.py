"""L: the turn ends, and nothing of it is left behind.

The rule: what the user does after the end is not the executor's doing; everything else is.
"""

from collections.abc import Iterable

from executor.events import Event, Kind

from .instants import in_words
from .rule import OUTSIDE, Finding, Moment, at_moment, at_rows
from .state import State
from .view import ids_in, listed

_NOBODYS_REST = frozenset({Kind.STOP, Kind.SUBMIT, Kind.HALTED})
_STUBBORN = frozenset({Kind.SIGNALLED, Kind.PROGRESSED, Kind.LEFT})


@at_moment("L1", Moment.LOG_OVER)
def turn_ends(state: State) -> Iterable[Finding]:
    """Every turn ends: no deadlock, no livelock."""
    if state.halted is not None:
        why, waiting = state.halted.detail.get("why", "?"), listed(state.halted, "waiting")
        who = f": {'; '.join(map(str, waiting))}" if waiting else ""
        yield Finding(state.halted.t_ns, tuple(state.running), f"the run was given up, {why}{who}")
    elif state.ended is None:
        yield Finding(state.now_ns, tuple(state.running), "the log ends and the turn has not ended")


@at_rows("L3", *OUTSIDE, needs=[Kind.TURN_ENDED])
def nothing_left_behind(state: State, event: Event) -> Iterable[Finding]:
    """At the turn's end every body has left or is listed as abandoned, and nothing happens afterwards but to those."""
    if state.ended is not None:
        of_the_listed = event.call in state.left_over and event.kind in _STUBBORN
        if event.kind not in _NOBODYS_REST and not of_the_listed:
            calls = (state.call(event.call),) if event.call is not None else ()
            seen = f"{event.kind.value} after the turn had ended at {in_words(state.ended.t_ns)}"
            yield Finding(event.t_ns, calls, f"{event.call}: {seen}" if calls else seen)
    elif event.kind is Kind.TURN_ENDED:
        abandoned = ids_in(event, "abandoned")
        for call in [*state.running, *state.abandoned]:
            if call.id not in abandoned:
                since = in_words(call.entered_ns or 0)
                yield Finding(event.t_ns, (call,), f"{call}, entered at {since}, has not left and is not listed")
