"""F: what users do to a turn: stop, refuse, submit; and what becomes of a response that is given up.

The rule: each of them counts from its own row on, at its instant (A11).
"""

from collections.abc import Iterable
from typing import Final

from executor.calls.outcome import ABORTS, Outcome
from executor.events import Event, Kind

from .aborts import Abort
from .failures import unsignalled
from .instants import in_words
from .rule import Finding, Moment, at
from .state import State
from .view import CallView, ids_in, results_in

BODIES: Final = (Kind.ENTERED,)


def _by(abort: Abort) -> str:
    return f"{abort.by} was refused" if abort.by is not None else f"the user's {abort.what}"


def _entered_after(event: Event, call: CallView, abort: Abort) -> Finding:
    seen = f"{call} was entered after {_by(abort)} at {in_words(abort.at_ns)}"
    return Finding(event.t_ns, (call,), seen, (abort.row,))


@at("F4", Kind.ENTERED, Kind.TURN_ENDED, Moment.INSTANT_OVER, needs=BODIES)
def a_stop_ends_the_turn(state: State, event: Event | None) -> Iterable[Finding]:
    """After a stop or a refusal no body is entered and every call has a result; a refusal stops what runs at once."""
    stopped = state.aborts.stopped
    if event is None:
        for abort in state.aborts.due(state.now_ns, "refusal"):
            yield from unsignalled(state, abort, _by(abort))
    elif stopped is not None and event.kind is Kind.ENTERED:
        yield _entered_after(event, state.call(event.call), stopped)
    elif stopped is not None and state.ended is None:
        closed_with = {id_ for id_, _ in results_in(event)}
        for call in filter(state.kept, state.unanswered):
            if call.id not in closed_with:
                yield Finding(
                    event.t_ns, (call,), f"{call} has no result although the turn was stopped", (stopped.row,)
                )


@at("F5", Kind.SUBMIT, Kind.ENTERED, Kind.SIGNALLED, Kind.EMITTED, Kind.TURN_ENDED, Moment.INSTANT_OVER, needs=BODIES)
def users_are_obeyed(state: State, event: Event | None) -> Iterable[Finding]:
    """A stop stops all that runs; a submit takes effect if all that runs may be cut off or it is forced, and then stops
    that and leaves the rest in peace; nothing queued starts after it, and what never ran is said to be interrupted.
    """
    submitted = state.aborts.submitted
    if event is None:
        for abort in state.aborts.due(state.now_ns, "stop", "submit"):
            yield from unsignalled(state, abort, f"there was {_by(abort)}")
    elif event.kind is Kind.SUBMIT:
        yield from _wrong_effect(state, event)
    elif event.kind is Kind.ENTERED:
        call = state.call(event.call)
        if submitted is not None and not _was_left_in_peace(state, call, submitted):
            yield _entered_after(event, call, submitted)
    elif event.kind is Kind.SIGNALLED:
        yield from _disturbed(state, event)
    else:
        yield from _misnamed(state, event)


def _was_left_in_peace(state: State, call: CallView, submitted: Abort) -> bool:
    """Whether the call may have stood before its body when the user submitted, which stops no such call (A7).

    On a real clock a moment lies between any admission and its body, and the user may have chosen that one.
    """
    had_arrived = bool(call.rows) and call.rows[0][0] < submitted.row[0]
    at_its_door = call.gated or state.now_ns - submitted.at_ns < state.terms.tolerance_ns
    return at_its_door and had_arrived and state.terms.interrupt(call.tool) == "block"


def _wrong_effect(state: State, event: Event) -> Iterable[Finding]:
    forced, took_effect = bool(event.detail.get("force")), bool(event.detail.get("took_effect"))
    interrupts = {call: state.terms.interrupt(call.tool) for call in state.running}
    if state.ended is not None or None in interrupts.values():
        return
    blocking = tuple(call for call, how in interrupts.items() if how == "block")
    if forced or took_effect:
        if forced and not took_effect and len(blocking) < len(interrupts):
            yield Finding(
                event.t_ns, tuple(interrupts), "a forced submit took no effect although calls could be stopped"
            )
        elif took_effect and not forced and blocking:
            yield Finding(event.t_ns, blocking, f"a submit took effect although {blocking[0]} must not be cut off")
        elif took_effect and not forced and not interrupts and not state.gated:
            yield Finding(event.t_ns, (), "a submit took effect although nothing ran that it could stop")
    elif interrupts and not blocking and not state.gated:
        yield Finding(event.t_ns, tuple(interrupts), "a submit took no effect although all that ran could be stopped")


def _disturbed(state: State, event: Event) -> Iterable[Finding]:
    call, submitted = state.call(event.call), state.aborts.submitted
    interrupted = event.detail.get("reason") == Outcome.USER_INTERRUPTED and call.signal is None
    only_submitted = submitted is not None and state.aborts.stopped is None and not state.consumer_left
    if interrupted and only_submitted and submitted is not None and state.terms.interrupt(call.tool) == "block":
        seen = f"{call} was signalled by a submit at {in_words(submitted.at_ns)}, though it must not be cut off"
        yield Finding(event.t_ns, (call,), seen, (submitted.row,))


def _misnamed(state: State, event: Event) -> Iterable[Finding]:
    abort = state.aborts.stopped or state.aborts.submitted
    if abort is None:
        return
    for id_, outcome in results_in(event):
        call = state.call(id_)
        kept_out = call.may_run and call.entered_ns is None and call.arrived and not call.gated and not call.results
        if kept_out and outcome not in ABORTS:
            seen = f"{call} never ran after {_by(abort)}, and is reported as {outcome}"
            yield Finding(event.t_ns, (call,), seen, (abort.row,))


@at("F6", Kind.ENTERED, Kind.EMITTED, Kind.DISCARD, Moment.INSTANT_OVER)
def a_discard_is_final(state: State, event: Event | None) -> Iterable[Finding]:
    """After a discard nothing of that response is emitted and none of its bodies is entered, those that run are
    signalled at once and their effects told, and its successor starts nothing before they are over.
    """
    if event is None:
        for abort in state.aborts.due(state.now_ns, "discard"):
            yield from unsignalled(state, abort, "its response was discarded")
    elif event.kind is Kind.DISCARD:
        yield from _untold_effects(state, event)
    else:
        call = state.call(event.call)
        discard = state.aborts.discards.get(call.attempt)
        if discard is not None and call.arrived:
            what = "was entered" if event.kind is Kind.ENTERED else f"{event.detail.get('what')} was emitted"
            seen = f"{call}: {what} after its response had been discarded at {in_words(discard.at_ns)}"
            yield Finding(event.t_ns, (call,), seen, (discard.row,))
        elif event.kind is Kind.ENTERED:
            first = next(iter(state.running), call)
            if first.attempt in state.discarded and first.attempt < call.attempt:
                seen = f"{call} was entered while {first} of a discarded response still runs"
                yield Finding(event.t_ns, (call, first), seen)


def _untold_effects(state: State, event: Event) -> Iterable[Finding]:
    told = ids_in(event, "effects")
    for call in state.of_attempt(event.detail.get("attempt", 0)):
        if call.entered_ns is not None and not call.safe and call.id not in told:
            yield Finding(event.t_ns, (call,), f"{call} was discarded, and what its body may have done is not told")
