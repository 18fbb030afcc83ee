"""Numbers of a turn, one function each, over its course.

The rule: a number that needs a time which is not known is ``None``, never a guess; a time the log counts twice, such as
two bodies that run side by side, is counted once in what says *busy* and twice in what says *total* (B117). Unit:
nanoseconds.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from .course import CallCourse, TurnCourse

Spans = list[tuple[int, int]]
"""Stretches of time, from and until."""


class Wall(NamedTuple):
    """Where the time of a turn went; the four add up to its makespan, to the nanosecond (B117, B119, B123).

    Args:
        model_ns: the response streamed and no body ran.
        overlap_ns: both: what streaming hides.
        tools_ns: bodies ran and nothing streamed.
        waiting_ns: neither: hooks, questions, graces, a consumer that is busy.
    """

    model_ns: int
    overlap_ns: int
    tools_ns: int
    waiting_ns: int


def makespan_ns(turn: TurnCourse) -> int | None:
    """Nanoseconds from the turn's start to its last result or its response's end, whichever is later (T2).

    ``None`` where calls owe results and nobody took one, and where a recording does not tell when one came. A turn
    without calls, or whose calls were given up with their attempt, is over with its response.
    """
    taken = [call.emitted_ns for call in turn.calls]
    ends = [response.ended_ns for response in turn.responses]
    known = [at_ns for at_ns in taken if at_ns is not None]
    owed = any(call.taken_back is None for call in turn.calls)
    if (owed and not known) or (turn.header.get("estimates") and None in (*taken, *ends)):
        return None
    return max(chain(known, (end_ns for end_ns in ends if end_ns is not None)), default=None)


def first_result_ns(turn: TurnCourse) -> int | None:
    """Nanoseconds from the turn's start to the first result that was taken."""
    return min((call.emitted_ns for call in turn.calls if call.emitted_ns is not None), default=None)


def total_ns(turn: TurnCourse) -> int | None:
    """All bodies' times added up, so that what ran side by side counts twice."""
    bodies = _bodies(turn)
    return None if bodies is None else sum(until_ns - since_ns for since_ns, until_ns in bodies)


def busy_ns(turn: TurnCourse) -> int | None:
    """How long at least one body ran: never more than the wall time."""
    bodies = _bodies(turn)
    return None if bodies is None else _length(_union(bodies))


def stream_ns(turn: TurnCourse) -> int | None:
    """How long the response streamed, over all attempts."""
    streams = _streams(turn)
    return None if streams is None else _length(_union(streams))


def overlap_ns(turn: TurnCourse) -> int | None:
    """How long bodies ran while the response streamed: the time that streaming hides."""
    split = wall(turn)
    return None if split is None else split.overlap_ns


def after_stream_ns(turn: TurnCourse) -> int | None:
    """How long the turn went on once its response was over."""
    span_ns, over_ns = makespan_ns(turn), turn.response_ended_ns
    return None if span_ns is None or over_ns is None else span_ns - over_ns


def peak(turn: TurnCourse) -> int | None:
    """How many bodies ran at once at most; one that ends at an instant makes room for one that begins then."""
    bodies = _bodies(turn)
    if bodies is None:
        return None
    running = most = 0
    for _, step in sorted(step for since, until in bodies if until > since for step in ((since, 1), (until, -1))):
        running += step
        most = max(most, running)
    return most


def queue_wait_ns(call: CallCourse) -> int | None:
    """How long a call waited for its slot; of one that never got it, until it had its result.

    Without the inside view, until its body was entered.
    """
    until_ns = next((at for at in (call.admitted_ns, call.started_ns, call.settled_ns) if at is not None), None)
    return None if until_ns is None or call.arrived_ns is None else until_ns - call.arrived_ns


def hook_wait_ns(call: CallCourse) -> int:
    """How long hooks kept a call from its body."""
    return sum(wait.until_ns - wait.since_ns for wait in call.waits if wait.why == "hook")


def permission_wait_ns(call: CallCourse) -> int:
    """How long a call waited for an answer whether it may run."""
    return sum(wait.until_ns - wait.since_ns for wait in call.waits if wait.why == "permission")


def head_of_line_ns(call: CallCourse) -> int | None:
    """How long a finished result waited to be taken: behind an earlier call's, or for the consumer (E6)."""
    return None if call.settled_ns is None or call.emitted_ns is None else call.emitted_ns - call.settled_ns


def total_queue_wait_ns(turn: TurnCourse) -> int | None:
    """All calls' waits for a slot added up."""
    return _sum(map(queue_wait_ns, turn.calls))


