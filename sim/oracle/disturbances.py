"""Situations of a disturbed turn: failures, deadlines, users, responses given up.

The rule: each names what hit whom. Times in nanoseconds.
"""

from typing import Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .situation import Register
from .state import State
from .view import CallView, listed, results_in

DISTURBANCES: Final = Register()
"""Situations of failures and aborts."""


@DISTURBANCES.at(Kind.BLOCK)
def a_block_arrived_after_a_cascade(state: State, event: Event) -> bool:
    return event.detail.get("attempt", 0) in state.aborts.cascades


@DISTURBANCES.at(Kind.BLOCK)
def a_block_arrived_after_a_stop(state: State, event: Event) -> bool:
    return state.aborts.stopped is not None


@DISTURBANCES.at(Kind.BLOCK)
def a_block_arrived_after_a_submit(state: State, event: Event) -> bool:
    return state.aborts.submitted is not None and state.aborts.stopped is None


@DISTURBANCES.at(Kind.LEFT)
def a_body_returned_normally_after_its_signal(state: State, event: Event) -> bool:
    return state.call(event.call).signal is not None and event.detail.get("ended") in ("ok", "error")


@DISTURBANCES.at(Kind.LEFT)
def a_body_was_stopped(state: State, event: Event) -> bool:
    return state.call(event.call).signal is not None and event.detail.get("ended") in ("raised", "cancelled")


@DISTURBANCES.at(Kind.LEFT)
def a_body_ignored_its_signal_until_it_was_cancelled(state: State, event: Event) -> bool:
    call, grace_ns = state.call(event.call), state.terms.grace_ns
    return bool(call.doom_ns is not None and grace_ns and event.t_ns == call.doom_ns - grace_ns)


@DISTURBANCES.at(Kind.LEFT)
def a_body_cancelled_itself(state: State, event: Event) -> bool:
    return event.detail.get("ended") == "cancelled" and state.call(event.call).signal is None


@DISTURBANCES.at(Kind.LEFT)
def an_error_spared_running_siblings(state: State, event: Event) -> bool:
    call = state.call(event.call)
    failed = event.detail.get("ended") in ("error", "raised") and call.signal is None
    return failed and len(state.running) > 1 and not state.terms.cascades(call.tool, safe=call.safe)


@DISTURBANCES.at(Kind.SIGNALLED)
def a_cascade_hit_a_running_sibling(state: State, event: Event) -> bool:
    return event.detail.get("reason") == Outcome.SIBLING_ERROR


@DISTURBANCES.at(Kind.SIGNALLED, needs=["deadline"])
def a_deadline_passed_in_a_body(state: State, event: Event) -> bool:
    return event.detail.get("reason") == Outcome.TIMEOUT


