"""Why a turn took as long as it did: the chain of what had to follow each other, back from its end (B123).

The rule: the steps follow each other without a gap from the turn's start to its makespan, so that a shorter step, and
nothing else, makes a shorter turn. Times in nanoseconds from the turn's start.
"""

from typing import Literal, NamedTuple

from .course import CallCourse, Response, TurnCourse
from .metrics import makespan_ns

Doing = Literal["streams", "runs", "hook", "permission", "background", "held", "user", "pause"]
"""What takes the time of a step: the response, up to a block or its end; a call's body and the hooks after it; hooks
before it; an answer; work in the background (X8); a result on its way to the consumer; the user, until they act; a
pause, until a response is asked for again."""


class Step(NamedTuple):
    """One step of the critical path.

    Args:
        call: whose time it is; ``None`` where it is no call's.
        doing: what takes the time.
        since_ns: when it begins, from the turn's start.
        until_ns: when it ends.
        tool: the call's tool.
    """

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
    return () if span_ns is None else _Back(turn, span_ns).steps()


class _Back:
    """Goes back along a turn from its end: the steps so far, latest first, and the instant they begin at.

    Where it goes on is a call, or the number of an attempt, for its response.
    """

    def __init__(self, turn: TurnCourse, at_ns: int) -> None:
        self._turn = turn
        self._at_ns = at_ns
        self._steps: list[Step] = []
        self._responses = {response.attempt: response for response in turn.responses}
        self._named: dict[str, list[CallCourse]] = {}
        for call in turn.calls:
            self._named.setdefault(call.call, []).append(call)

    def steps(self) -> tuple[Step, ...]:
        """Go to the turn's start and give the steps in their order."""
        met: dict[int, CallCourse | Response] = {}
        place = self._end()
        # In a log that contradicts itself two calls may seem to wait for each other.
        while place is not None and id(place) not in met:
            met[id(place)] = place
            place = self._through(place) if isinstance(place, CallCourse) else self._through_response(place)
        self._step(None, "pause", 0)
        return tuple(reversed(self._steps))

    def _end(self) -> CallCourse | Response | None:
        """Give what ends the turn: a response, or the call that was settled last of those whose results were taken."""
        last = [response for response in self._turn.responses if response.ended_ns == self._at_ns]
        if last:
            return last[-1]
        taken = [call for call in self._turn.calls if call.emitted_ns is not None]
        call = max(taken, key=lambda call: (_over_ns(call), call.emitted_ns))
        self._step(call, "held", _over_ns(call))
        return call

    def _through(self, call: CallCourse) -> CallCourse | Response | None:
        """Go back to what a call came from: its response, or the call that let it in."""
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
                return self._response_of(call)
        self._step(call, "runs", call.arrived_ns if call.arrived_ns is not None else 0)
        return self._response_of(call)

    def _response_of(self, call: CallCourse) -> Response:
        return self._responses.get(call.attempt) or Response(call.attempt, None, None)

    def _ended_at(self, id_: str, at_ns: int) -> CallCourse | None:
        named = self._named.get(id_, [])
        exact = [call for call in named if at_ns in (call.settled_ns, call.ended_ns, call.background_until_ns)]
        found = exact or named
        return found[-1] if found else None

    def _through_response(self, response: Response) -> CallCourse | Response | None:
        """Go back to where a response began, and from a retry to what it had to wait for (A8).

        It is asked for when all calls of the attempts before it are settled, or some time after the last one failed.
        """
        began_ns = 0 if response.started_ns is None else min(response.started_ns, self._at_ns)
        self._step(None, "streams", began_ns)
        calls = [call for call in self._turn.calls if call.attempt < response.attempt and _over_ns(call) == began_ns]
        earlier = [one for one in self._turn.responses if one.attempt < response.attempt]
        if calls or not earlier:
            return calls[-1] if calls else None
        if earlier[-1].ended_ns is not None:
            self._step(None, "pause", earlier[-1].ended_ns)
        return earlier[-1]

    def _step(self, call: CallCourse | None, doing: Doing, since_ns: int) -> None:
        if since_ns < self._at_ns:
            of = (None, None) if call is None else (call.call, call.tool)
            self._steps.append(Step(of[0], doing, since_ns, self._at_ns, of[1]))
            self._at_ns = since_ns


def _over_ns(call: CallCourse) -> int:
    ends = (call.settled_ns, call.ended_ns)
    return max((end_ns for end_ns in ends if end_ns is not None), default=call.emitted_ns or 0)
