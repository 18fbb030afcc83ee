"""Why a turn took as long as it did: the chain of what had to follow each other, back from its end (B123).

The rule: the steps follow each other without a gap from the turn's start to its makespan, so that a shorter step, and
nothing else, makes a shorter turn. Times in nanoseconds from the turn's start.
"""

from typing import Literal, NamedTuple

from .course import CallCourse, TurnCourse
from .metrics import makespan_ns

Doing = Literal["streams", "runs", "hook", "permission", "background", "held", "user", "pause"]
"""What takes the time of a step: the response, up to a block or its end; a call's body and the hooks after it; hooks
before it; an answer; work in the background (X8); a result on its way to the consumer; the user, until they act; a
pause, until a response is asked for again."""


class Step(NamedTuple):
    """One step of the critical path; ``call`` and ``tool`` are ``None`` where no call takes its time."""

    call: str | None
    doing: Doing
    since_ns: int
    until_ns: int
    tool: str | None = None

    def __str__(self) -> str:
        return self.call or {"streams": "response"}.get(self.doing, self.doing)


def critical_path(turn: TurnCourse) -> tuple[Step, ...]:
    """Give the steps that a turn's makespan is made of, from its start to its end; none where a time is not known.

    Args:
        turn: its course.

    >>> from scenarios import Call, Scenario
    >>> from sim import simulate
    >>> from sim.analysis.courses import courses
    >>> turn = Scenario(calls=[Call(id="a", at="1s", takes="1s"), Call(id="b", safe=False, at="1s", takes="2s")])
    >>> [(str(step), step.doing, step.until_ns) for step in critical_path(courses(simulate(turn)))]
    [('response', 'streams', 1000000000), ('a', 'runs', 2000000000), ('b', 'runs', 4000000000)]
    """
    span_ns = makespan_ns(turn)
    if span_ns is None:
        return ()
    back = _Back(turn, span_ns)
    if any(response.ended_ns == span_ns for response in turn.responses):
        back.to_response(turn.responses[-1].attempt)
    else:
        back.to_last_result()
    return tuple(reversed(back.steps))


class _Back:
    """Goes back along a turn from its end: the steps so far, latest first, and the instant they begin at."""

    def __init__(self, turn: TurnCourse, at_ns: int) -> None:
        self.steps: list[Step] = []
        self._turn = turn
        self._at_ns = at_ns
        self._responses = {response.attempt: response for response in turn.responses}

    def to_last_result(self) -> None:
        """Go on with the call that was settled last of those whose results were taken."""
        taken = [call for call in self._turn.calls if call.emitted_ns is not None]
        last = max(taken, key=lambda call: (_over_ns(call), call.emitted_ns))
        self._step(last, "held", _over_ns(last))
        self._to_call(last)

    def to_response(self, attempt: int) -> None:
        """Go on with a response, and what came before it was asked for."""
        response = self._responses.get(attempt)
        began_ns = 0 if response is None or response.started_ns is None else min(response.started_ns, self._at_ns)
        self._step(None, "streams", began_ns)
        if attempt > 0 and began_ns > 0:
            self._to_attempt_before(attempt)
        else:
            self._step(None, "pause", 0)

    def _to_call(self, call: CallCourse | None) -> None:
        while call is not None:
            call = self._through(call)

    def _through(self, call: CallCourse) -> CallCourse | None:
        """Go back to where a call came from: its block, or the call that let it in, which is given."""
        settled_ns = call.settled_ns if call.settled_ns is not None else call.ended_ns
        if settled_ns is not None:
            self._step(call, "background", settled_ns)
        for wait in reversed(call.waits):
            self._step(call, "runs", wait.until_ns)
            if wait.why in ("hook", "permission"):
                self._step(call, wait.why, wait.since_ns)
            elif wait.call is not None and (before := self._ended_at(wait.call, wait.until_ns)) is not None:
                return before
            elif wait.why == "abort":
                self._step(None, "user", 0)
                return None
            else:
                self.to_response(call.attempt)
                return None
        self._step(call, "runs", call.arrived_ns if call.arrived_ns is not None else 0)
        self.to_response(call.attempt)
        return None

    def _ended_at(self, id_: str, at_ns: int) -> CallCourse | None:
        named = [call for call in self._turn.calls if call.call == id_]
        exact = [call for call in named if at_ns in (call.settled_ns, call.ended_ns, call.background_until_ns)]
        found = exact or named
        return found[-1] if found else None

    def _to_attempt_before(self, attempt: int) -> None:
        """A retry begins when all calls of the attempt before it are settled, or at once where there are none (A8)."""
        before = [call for call in self._turn.calls if call.attempt < attempt and _over_ns(call) == self._at_ns]
        if before:
            self._to_call(before[-1])
            return
        earlier = self._responses.get(attempt - 1)
        if earlier is not None and earlier.ended_ns is not None:
            self._step(None, "pause", earlier.ended_ns)
        self.to_response(attempt - 1)

    def _step(self, call: CallCourse | None, doing: Doing, since_ns: int) -> None:
        if since_ns < self._at_ns:
            of = (None, None) if call is None else (call.call, call.tool)
            self.steps.append(Step(of[0], doing, since_ns, self._at_ns, of[1]))
            self._at_ns = since_ns


def _over_ns(call: CallCourse) -> int:
    ends = (call.settled_ns, call.ended_ns)
    return max((end_ns for end_ns in ends if end_ns is not None), default=call.emitted_ns or 0)