@DISTURBANCES.at(Kind.EMITTED, needs=["deadline"])
def a_deadline_passed_before_a_body(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.TIMEOUT and state.call(event.call).entered_ns is None


def _never_ran(state: State, event: Event, outcome: Outcome) -> list[CallView]:
    """Give the calls without a body that a row answers with an outcome."""
    calls = [state.call(id_) for id_, told in results_in(event) if told == outcome]
    return [call for call in calls if call.entered_ns is None and call.rows]


@DISTURBANCES.at(Kind.EMITTED, Kind.TURN_ENDED)
def a_cascade_hit_a_queued_call(state: State, event: Event) -> bool:
    cascades = state.aborts.cascades
    hit = _never_ran(state, event, Outcome.SIBLING_ERROR)
    return any(call.attempt in cascades and call.rows[0][0] < cascades[call.attempt].row[0] for call in hit)


@DISTURBANCES.at(Kind.EMITTED, Kind.TURN_ENDED)
def a_stop_hit_a_queued_call(state: State, event: Event) -> bool:
    stopped, hit = state.aborts.stopped, _never_ran(state, event, Outcome.USER_INTERRUPTED)
    return stopped is not None and any(call.rows[0][0] < stopped.row[0] for call in hit)


@DISTURBANCES.at(Kind.EMITTED, Kind.TURN_ENDED)
def a_submit_hit_a_queued_call(state: State, event: Event) -> bool:
    submitted, hit = state.aborts.submitted, _never_ran(state, event, Outcome.USER_INTERRUPTED)
    return submitted is not None and any(call.rows[0][0] < submitted.row[0] for call in hit)


@DISTURBANCES.at(Kind.EMITTED, Kind.TURN_ENDED)
def a_safe_body_was_abandoned(state: State, event: Event) -> bool:
    return any(call in state.abandoned for id_, _ in results_in(event) if (call := state.call(id_)))


@DISTURBANCES.at(Kind.EMITTED, Kind.TURN_ENDED)
def an_exclusive_body_was_abandoned(state: State, event: Event) -> bool:
    calls = [state.call(id_) for id_, _ in results_in(event)]
    return any(call in state.running and not call.safe and call.doom_ns is not None for call in calls)


@DISTURBANCES.at(Kind.REFUSED, needs=["questions"])
def a_refusal_met_running_bodies(state: State, event: Event) -> bool:
    return event.detail.get("by") == "person" and bool(state.running)


@DISTURBANCES.at(Kind.REFUSED, needs=["refuses"])
def a_body_asked_for_the_turns_end(state: State, event: Event) -> bool:
    return event.detail.get("by") == "tool"


@DISTURBANCES.at(Kind.STOP)
def a_stop_and_a_completion_fell_on_one_instant(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@DISTURBANCES.at(Kind.STOP)
def a_stop_met_a_block_call(state: State, event: Event) -> bool:
    return any(state.terms.interrupt(call.tool) == "block" for call in state.running)


@DISTURBANCES.at(Kind.STOP)
def a_stop_came_after_a_submit(state: State, event: Event) -> bool:
    return state.aborts.submitted is not None


@DISTURBANCES.at(Kind.SUBMIT)
def a_submit_met_a_block_call(state: State, event: Event) -> bool:
    return any(state.terms.interrupt(call.tool) == "block" for call in state.running)


@DISTURBANCES.at(Kind.SUBMIT)
def a_submit_stopped_all_that_ran(state: State, event: Event) -> bool:
    return bool(event.detail.get("took_effect")) and not event.detail.get("force")


@DISTURBANCES.at(Kind.SUBMIT)
def a_forced_submit_stopped_some_and_spared_others(state: State, event: Event) -> bool:
    interrupts = {state.terms.interrupt(call.tool) for call in state.running}
    return bool(event.detail.get("force")) and interrupts == {"cancel", "block"}


@DISTURBANCES.at(Kind.DISCARD)
def a_discard_met_a_running_exclusive_call(state: State, event: Event) -> bool:
    return any(not call.safe for call in state.running)


@DISTURBANCES.at(Kind.DISCARD)
def a_discard_met_running_safe_calls(state: State, event: Event) -> bool:
    return any(call.safe for call in state.running)


@DISTURBANCES.at(Kind.DISCARD)
def a_discard_met_a_queued_call(state: State, event: Event) -> bool:
    return state.head() is not None


@DISTURBANCES.at(Kind.DISCARD)
def a_discard_took_a_result_back(state: State, event: Event) -> bool:
    return bool(listed(event, "withdrawn"))


@DISTURBANCES.at(Kind.CONSUMER_LEFT)
def the_consumer_left_while_bodies_ran(state: State, event: Event) -> bool:
    return bool(state.running)


@DISTURBANCES.at(Kind.CONSUMER_LEFT, needs=["cancel"])
def the_consumer_was_cancelled_while_bodies_ran(state: State, event: Event) -> bool:
    return event.detail.get("how") == "cancelled" and bool(state.running)


@DISTURBANCES.at(Kind.HOOK_ENDED, needs=["hooks"])
def an_abort_cut_a_hook_short(state: State, event: Event) -> bool:
    return event.detail.get("how") == "cut"


@DISTURBANCES.at(Kind.QUESTION_ANSWERED, needs=["questions"])
def an_abort_closed_a_question(state: State, event: Event) -> bool:
    return event.detail.get("how") == "cut"


@DISTURBANCES.at(Kind.TURN_ENDED)
def a_closing_report_listed_results(state: State, event: Event) -> bool:
    return bool(listed(event, "closing"))
