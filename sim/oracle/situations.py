"""Situations a rule can only be tested in: which of them a log reaches, and how often.

The rule: a campaign in which one was never reached has proven nothing about it, and says so. Each is one short function
that looks at a row and the state before it; its name is the situation's.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .rule import Moment
from .state import State
from .terms import Terms
from .view import CallView, listed, results_in
from .walk import walk

Reached = Callable[[State, Event], bool]
"""Whether a row, with the state before it, is a situation."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One situation: its name, the kinds of rows it shows by, and the features a scenario needs for it."""

    name: str
    kinds: tuple[Kind, ...]
    needs: frozenset[str]
    reached: Reached


_ALL: list[Situation] = []


def _at(*kinds: Kind, needs: Iterable[str] = ()) -> Callable[[Reached], Reached]:
    def register(reached: Reached) -> Reached:
        _ALL.append(Situation(reached.__name__.replace("_", " "), kinds, frozenset(needs), reached))
        return reached

    return register


def situations(header: Mapping[str, Any], events: Iterable[Event]) -> Counter[str]:
    """Count the situations that a log reaches, by name.

    Args:
        header: as for :func:`~sim.oracle.judge.judge`.
        events: the rows in the order in which they happened.

    Raises:
        ValueError: a header or row whose details have the wrong type.
    """
    state, reached = State(Terms.read(header)), Counter[str]()

    def ask(occasion: Kind | Moment, event: Event | None) -> None:
        if event is None or state.ended is not None:
            return
        for situation in _BY_KIND[event.kind]:
            if situation.reached(state, event):
                reached[situation.name] += 1

    walk(state, events, ask)
    return reached


def unreached(reached: Mapping[str, int], features: Collection[str] = ()) -> list[str]:
    """Name the situations that were never reached although the scope contains them.

    Args:
        reached: how often each was, from :func:`situations`.
        features: what the scenarios of the scope use, in the words of a header's ``features``.

    >>> unreached({situation.name: 1 for situation in SITUATIONS})
    []
    """
    scope = [situation.name for situation in SITUATIONS if situation.needs <= set(features)]
    return [name for name in scope if not reached.get(name)]


def _waits(state: State, event: Event, *, safe: bool) -> bool:
    told = event.detail
    is_safe = bool(told.get("safe"))
    return bool(told.get("known", True) and told.get("valid", True)) and is_safe is safe and not state.closed


@_at(Kind.BLOCK)
def an_exclusive_call_waited_behind_running_ones(state: State, event: Event) -> bool:
    return _waits(state, event, safe=False) and bool(state.running)


@_at(Kind.BLOCK)
def a_safe_call_waited_behind_an_exclusive_one(state: State, event: Event) -> bool:
    return _waits(state, event, safe=True) and bool(state.exclusive)


@_at(Kind.BLOCK)
def a_safe_call_waited_for_a_slot(state: State, event: Event) -> bool:
    full = len(state.running) == state.terms.limit
    return _waits(state, event, safe=True) and full and not state.exclusive


@_at(Kind.BLOCK)
def a_call_of_an_unknown_tool_arrived_while_others_ran(state: State, event: Event) -> bool:
    return not event.detail.get("known", True) and bool(state.running)


@_at(Kind.BLOCK)
def a_call_with_invalid_input_waited_its_turn(state: State, event: Event) -> bool:
    told = event.detail
    return bool(told.get("known", True)) and not told.get("valid", True) and bool(state.running) and not state.closed


