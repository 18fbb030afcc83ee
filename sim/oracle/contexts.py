"""K1: what each call saw of the context, and what the turn ends with.

The rule: both follow from request order and from what the calls that ended ok have set (C1-C3).
"""

from collections.abc import Iterable, Mapping

from executor.events import Event, Kind

from .rule import Finding, at_rows
from .state import State
from .terms import Terms
from .view import mapped


def _unseen(terms: Terms) -> str | None:
    return None if terms.context is not None else "the header does not tell the turn's first context"


@at_rows("K1", Kind.ENTERED, Kind.TURN_ENDED, needs=[Kind.ENTERED], unfit=_unseen)
def contexts_move_in_order(state: State, event: Event) -> Iterable[Finding]:
    """A call sees the changes of every exclusive call before it and of every safe call before the last of these, in
    request order and no others, and the turn ends with those of all its calls.
    """
    if event.kind is Kind.ENTERED:
        call = state.call(event.call)
        if call.entered_ns is None and call.arrived:
            expected, sees = state.line(call.attempt).seen_by(call.place), mapped(event, "sees")
            if sees != expected:
                yield Finding(event.t_ns, (call,), f"{call} saw {_shown(sees)} where it should see {_shown(expected)}")
    elif state.last_attempt not in state.discarded | state.failed:
        line = state.line(state.last_attempt)
        expected, told = line.at_the_end(), line.told
        if told != expected:
            yield Finding(event.t_ns, (), f"the turn ended with {_shown(told)} where it should be {_shown(expected)}")


def _shown(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in sorted(values.items())) or "nothing"
