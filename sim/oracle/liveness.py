"""L: the turn ends, aborts are prompt, and nothing is left behind.

The rule: what the user does after the end is not the executor's doing; everything else is.
"""

from collections.abc import Iterable

from executor.calls.life import Status
from executor.events import Event, Kind

from .instants import in_words
from .rule import OUTSIDE, Finding, Moment, at, at_moment, at_rows
from .state import State
from .view import ids_in, listed

_NOBODYS_REST = frozenset({Kind.STOP, Kind.SUBMIT, Kind.REFUSED, Kind.CONSUMER_LEFT, Kind.HALTED})
_STUBBORN = frozenset({Kind.SIGNALLED, Kind.PROGRESSED, Kind.LEFT, Kind.WORK_ENDED})


@at_moment("L1", Moment.LOG_OVER)
def turn_ends(state: State) -> Iterable[Finding]:
    """Every turn ends: no deadlock, no livelock."""
    if state.halted is not None:
        why, waiting = state.halted.detail.get("why", "?"), listed(state.halted, "waiting")
        who = f": {'; '.join(map(str, waiting))}" if waiting else ""
        yield Finding(state.halted.t_ns, tuple(state.running), f"the run was given up, {why}{who}")
    elif state.ended is None:
        yield Finding(state.now_ns, tuple(state.running), "the log ends and the turn has not ended")


@at("L2", Kind.ENTERED, Kind.EMITTED, Moment.AT_REST, needs=[Kind.ENTERED])
def aborts_are_prompt(state: State, event: Event | None) -> Iterable[Finding]:
    """A body is signalled when its deadline is over; one that has not left twice the grace after its signal is settled
    without it, as abandoned and not before; and beside an exclusive one nothing is entered any more.
    """
    if event is None:
        yield from _overdue(state)
        return
    call = state.call(event.call)
    if event.kind is Kind.ENTERED:
        if call.deadline_ns is not None and call.entered_ns is None and event.t_ns > call.deadline_ns:
            yield Finding(event.t_ns, (call,), f"{call} was entered after its deadline at {in_words(call.deadline_ns)}")
        elif state.poisoned_by is not None and state.poisoned_by is not call:
            seen = f"{call} was entered although {state.poisoned_by} was abandoned and nobody could stop it"
            yield Finding(event.t_ns, (call, state.poisoned_by), seen)
    elif state.ended is None and call in state.running and not call.results and _has_result(event):
        may_be_ns = call.entered_ns if state.terms.grace_ns is None else call.doom_ns
        if not event.detail.get("abandoned"):
            yield Finding(event.t_ns, (call,), f"{call} has a result while its body runs, and not as abandoned")
        elif may_be_ns is None or event.t_ns < may_be_ns - state.terms.tolerance_ns:
            yield Finding(event.t_ns, (call,), f"{call} was abandoned before its time to obey was over")


def _has_result(event: Event) -> bool:
    return event.detail.get("what") == "result"


def _overdue(state: State) -> Iterable[Finding]:
    for call in state.overdue:
        if call in state.running and call.signal is None:
            yield Finding(state.now_ns, (call,), f"{call} runs on, and its deadline is over")
        elif call.entered_ns is None and call.status is Status.EXECUTING:
            yield Finding(state.now_ns, (call,), f"{call} is held up before its body, and its deadline is over")
    if state.terms.is_prompt and state.ended is None and not state.consumer_left:
        head = next(iter(state.unanswered), None)
        late = head is not None and head.doom_ns is not None and head.left_ns is None
        if head is not None and late and (head.doom_ns or 0) + state.terms.tolerance_ns <= state.now_ns:
            yield Finding(state.now_ns, (head,), f"{head} resists, its time to obey is over, and it has no result")


@at_rows("L3", *OUTSIDE, needs=[Kind.TURN_ENDED])
def nothing_left_behind(state: State, event: Event) -> Iterable[Finding]:
    """At the turn's end every body has left or is listed as abandoned, and nothing happens afterwards but to those."""
    if state.ended is not None:
        of_the_listed = event.kind in _STUBBORN and _is_listed(event.call or "?", state.left_over)
        if event.kind not in _NOBODYS_REST and not of_the_listed:
            calls = (state.call(event.call),) if event.call is not None else ()
            seen = f"{event.kind.value} after the turn had ended at {in_words(state.ended.t_ns)}"
            yield Finding(event.t_ns, calls, f"{event.call}: {seen}" if calls else seen)
    elif event.kind is Kind.TURN_ENDED:
        abandoned = ids_in(event, "abandoned")
        for call in [*state.running, *state.abandoned, *state.background]:
            if not _is_listed(call.id, abandoned):
                what = "has not left" if call.left_ns is None else "has not ended its work"
                since = in_words(call.entered_ns or 0)
                yield Finding(event.t_ns, (call,), f"{call}, entered at {since}, {what} and is not listed")


def _is_listed(id_: str, listed_ids: frozenset[str]) -> bool:
    return id_ in listed_ids or f"{id_}: background work" in listed_ids
