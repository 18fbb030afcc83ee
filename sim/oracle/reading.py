"""How each row of a log moves the state on.

The rule: one update per row, each in constant time (amortised), so that a verdict costs time linear in the log. Times
in nanoseconds from the turn's start.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from executor.calls.outcome import ABORTS, Outcome
from executor.events import INSIDE, Event, Kind

from .aborts import Abort, What
from .state import State
from .view import STATUSES, CallView, ids_in, mapped, results_in


def take_in(state: State, event: Event) -> None:
    """Take in one row."""
    if reader := _READERS.get(event.kind):
        reader(state, event)
    if event.kind not in INSIDE:
        state.latest = (state.count, event)
    state.count += 1


def _named(state: State, event: Event) -> CallView:
    id_ = event.call or "?"
    call = state.calls.get(id_)
    if call is None:
        call = state.calls[id_] = CallView(id_)
    call.note(state.count, event)
    return call


def _with_body(state: State, event: Event) -> CallView:
    """Find whose body a row means where a retried response has reused an id: the one that is still there."""
    newest = call = _named(state, event)
    while call not in state.running and call not in state.abandoned:
        if call.namesake is None:
            return newest
        call = call.namesake
    return call


def _block(state: State, event: Event) -> None:
    told, earlier = event.detail, state.calls.get(event.call or "?")
    attempt = told.get("attempt", 0)
    if earlier is not None and earlier.arrived:
        if earlier.attempt == attempt:
            return
        state.calls[earlier.id] = CallView(earlier.id, namesake=earlier)
    call = _named(state, event)
    call.tool, call.attempt, call.place = str(told.get("tool", "?")), attempt, state.arrivals
    call.index = told.get("index", call.place)
    call.known, call.valid = bool(told.get("known", True)), bool(told.get("valid", True))
    of_the_tool = state.terms.tools.get(call.tool, {}).get("safe", False)
    call.safe = call.valid and bool(told.get("safe", of_the_tool))
    call.gated = bool(told.get("gated", False))
    if call.known and not call.safe:
        state.line(attempt).arrive(call.place)
    state.last_attempt = max(state.last_attempt, attempt)
    state.arrivals += 1
    state.queue.append(call)
    if not call.results:
        state.unanswered[call] = None
    if call.gated:
        state.gated[call] = None


def _entered(state: State, event: Event) -> None:
    call = _named(state, event)
    if call.entered_ns is None:
        call.entered_ns = event.t_ns
    # What hooks and people gave instead of the model's input can only be stricter (H8).
    call.safe = call.safe and bool(event.detail.get("safe", True))
    state.running[call] = None
    if state.furthest_body is None or call.place > state.furthest_body.place:
        state.furthest_body = call
    if not call.safe:
        state.exclusive[call] = None
        if state.furthest_exclusive is None or call.place > state.furthest_exclusive.place:
            state.furthest_exclusive = call
    if call.admitted_ns is None:
        _start_deadline(state, call, event.t_ns)


def _start_deadline(state: State, call: CallView, from_ns: int) -> None:
    limit_ns = state.terms.deadline_ns(call.tool)
    if limit_ns is not None:
        call.deadline_ns = from_ns + limit_ns
        state.agenda.add(call.deadline_ns + state.terms.tolerance_ns, "deadline", call)


def _signalled(state: State, event: Event) -> None:
    call, reason = _with_body(state, event), str(event.detail.get("reason"))
    if call.signal is None and state.terms.grace_ns is not None:
        call.doom_ns = event.t_ns + 2 * state.terms.grace_ns
        state.agenda.add(call.doom_ns, "obey", call)
    call.signal = call.signal or reason
    if reason == Outcome.USER_INTERRUPTED:
        state.closed = True
        if not state.user_acted:
            # Where a consumer has left, a log may tell it by the turn's end only.
            state.interrupted.append((event.t_ns, call))
    elif reason in ABORTS:
        state.closed_attempts.add(call.attempt)


def _left(state: State, event: Event) -> None:
    call, ended = _with_body(state, event), str(event.detail.get("ended"))
    for bodies in (state.running, state.exclusive, state.abandoned, state.doomed):
        bodies.pop(call, None)
    call.left_ns, call.ended, state.last_end = event.t_ns, ended, call
    if ended == "background" and not call.abandoned:
        state.background[call] = None
        if not call.safe and not event.detail.get("detached"):
            state.exclusive[call] = None
    elif ended != "ok" and not call.abandoned:
        state.fail(call)
    if isinstance(said := event.detail.get("said"), str):
        call.said = said
        state.sayings[said] = call
    if ended == "ok" and not call.abandoned and (sets := mapped(event, "sets")):
        state.line(call.attempt).change(call.place, sets, exclusive=not call.safe or call.hardened)
    state.retire(call)


def _work_ended(state: State, event: Event) -> None:
    call = _named(state, event)
    state.background.pop(call, None)
    if call not in state.running:
        state.exclusive.pop(call, None)
    state.retire(call)


def _progressed(state: State, event: Event) -> None:
    call = _with_body(state, event)
    if call in state.running and call.attempt not in state.discarded:
        call.reported += 1
        if not state.consumer_left:
            state.untaken[call] = None


def _emitted(state: State, event: Event) -> None:
    call = _named(state, event)
    if event.detail.get("what") == "progress":
        call.taken += 1
        if call.taken >= call.reported:
            state.untaken.pop(call, None)
    for _, outcome in results_in(event):
        state.answer(call, event.t_ns, outcome)
        if state.furthest_result is None or call.request > state.furthest_result.request:
            state.furthest_result = call
        if event.detail.get("abandoned") and (call in state.running or call in state.abandoned):
            state.abandon(call)


def _turn_ended(state: State, event: Event) -> None:
    if state.ended is None:
        state.ended, state.left_over = event, ids_in(event, "abandoned")
    for id_, outcome in results_in(event):
        call = state.call(id_)
        if call.attempt not in state.discarded:
            state.answer(call, event.t_ns, outcome)


def _response_ended(state: State, event: Event) -> None:
    state.complete.add(event.detail.get("attempt", 0))


def _response_failed(state: State, event: Event) -> None:
    attempt = event.detail.get("attempt", 0)
    state.closed_attempts.add(attempt)
    if state.aborts.stopped is None and state.aborts.submitted is None:
        # Of a turn that was stopped before, everything is kept (F4).
        state.failed.add(attempt)


def _discard(state: State, event: Event) -> None:
    attempt = event.detail.get("attempt", 0)
    state.discarded.add(attempt)
    for calls in (state.unanswered, state.untaken):
        for call in [call for call in calls if call.attempt == attempt]:
            del calls[call]
    state.lines.pop(attempt, None)
    state.closed_attempts.add(attempt)
    state.aborts.discards[attempt] = _abort(
        state, "discard", event, (call for call in state.running if call.attempt == attempt)
    )


def _stop(state: State, event: Event) -> None:
    if state.ended is None:
        state.closed = state.user_acted = True
        state.aborts.stopped = state.aborts.stopped or _abort(state, "stop", event, state.running)


def _submit(state: State, event: Event) -> None:
    if event.detail.get("took_effect"):
        state.closed = state.user_acted = True
        reach = (call for call in state.running if state.terms.interrupt(call.tool) == "cancel")
        state.aborts.submitted = state.aborts.submitted or _abort(state, "submit", event, reach)


def _refused(state: State, event: Event) -> None:
    call = _named(state, event)
    if not (call.abandoned or call.results or call.attempt in state.discarded or state.ended):
        state.closed = state.user_acted = True
        state.aborts.stopped = state.aborts.stopped or _abort(state, "refusal", event, state.running, call)


def _abort(state: State, what: What, event: Event, reach: Iterable[CallView], by: CallView | None = None) -> Abort:
    return state.aborts.make(what, (state.count, event), event.t_ns, reach, by)


def _consumer_left(state: State, event: Event) -> None:
    state.closed = state.user_acted = state.consumer_left = True
    state.untaken.clear()


def _halted(state: State, event: Event) -> None:
    state.halted = state.halted or event


def _response_started(state: State, event: Event) -> None:
    state.last_attempt = max(state.last_attempt, event.detail.get("attempt", 0))


def _context(state: State, event: Event) -> None:
    # The row does not say whose context it is; the one before is over when a retry starts.
    if state.last_attempt not in state.discarded:
        state.line(state.last_attempt).told = mapped(event, "values")


def _moved(state: State, event: Event) -> None:
    call = _named(state, event)
    call.status = STATUSES[event.kind]
    if event.detail.get("outcome") == Outcome.USER_INTERRUPTED and not state.user_acted:
        state.settled_as_interrupted.append((event.t_ns, call))
    if event.kind is Kind.ADMITTED:
        call.admitted_ns = event.t_ns
        _start_deadline(state, call, event.t_ns)


def _permitted(state: State, event: Event) -> None:
    _named(state, event).permitted = True


def _denied(state: State, event: Event) -> None:
    _named(state, event).denied_by = str(event.detail.get("by", "?"))


def _hardened(state: State, event: Event) -> None:
    call = _named(state, event)
    call.hardened = True
    state.line(call.attempt).arrive(call.place)


_READERS: Final[Mapping[Kind, Callable[[State, Event], None]]] = {
    Kind.BLOCK: _block,
    Kind.RESPONSE_ENDED: _response_ended,
    Kind.RESPONSE_FAILED: _response_failed,
    Kind.ENTERED: _entered,
    Kind.REFUSED: _refused,
    Kind.SIGNALLED: _signalled,
    Kind.PROGRESSED: _progressed,
    Kind.LEFT: _left,
    Kind.WORK_ENDED: _work_ended,
    Kind.EMITTED: _emitted,
    Kind.CONSUMER_LEFT: _consumer_left,
    Kind.STOP: _stop,
    Kind.SUBMIT: _submit,
    Kind.DISCARD: _discard,
    Kind.TURN_ENDED: _turn_ended,
    Kind.HALTED: _halted,
    Kind.RESPONSE_STARTED: _response_started,
    Kind.CONTEXT: _context,
    Kind.QUEUED: _moved,
    Kind.ADMITTED: _moved,
    Kind.COMPLETED: _moved,
    Kind.YIELDED: _moved,
    Kind.PERMITTED: _permitted,
    Kind.DENIED: _denied,
    Kind.HARDENED: _hardened,
}
