"""F: whom a failure takes along, whom it spares, and what is told of it.

The rule: nobody is stopped, kept from starting or reported as stopped without a cause that the log tells.
"""

from collections.abc import Iterable
from typing import Final

from executor.calls.outcome import ABORTS, Outcome
from executor.events import Event, Kind

from .aborts import Abort
from .instants import in_words
from .rule import Finding, Moment, at, at_rows
from .state import State
from .view import CallView, results_in

BODIES: Final = (Kind.ENTERED, Kind.LEFT)
STOPPED: Final = ABORTS | {Outcome.TIMEOUT}


def unsignalled(state: State, abort: Abort, because: str) -> Iterable[Finding]:
    """Find the bodies that an abort should have signalled by now."""
    for call in abort.missed(state.running):
        blamed = (call,) if abort.by is None else (call, abort.by)
        yield Finding(state.now_ns, blamed, f"{call} runs on and was not signalled when {because}", (abort.row,))


@at("F1", Kind.ENTERED, Kind.EMITTED, Kind.TURN_ENDED, Moment.INSTANT_OVER, needs=BODIES)
def a_cascade_stops_all(state: State, event: Event | None) -> Iterable[Finding]:
    """After a cascading error no body of that response is entered, each running one is signalled at once, and who was
    kept from running or stopped has a synthetic result.
    """
    if event is None:
        for abort in state.aborts.due(state.now_ns, "cascade"):
            yield from unsignalled(state, abort, f"{abort.by} failed")
    elif event.kind is Kind.ENTERED:
        call = state.call(event.call)
        cascade = state.aborts.cascades.get(call.attempt)
        if cascade is not None and cascade.by is not None:
            seen = f"{call} was entered after {cascade.by} had failed at {in_words(cascade.at_ns)}"
            yield Finding(event.t_ns, (call, cascade.by), seen, (cascade.row,))
    else:
        for id_, outcome in results_in(event):
            call = state.call(id_)
            cascade = state.aborts.cascades.get(call.attempt)
            if cascade is None or cascade.by is None or cascade.by is call or call.results:
                continue
            if call in cascade.owed and not _returned(call) and outcome not in STOPPED:
                seen = f"{call} was stopped when {cascade.by} failed, and its result says {outcome}"
                yield Finding(event.t_ns, (call, cascade.by), seen, (cascade.row,))


def _returned(call: CallView) -> bool:
    """Whether the body came to its own end: what it brought is its result (A6)."""
    return call.ended in ("ok", "error", "background") or (call.ended is not None and call.signal is None)


@at_rows("F2", Kind.SIGNALLED, Kind.EMITTED, Kind.TURN_ENDED, needs=[Kind.ENTERED])
def nobody_suffers_for_nothing(state: State, event: Event) -> Iterable[Finding]:
    """Nobody is stopped or kept from running by an error that does not cascade, invalid input, a denial or a hook: a
    sibling error has its culprit, and an interruption its user.
    """
    if event.kind is Kind.SIGNALLED and event.detail.get("reason") == Outcome.SIBLING_ERROR:
        yield from _without_cause(state, state.call(event.call), Outcome.SIBLING_ERROR, event.t_ns, "signalled")
    for id_, outcome in results_in(event):
        call = state.call(id_)
        if event.detail.get("how") != "left" and call.signal != outcome:
            yield from _without_cause(state, call, outcome, event.t_ns, "answered")
    if event.kind is Kind.TURN_ENDED and event.detail.get("how") != "left":
        for at_ns, call in state.interrupted:
            yield from _without_cause(state, call, Outcome.USER_INTERRUPTED, at_ns, "signalled")


def _without_cause(state: State, call: CallView, reason: str, at_ns: int, how: str) -> Iterable[Finding]:
    if state.is_poisoned:
        return  # Beside an abandoned exclusive call nobody starts, and each is answered somehow (A9).
    if reason == Outcome.SIBLING_ERROR and call.attempt not in state.blamed:
        missing = "no call of its response had failed in a way that cascades"
    elif reason == Outcome.USER_INTERRUPTED and not state.user_acted:
        missing = "nobody had stopped the turn"
    else:
        return
    yield Finding(at_ns, (call,), f"{call} was {how} with {reason}, and {missing}")


@at_rows("F3", Kind.EMITTED, Kind.TURN_ENDED, needs=BODIES)
def the_truth_is_told(state: State, event: Event) -> Iterable[Finding]:
    """Nothing that ran to its end is reported as stopped, the culprit of a cascade keeps its own result, and nothing is
    reported as done that was not.
    """
    for id_, outcome in results_in(event):
        call = state.call(id_)
        in_time = call.left_ns is not None and (call.doom_ns is None or call.left_ns <= call.doom_ns)
        gave_up = event.detail.get("abandoned") and call.left_ns == call.doom_ns
        if call.results or call.attempt in state.discarded or gave_up or not call.arrived:
            continue
        if in_time and outcome in STOPPED and _returned(call):
            seen = (
                f"{call} ended by itself ({call.ended}) at {in_words(call.left_ns or 0)}, and is reported as {outcome}"
            )
        elif outcome == Outcome.OK and call.ended not in ("ok", "background"):
            body = "has not left its body" if call.entered_ns is not None else "had no body"
            seen = f"{call} {body if call.ended is None else f'ended in {call.ended}'}, and is reported as ok"
        else:
            continue
        yield Finding(event.t_ns, (call,), seen)