def total_head_of_line_ns(turn: TurnCourse) -> int | None:
    """The waits of all results that were taken added up."""
    return _sum(head_of_line_ns(call) for call in turn.calls if call.emitted_ns is not None)


def saving_ns(turn: TurnCourse, against: TurnCourse) -> int | None:
    """How much sooner a turn is over than another course of it; negative if later.

    Args:
        turn: the course that may be over sooner.
        against: the other, such as the batch engine's.
    """
    span_ns, other_ns = makespan_ns(turn), makespan_ns(against)
    return None if span_ns is None or other_ns is None else other_ns - span_ns


def lower_bound_ns(turn: TurnCourse) -> int | None:
    """The makespan that no engine can beat which keeps calls in order and exclusive ones alone (S1, S2).

    The longest chain of calls that have to follow each other, each as early as its block and for as long as it held its
    slot, or the response's end if that is later: what an engine without a limit comes to that starts each call at once.
    """
    alone_ns = all_ns = results_ns = 0
    for call in turn.calls:
        since_ns = call.admitted_ns if call.admitted_ns is not None else call.started_ns
        settled_ns = call.settled_ns if call.settled_ns is not None else call.ended_ns
        if call.arrived_ns is None or settled_ns is None or (since_ns is None and call.started):
            return None
        if since_ns is None:
            results_ns = max(results_ns, call.arrived_ns)
            continue
        free_ns = alone_ns if call.concurrency_safe else all_ns
        if call.hardened or any(wait.why == "rewrite" for wait in call.waits):
            # Admitted in its old class: only its body waits for the others.
            ready_ns = max(call.arrived_ns + hook_wait_ns(call) + permission_wait_ns(call), free_ns)
            since_ns = settled_ns if call.started_ns is None else call.started_ns
        else:
            ready_ns = max(call.arrived_ns, free_ns)
        result_ns = ready_ns + settled_ns - since_ns
        results_ns = max(results_ns, result_ns if call.emitted_ns is not None else 0)
        if call.background_until_ns is not None and not (call.concurrency_safe or call.detached):
            result_ns = ready_ns + call.background_until_ns - since_ns
        all_ns = max(all_ns, result_ns)
        alone_ns = alone_ns if call.concurrency_safe else result_ns
    ends = [response.ended_ns for response in turn.responses]
    return max([results_ns, *(end_ns for end_ns in ends if end_ns is not None)])


def wall(turn: TurnCourse) -> Wall | None:
    """Split a turn's makespan into the model's time, the tools', both at once, and neither."""
    span_ns, bodies, streams = makespan_ns(turn), _bodies(turn), _streams(turn)
    if span_ns is None or bodies is None or streams is None:
        return None
    ran, streamed = _union(bodies, span_ns), _union(streams, span_ns)
    either_ns = _length(_union(ran + streamed))
    both_ns = _length(ran) + _length(streamed) - either_ns
    return Wall(
        model_ns=_length(streamed) - both_ns,
        overlap_ns=both_ns,
        tools_ns=_length(ran) - both_ns,
        waiting_ns=span_ns - either_ns,
    )


def _sum(times_ns: Iterable[int | None]) -> int | None:
    known = list(times_ns)
    return None if None in known else sum(at_ns for at_ns in known if at_ns is not None)


def _bodies(turn: TurnCourse) -> Spans | None:
    """Give the bodies that ran; of one that was abandoned, as long as the turn waited for it (A9)."""
    spans: Spans = []
    for call in turn.calls:
        until_ns = call.ended_ns if call.ended_ns is not None else call.settled_ns
        if call.started_ns is not None and until_ns is not None:
            spans.append((call.started_ns, until_ns))
        elif call.started:
            return None
    return spans


def _streams(turn: TurnCourse) -> Spans | None:
    """Give when responses streamed; one that did not end goes on as long as the turn."""
    if any(response.started_ns is None for response in turn.responses):
        return None
    if turn.header.get("estimates") and turn.response_ended_ns is None:
        return None
    return [
        (response.started_ns, turn.span_ns if response.ended_ns is None else response.ended_ns)
        for response in turn.responses
        if response.started_ns is not None
    ]


def _union(spans: Sequence[tuple[int, int]], until_ns: int | None = None) -> Spans:
    """Join what overlaps or touches, up to an instant."""
    joined: Spans = []
    for since, until in sorted(spans):
        until = until if until_ns is None else min(until, until_ns)
        if joined and since <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(until, joined[-1][1]))
        elif until > since:
            joined.append((since, until))
    return joined


def _length(spans: Spans) -> int:
    return sum(until - since for since, until in spans)
