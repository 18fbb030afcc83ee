"""Situations in the course of a turn: who waits, ends, is handed on.

The rule: nothing here is an abort. Times in nanoseconds.
"""

from typing import Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .situation import Register
from .state import State

COURSES: Final = Register()
"""Situations of calls that come and go."""


def _waits(state: State, event: Event, *, safe: bool) -> bool:
    told = event.detail
    is_safe = bool(told.get("safe"))
    return bool(told.get("known", True) and told.get("valid", True)) and is_safe is safe and not state.closed


@COURSES.at(Kind.BLOCK)
def an_exclusive_call_waited_behind_running_ones(state: State, event: Event) -> bool:
    return _waits(state, event, safe=False) and bool(state.running)


@COURSES.at(Kind.BLOCK)
def a_safe_call_waited_behind_an_exclusive_one(state: State, event: Event) -> bool:
    return _waits(state, event, safe=True) and bool(state.exclusive)


@COURSES.at(Kind.BLOCK)
def a_safe_call_waited_for_a_slot(state: State, event: Event) -> bool:
    full = len(state.running) == state.terms.limit
    return _waits(state, event, safe=True) and full and not state.exclusive


@COURSES.at(Kind.BLOCK)
def a_call_of_an_unknown_tool_arrived_while_others_ran(state: State, event: Event) -> bool:
    return not event.detail.get("known", True) and bool(state.running)


@COURSES.at(Kind.BLOCK)
def a_call_with_invalid_input_waited_its_turn(state: State, event: Event) -> bool:
    told = event.detail
    return bool(told.get("known", True)) and not told.get("valid", True) and bool(state.running) and not state.closed


@COURSES.at(Kind.BLOCK)
def a_block_arrived_at_the_instant_of_an_end(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@COURSES.at(Kind.ENTERED)
def the_limit_was_reached(state: State, event: Event) -> bool:
    return len(state.running) + 1 == state.terms.limit


@COURSES.at(Kind.ENTERED)
def a_call_saw_a_changed_context(state: State, event: Event) -> bool:
    return bool(event.detail.get("sees"))


@COURSES.at(Kind.ENTERED, needs=["attempts"])
def a_retry_ran(state: State, event: Event) -> bool:
    return state.call(event.call).attempt > 0


@COURSES.at(Kind.LEFT)
def two_bodies_ended_at_one_instant(state: State, event: Event) -> bool:
    return state.last_end is not None and state.last_end.left_ns == event.t_ns


@COURSES.at(Kind.LEFT)
def an_end_out_of_request_order(state: State, event: Event) -> bool:
    call = state.call(event.call)
    return any(other.place < call.place for other in state.running)


@COURSES.at(Kind.LEFT, needs=["background"])
def work_went_on_in_the_background(state: State, event: Event) -> bool:
    return event.detail.get("ended") == "background"


@COURSES.at(Kind.LEFT, needs=["background"])
def exclusive_work_went_on_detached(state: State, event: Event) -> bool:
    return bool(event.detail.get("detached")) and not state.call(event.call).safe


@COURSES.at(Kind.WORK_ENDED, needs=["background"])
def a_call_waited_for_work_in_the_background(state: State, event: Event) -> bool:
    return state.call(event.call) in state.exclusive and state.head() is not None


@COURSES.at(Kind.EMITTED)
def a_result_waited_for_an_earlier_one(state: State, event: Event) -> bool:
    call = state.call(event.call)
    return event.detail.get("what") == "result" and call.left_ns is not None and call.left_ns < event.t_ns


@COURSES.at(Kind.EMITTED)
def a_result_passed_an_earlier_one(state: State, event: Event) -> bool:
    earliest = next(iter(state.unanswered), None)
    return event.detail.get("what") == "result" and earliest not in (None, state.call(event.call))


@COURSES.at(Kind.EMITTED)
def progress_passed_an_earlier_result(state: State, event: Event) -> bool:
    earliest = next(iter(state.unanswered), None)
    return event.detail.get("what") == "progress" and earliest not in (None, state.call(event.call))


@COURSES.at(Kind.EMITTED, needs=["hooks"])
def a_hook_stopped_a_call(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.HOOK_BLOCKED


@COURSES.at(Kind.EMITTED, needs=["questions"])
def a_call_was_denied(state: State, event: Event) -> bool:
    return event.detail.get("outcome") == Outcome.DENIED


@COURSES.at(Kind.HARDENED, needs=["hooks"])
def a_rewrite_made_a_safe_call_exclusive(state: State, event: Event) -> bool:
    return True
