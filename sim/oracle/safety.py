"""S: which bodies may run together, in which order they are entered, and that nobody waits for nothing.

The rule: judged by bodies alone (entered, left), in the order in which the log tells them within an instant.
"""

from collections.abc import Iterable

from executor.calls.outcome import ABORTS
from executor.events import Event, Kind

from .instants import in_words
from .rule import Finding, Moment, at_moment, at_rows
from .state import State
from .terms import Terms
from .view import CallView, results_in

BODIES = (Kind.BLOCK, Kind.ENTERED)


def _since(call: CallView) -> str:
    return f"{call} has run since {in_words(call.entered_ns or 0)}"


def _no_limit_told(terms: Terms) -> str | None:
    told = "max_concurrency" in terms.options or terms.engine == "serial"
    return None if told else "the header does not tell max_concurrency"


def _no_start_told(terms: Terms) -> str | None:
    return None if "start" in terms.options else "the header does not tell when calls may start"


@at_rows("S1", Kind.ENTERED, needs=BODIES)
def exclusive_runs_alone(state: State, event: Event) -> Iterable[Finding]:
    """While an exclusive call's body runs, no other body runs, across a fallback too.

    Work that goes on in the background counts as the body, unless the tool declares it detached (X8). The class is that
    of the input that the body is given (H8).
    """
    call = state.call(event.call)
    safe = call.safe and bool(event.detail.get("safe", True))
    if (other := _in_the_way(state, safe=safe)) is not None and other is not call:
        yield Finding(event.t_ns, (call, other), f"{call} was entered while {_since(other)}")


def _in_the_way(state: State, *, safe: bool) -> CallView | None:
    """Give a body beside which a call of this class may not run, or work that stands for one."""
    beside = next(iter(state.exclusive), None)
    if safe or beside is not None:
        return beside
    return next((body for body in state.running if _holds_its_place(state, body)), None)


def _holds_its_place(state: State, body: CallView) -> bool:
    """Whether a safe body still counts: one that resists to the end of its grace is abandoned there and then (A9)."""
    return body.doom_ns is None or body.doom_ns > state.now_ns


@at_rows("S2", Kind.ENTERED, Kind.EMITTED, Kind.TURN_ENDED, needs=BODIES)
def nobody_overtakes(state: State, event: Event) -> Iterable[Finding]:
    """No body is entered while an earlier exclusive body runs or is still to come,
    and no exclusive body while an earlier body runs or is still to come.
    """
    for call in _to_come_until(state, event):
        ahead = state.furthest_body if not call.safe else state.furthest_exclusive
        if ahead is not None and ahead.place > call.place and ahead.entered_ns is not None:
            yield Finding(ahead.entered_ns, (ahead, call), f"{ahead} was entered before the earlier {call}")
    if event.kind is Kind.ENTERED:
        call = state.call(event.call)
        other = _in_the_way(state, safe=call.safe)
        if other is not None and other.place < call.place:
            yield Finding(event.t_ns, (call, other), f"{call} was entered while the earlier {_since(other)}")


def _to_come_until(state: State, event: Event) -> Iterable[CallView]:
    """Give the calls whose bodies were still to come until this row."""
    if event.kind is Kind.ENTERED:
        call = state.call(event.call)
        if call.arrived and call.entered_ns is None:
            yield call
    for id_, outcome in results_in(event):
        call = state.call(id_)
        # An abort met it while it waited: until then its body was to come. Other results without a body
        # (a denial, a hook's stop) may be older than their emission, so they prove nothing.
        if outcome in ABORTS and call.arrived and call.known and call.valid and call.entered_ns is None:
            yield call


@at_moment("S3", Moment.AT_REST, needs=BODIES, unfit=_no_limit_told)
def nobody_waits_for_nothing(state: State) -> Iterable[Finding]:
    """No call waits at an instant at which E3 and E4 would admit it.

    Judged for calls without hooks and questions: from outside, an admitted call shows by its body alone. The queue's
    head alone decides, and nobody is admitted after an abort (A2, A7, A8), before the response is complete where that
    is the start, beside bodies of a discarded response (A8), or beside a call that hooks or a question may still hold.
    In the log of a real clock only what has lasted longer than the header's tolerance_ns counts as waiting.
    """
    head = state.head()
    if head is None or state.closed or state.ended is not None:
        return
    if state.terms.starts_at_end and head.attempt not in state.complete:
        return
    guarded = next(iter(state.gated), None)
    if guarded is not None and guarded.place <= head.place:
        return
    limit, first = state.terms.limit, next(iter(state.exclusive or state.running), None)
    if first is not None:
        room = limit is None or len(state.running) < limit
        if first.attempt < head.attempt or state.exclusive or not head.safe or not room:
            return
    beside = f"{len(state.running)} safe calls run" if first is not None else "nothing runs"
    yield Finding(state.now_ns, (head,), f"{head} waits though {beside} and nobody is before it")


@at_rows("S4", Kind.ENTERED, needs=[Kind.ENTERED], unfit=_no_start_told)
def block_comes_first(state: State, event: Event) -> Iterable[Finding]:
    """No body is entered before its block is complete (start at the response's end: before the response is)."""
    call = state.call(event.call)
    if not call.arrived:
        yield Finding(event.t_ns, (call,), f"{call.id} was entered before its block was complete")
    elif state.terms.starts_at_end and call.attempt not in state.complete:
        yield Finding(event.t_ns, (call,), f"{call} was entered before its response was complete")


@at_rows("S5", Kind.ENTERED, needs=[Kind.ENTERED], unfit=_no_limit_told)
def limit_holds(state: State, event: Event) -> Iterable[Finding]:
    """Never more than max_concurrency calls run at once."""
    call, limit = state.call(event.call), state.terms.limit
    if limit is None or len(state.running) < limit or call in state.running:
        return
    held = sum(_holds_its_place(state, body) for body in state.running)
    # Only the call that oversteps the limit is named: the ones after it say nothing new.
    if held == limit:
        seen = f"{call} was entered as number {limit + 1} where {limit} may run at once"
        yield Finding(event.t_ns, (call, *state.running), seen)


@at_rows("S6", Kind.ENTERED, needs=[Kind.ENTERED])
def doubt_means_alone(state: State, event: Event) -> Iterable[Finding]:
    """A call whose classifier raised or answered no never overlaps another, and one with invalid input has no body."""
    call = state.call(event.call)
    if call.arrived and not call.may_run:
        why = "its input is invalid" if call.known else "there is no such tool"
        yield Finding(event.t_ns, (call,), f"{call} was entered although {why}")
        return
    beside = _in_the_way(state, safe=call.safe)
    if beside is not None and beside is not call and (_is_doubted(state, call) or _is_doubted(state, beside)):
        doubted, other = (call, beside) if _is_doubted(state, call) else (beside, call)
        yield Finding(event.t_ns, (doubted, other), f"{doubted}, whose class was not clearly safe, met {other}")


def _is_doubted(state: State, call: CallView) -> bool:
    """Whether the call's class was asked for, or should have been, and the answer was not a clear yes."""
    tool = state.terms.tools.get(call.tool, {})
    return not call.safe and (tool.get("safe") is not False or bool(tool.get("classifier_raises")))


@at_rows("S7", Kind.ENTERED, needs=[Kind.ENTERED])
def body_runs_once(state: State, event: Event) -> Iterable[Finding]:
    """A call's body runs at most once."""
    call = state.call(event.call)
    if call.entered_ns is not None:
        yield Finding(event.t_ns, (call,), f"{call} was entered again, first at {in_words(call.entered_ns)}")