@_at(Kind.BLOCK)
def a_block_arrived_at_the_instant_of_an_end(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@_at(Kind.BLOCK)
def a_block_arrived_after_a_cascade(state: State, event: Event) -> bool:
    return event.detail.get("attempt", 0) in state.aborts.cascades


@_at(Kind.BLOCK)
def a_block_arrived_after_a_stop(state: State, event: Event) -> bool:
    return state.aborts.stopped is not None


@_at(Kind.BLOCK)
def a_block_arrived_after_a_submit(state: State, event: Event) -> bool:
    return state.aborts.submitted is not None and state.aborts.stopped is None


@_at(Kind.ENTERED)
def the_limit_was_reached(state: State, event: Event) -> bool:
    return len(state.running) + 1 == state.terms.limit


@_at(Kind.ENTERED)
def a_call_saw_a_changed_context(state: State, event: Event) -> bool:
    return bool(event.detail.get("sees"))


@_at(Kind.ENTERED, needs=["attempts"])
def a_retry_ran(state: State, event: Event) -> bool:
    return state.call(event.call).attempt > 0


@_at(Kind.LEFT)
def two_bodies_ended_at_one_instant(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@_at(Kind.LEFT)
def a_body_returned_normally_after_its_signal(state: State, event: Event) -> bool:
    return state.call(event.call).signal is not None and event.detail.get("ended") in ("ok", "error")


@_at(Kind.LEFT)
def a_body_was_stopped(state: State, event: Event) -> bool:
    return state.call(event.call).signal is not None and event.detail.get("ended") in ("raised", "cancelled")


@_at(Kind.LEFT)
def a_body_ignored_its_signal_until_it_was_cancelled(state: State, event: Event) -> bool:
    call, grace_ns = state.call(event.call), state.terms.grace_ns
    return bool(call.doom_ns is not None and grace_ns and event.t_ns == call.doom_ns - grace_ns)


@_at(Kind.LEFT)
def a_body_cancelled_itself(state: State, event: Event) -> bool:
    return event.detail.get("ended") == "cancelled" and state.call(event.call).signal is None


@_at(Kind.LEFT)
def an_error_spared_running_siblings(state: State, event: Event) -> bool:
    call = state.call(event.call)
    failed = event.detail.get("ended") in ("error", "raised") and call.signal is None
    return failed and len(state.running) > 1 and not state.terms.cascades(call.tool, safe=call.safe)


@_at(Kind.LEFT)
def an_end_out_of_request_order(state: State, event: Event) -> bool:
    call = state.call(event.call)
    return any(other.place < call.place for other in state.running)


@_at(Kind.LEFT, needs=["background"])
def work_went_on_in_the_background(state: State, event: Event) -> bool:
    return event.detail.get("ended") == "background"


@_at(Kind.LEFT, needs=["background"])
def exclusive_work_went_on_detached(state: State, event: Event) -> bool:
    return bool(event.detail.get("detached")) and not state.call(event.call).safe


@_at(Kind.WORK_ENDED, needs=["background"])
def a_call_waited_for_work_in_the_background(state: State, event: Event) -> bool:
    return state.call(event.call) in state.exclusive and state.head() is not None


@_at(Kind.SIGNALLED)
def a_cascade_hit_a_running_sibling(state: State, event: Event) -> bool:
    return event.detail.get("reason") == Outcome.SIBLING_ERROR


@_at(Kind.SIGNALLED, needs=["deadline"])
def a_deadline_passed_in_a_body(state: State, event: Event) -> bool:
    return event.detail.get("reason") == Outcome.TIMEOUT


@_at(Kind.EMITTED, needs=["deadline"])
def a_deadline_passed_before_a_body(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.TIMEOUT and state.call(event.call).entered_ns is None


def _never_ran(state: State, event: Event, outcome: Outcome) -> list[CallView]:
    """Give the calls without a body that a row answers with an outcome."""
    calls = [state.call(id_) for id_, told in results_in(event) if told == outcome]
    return [call for call in calls if call.entered_ns is None and call.rows]


@_at(Kind.EMITTED, Kind.TURN_ENDED)
def a_cascade_hit_a_queued_call(state: State, event: Event) -> bool:
    cascades = state.aborts.cascades
    hit = _never_ran(state, event, Outcome.SIBLING_ERROR)
    return any(call.attempt in cascades and call.rows[0][0] < cascades[call.attempt].row[0] for call in hit)


@_at(Kind.EMITTED, Kind.TURN_ENDED)
def a_stop_hit_a_queued_call(state: State, event: Event) -> bool:
    stopped, hit = state.aborts.stopped, _never_ran(state, event, Outcome.USER_INTERRUPTED)
    return stopped is not None and any(call.rows[0][0] < stopped.row[0] for call in hit)


@_at(Kind.EMITTED, Kind.TURN_ENDED)
def a_submit_hit_a_queued_call(state: State, event: Event) -> bool:
    submitted, hit = state.aborts.submitted, _never_ran(state, event, Outcome.USER_INTERRUPTED)
    return submitted is not None and any(call.rows[0][0] < submitted.row[0] for call in hit)


@_at(Kind.EMITTED)
def a_result_waited_for_an_earlier_one(state: State, event: Event) -> bool:
    call = state.call(event.call)
    return event.detail.get("what") == "result" and call.left_ns is not None and call.left_ns < event.t_ns


@_at(Kind.EMITTED)
def a_result_passed_an_earlier_one(state: State, event: Event) -> bool:
    earliest = next(iter(state.unanswered), None)
    return event.detail.get("what") == "result" and earliest not in (None, state.call(event.call))


@_at(Kind.EMITTED)
def progress_passed_an_earlier_result(state: State, event: Event) -> bool:
    earliest = next(iter(state.unanswered), None)
    return event.detail.get("what") == "progress" and earliest not in (None, state.call(event.call))


@_at(Kind.EMITTED, Kind.TURN_ENDED)
def a_safe_body_was_abandoned(state: State, event: Event) -> bool:
    return any(call in state.abandoned for id_, _ in results_in(event) if (call := state.call(id_)))


@_at(Kind.EMITTED, Kind.TURN_ENDED)
def an_exclusive_body_was_abandoned(state: State, event: Event) -> bool:
    calls = [state.call(id_) for id_, _ in results_in(event)]
    return any(call in state.running and not call.safe and call.doom_ns is not None for call in calls)


@_at(Kind.EMITTED, needs=["hooks"])
def a_hook_stopped_a_call(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.HOOK_BLOCKED


@_at(Kind.EMITTED, needs=["questions"])
def a_call_was_denied(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.DENIED


@_at(Kind.REFUSED, needs=["questions"])
def a_refusal_met_running_bodies(state: State, event: Event) -> bool:
    return event.detail.get("by") == "person" and bool(state.running)


@_at(Kind.REFUSED, needs=["refuses"])
def a_body_asked_for_the_turns_end(state: State, event: Event) -> bool:
    return event.detail.get("by") == "tool"


@_at(Kind.HARDENED, needs=["hooks"])
def a_rewrite_made_a_safe_call_exclusive(state: State, event: Event) -> bool:
    return True


@_at(Kind.STOP)
def a_stop_and_a_completion_fell_on_one_instant(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@_at(Kind.STOP)
def a_stop_met_a_block_call(state: State, event: Event) -> bool:
    return any(state.terms.interrupt(call.tool) == "block" for call in state.running)


@_at(Kind.STOP)
def a_stop_came_after_a_submit(state: State, event: Event) -> bool:
    return state.aborts.submitted is not None


@_at(Kind.SUBMIT)
def a_submit_met_a_block_call(state: State, event: Event) -> bool:
    return any(state.terms.interrupt(call.tool) == "block" for call in state.running)


@_at(Kind.SUBMIT)
def a_submit_stopped_all_that_ran(state: State, event: Event) -> bool:
    return bool(event.detail.get("took_effect")) and not event.detail.get("force")


@_at(Kind.SUBMIT)
def a_forced_submit_stopped_some_and_spared_others(state: State, event: Event) -> bool:
    interrupts = {state.terms.interrupt(call.tool) for call in state.running}
    return bool(event.detail.get("force")) and interrupts == {"cancel", "block"}


@_at(Kind.DISCARD)
def a_discard_met_a_running_exclusive_call(state: State, event: Event) -> bool:
    return any(not call.safe for call in state.running)


@_at(Kind.DISCARD)
def a_discard_met_running_safe_calls(state: State, event: Event) -> bool:
    return any(call.safe for call in state.running)


@_at(Kind.DISCARD)
def a_discard_met_a_queued_call(state: State, event: Event) -> bool:
    return state.head() is not None


@_at(Kind.DISCARD)
def a_discard_took_a_result_back(state: State, event: Event) -> bool:
    return bool(listed(event, "withdrawn"))


@_at(Kind.CONSUMER_LEFT)
def the_consumer_left_while_bodies_ran(state: State, event: Event) -> bool:
    return bool(state.running)


@_at(Kind.TURN_ENDED)
def a_closing_report_listed_results(state: State, event: Event) -> bool:
    return bool(listed(event, "closing"))


SITUATIONS: Final = tuple(_ALL)
"""Every situation that is counted."""

_BY_KIND: Final = {kind: [each for each in SITUATIONS if kind in each.kinds] for kind in Kind}
