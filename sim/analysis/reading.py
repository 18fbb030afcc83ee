"""Reads a log into the course of its turn.

The rule: one pass; what kept a call from starting is whatever was over last before it was let in, for every event of a
log has all its consequences before the next (A11). The inside view is used where there is one; without it a call is
admitted when its body is entered. Times in nanoseconds from the turn's start.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .course import CallCourse, Hook, Response, TurnCourse, Wait, Why
from .lanes import lanes


def read_log(header: Mapping[str, Any], events: Iterable[Event]) -> TurnCourse:
    """Read a log, its violations aside; rows of kinds that are missing leave what they would tell unknown."""
    reading = _Reading()
    for event in events:
        if (take := _TAKES.get(event.kind)) is not None:
            take(reading, event)
    return TurnCourse(
        header=header,
        calls=in_lanes(reading.calls),
        responses=tuple(reading.responses.values()),
        stops=tuple(reading.stops),
        ended=reading.ended,
        turn_ended_ns=reading.turn_ended_ns,
        halted=reading.halted,
    )


def in_lanes(calls: Iterable[CallCourse]) -> tuple[CallCourse, ...]:
    """Give calls their lanes; one of which no instant is known takes one at the turn's start."""
    calls = tuple(calls)
    for call, lane in zip(calls, lanes([call.life_ns or (0, 0) for call in calls]), strict=True):
        call.lane = lane
    return calls


class _Reading:
    """The turn as far as its rows have told it.

    ``over`` is who let others in last: a call, or ``None`` for the response's end; ``overs`` counts such events, and
    ``overs_before`` how many there were when a call came to wait.
    """

    def __init__(self) -> None:
        self.calls: list[CallCourse] = []
        self.responses: dict[int, Response] = {}
        self.stops: list[tuple[int, str]] = []
        self.ended = "not ended"
        self.turn_ended_ns: int | None = None
        self.halted = ""
        self.newest: dict[str, CallCourse] = {}
        self.running: dict[str, CallCourse] = {}
        self.in_background: dict[str, CallCourse] = {}
        self.over: CallCourse | None = None
        self.overs = 0
        self.overs_before: dict[int, int] = {}

    def call(self, id_: str | None) -> CallCourse:
        """Give the newest call of that id."""
        name = id_ or "?"
        return self.newest[name] if name in self.newest else self.begin(name)

    def begin(self, name: str) -> CallCourse:
        """Take up a call that was not named before."""
        call = self.newest[name] = CallCourse(name)
        self.overs_before[id(call)] = self.overs
        self.calls.append(call)
        return call

    def let_in(self, call: CallCourse, at_ns: int) -> None:
        """Note what a call had to wait for that gets its slot now."""
        since_ns = call.arrived_ns
        if call.queued_ns is not None and since_ns is not None and call.queued_ns > since_ns:
            call.waits += (Wait("response", None, since_ns, call.queued_ns),)
            since_ns = call.queued_ns
        if since_ns is not None and at_ns > since_ns and self.overs > self.overs_before[id(call)]:
            by = self.over
            call.waits += (Wait(_why(call, by), None if by is None else by.call, since_ns, at_ns),)

    def give_way(self, call: CallCourse | None) -> None:
        """Note that a call, or the response, holds nobody up any more."""
        self.over, self.overs = call, self.overs + 1


def _why(call: CallCourse, by: CallCourse | None) -> Why:
    if by is None:
        return "response"
    if by.attempt < call.attempt:
        return "predecessor"
    return "limit" if call.concurrency_safe and by.concurrency_safe else "exclusive"


def _response_started(reading: _Reading, event: Event) -> None:
    attempt = event.detail.get("attempt", 0)
    reading.responses[attempt] = Response(attempt, event.t_ns, None)


def _response_over(reading: _Reading, event: Event) -> None:
    attempt = event.detail.get("attempt", 0)
    began = reading.responses.get(attempt, Response(attempt, None, None))
    reading.responses[attempt] = Response(attempt, began.started_ns, event.t_ns, event.kind is Kind.RESPONSE_FAILED)
    reading.give_way(None)


def _block(reading: _Reading, event: Event) -> None:
    told, call = event.detail, reading.call(event.call)
    if call.arrived_ns is not None:
        call = reading.begin(call.call)
    call.arrived_ns, call.tool, call.attempt = event.t_ns, str(told.get("tool", "?")), told.get("attempt", 0)
    call.runnable = bool(told.get("known", True) and told.get("valid", True))
    call.concurrency_safe = bool(told["safe"]) if told.get("safe") is not None else None
    call.estimated = "estimated" in told


def _queued(reading: _Reading, event: Event) -> None:
    call = reading.call(event.call)
    call.queued_ns = event.t_ns
    reading.overs_before[id(call)] = reading.overs


def _admitted(reading: _Reading, event: Event) -> None:
    call = reading.call(event.call)
    reading.let_in(call, event.t_ns)
    call.admitted_ns = event.t_ns
    reading.overs_before[id(call)] = reading.overs


def _entered(reading: _Reading, event: Event) -> None:
    call = reading.running[event.call or "?"] = reading.call(event.call)
    call.estimated = call.estimated or "estimated" in event.detail
    if call.admitted_ns is None:
        reading.let_in(call, event.t_ns)
    else:
        since_ns = _stood_before(call)
        if event.t_ns > since_ns and reading.overs > reading.overs_before[id(call)]:
            by = None if reading.over is None else reading.over.call
            call.waits += (Wait("rewrite", by, since_ns, event.t_ns),)
    if call.started_ns is None:
        call.started_ns, call.started = event.t_ns, True


def _stood_before(call: CallCourse) -> int:
    """Note the hooks and the question before a body, once it is entered or will not be; tells when they were over."""
    assert call.admitted_ns is not None, "only what is admitted meets hooks"
    since_ns = call.admitted_ns
    hooks_ns = max((hook.ended_ns for hook in call.hooks if hook.ended_ns is not None), default=since_ns)
    before_ns = hooks_ns if call.question_asked_ns is None else min(hooks_ns, call.question_asked_ns)
    if before_ns > since_ns:
        call.waits += (Wait("hook", None, since_ns, before_ns),)
        since_ns = before_ns
    answered_ns = call.question_answered_ns
    if answered_ns is not None and answered_ns > since_ns:
        call.waits += (Wait("permission", None, since_ns, answered_ns),)
        since_ns = answered_ns
    return since_ns


def _signalled(reading: _Reading, event: Event) -> None:
    call = reading.running.get(event.call or "?") or reading.call(event.call)
    call.signalled_ns = event.t_ns if call.signalled_ns is None else call.signalled_ns


def _progressed(reading: _Reading, event: Event) -> None:
    call = reading.running.get(event.call or "?") or reading.call(event.call)
    call.progress_ns.append(event.t_ns)


def _left(reading: _Reading, event: Event) -> None:
    call = reading.running.pop(event.call or "?", None) or reading.call(event.call)
    call.ended_ns = event.t_ns
    call.estimated = call.estimated or "estimated" in event.detail
    call.detached = bool(event.detail.get("detached"))
    if event.detail.get("ended") == "background" and not call.concurrency_safe and not call.detached:
        reading.in_background[call.call] = call
    elif call.admitted_ns is None:
        reading.give_way(call)


def _work_ended(reading: _Reading, event: Event) -> None:
    call = reading.in_background.pop(event.call or "?", None)
    (call or reading.call(event.call)).background_until_ns = event.t_ns
    if call is not None:
        reading.give_way(call)


def _completed(reading: _Reading, event: Event) -> None:
    call = reading.running.get(event.call or "?") or reading.call(event.call)
    call.settled_ns, call.outcome = event.t_ns, str(event.detail.get("outcome", "?"))
    if call.admitted_ns is None:
        _gave_up(reading, call, event.t_ns)
        return
    if call.started_ns is None:
        _stood_before(call)
    if call.call not in reading.in_background:
        reading.give_way(call)


def _gave_up(reading: _Reading, call: CallCourse, at_ns: int) -> None:
    """Note what a call waited for that never came to its turn."""
    since_ns = call.arrived_ns
    if since_ns is not None and at_ns > since_ns:
        culprit = reading.over if call.outcome == Outcome.SIBLING_ERROR else None
        call.waits += (Wait("abort", None if culprit is None else culprit.call, since_ns, at_ns),)


def _emitted(reading: _Reading, event: Event) -> None:
    call, told = reading.call(event.call), event.detail
    if told.get("what") != "result" or call.emitted_ns is not None:
        return
    call.emitted_ns, call.outcome = event.t_ns, str(told.get("outcome", "?"))
    call.abandoned = bool(told.get("abandoned"))
    call.started = call.started or bool(told.get("started"))
    call.estimated = call.estimated or "estimated" in told


def _discard(reading: _Reading, event: Event) -> None:
    withdrawn = _listed(event, "withdrawn")
    for call in reading.calls:
        if call.attempt == event.detail.get("attempt", 0):
            call.taken_back = "withdrawn" if call.call in withdrawn else "discarded"


def _acted(reading: _Reading, event: Event) -> None:
    reading.stops.append((event.t_ns, event.kind.value))


def _hook_started(reading: _Reading, event: Event) -> None:
    call = reading.call(event.call)
    call.hooks += (Hook(str(event.detail.get("hook", "?")), event.t_ns, None),)


def _hook_ended(reading: _Reading, event: Event) -> None:
    call, name = reading.call(event.call), str(event.detail.get("hook", "?"))
    open_ = next((n for n, hook in enumerate(call.hooks) if hook.name == name and hook.ended_ns is None), None)
    if open_ is not None:
        hook = call.hooks[open_]._replace(ended_ns=event.t_ns)
        call.hooks = (*call.hooks[:open_], hook, *call.hooks[open_ + 1 :])


def _asked(reading: _Reading, event: Event) -> None:
    reading.call(event.call).question_asked_ns = event.t_ns


def _answered(reading: _Reading, event: Event) -> None:
    reading.call(event.call).question_answered_ns = event.t_ns


def _hardened(reading: _Reading, event: Event) -> None:
    call = reading.call(event.call)
    call.concurrency_safe, call.hardened = False, True


def _turn_ended(reading: _Reading, event: Event) -> None:
    reading.ended, reading.turn_ended_ns = str(event.detail.get("how", "ended")), event.t_ns
    for pair in _listed(event, "closing"):
        if isinstance(pair, list | tuple) and len(pair) == 2:
            call = reading.call(str(pair[0]))
            call.outcome, call.untaken = str(pair[1]), True
    for id_ in map(str, _listed(event, "abandoned")):
        if id_ in reading.newest:
            reading.newest[id_].abandoned = True


def _halted(reading: _Reading, event: Event) -> None:
    waiting = "; ".join(map(str, _listed(event, "waiting")))
    reading.halted = ": ".join(filter(None, ["halted", str(event.detail.get("why", "?")), waiting]))


def _listed(event: Event, key: str) -> list[Any]:
    """Give what a row lists under a key; logs of others may hold anything there."""
    value = event.detail.get(key)
    return list(value) if isinstance(value, list | tuple) else []


_TAKES: Final[Mapping[Kind, Callable[[_Reading, Event], None]]] = {
    Kind.RESPONSE_STARTED: _response_started,
    Kind.RESPONSE_ENDED: _response_over,
    Kind.RESPONSE_FAILED: _response_over,
    Kind.BLOCK: _block,
    Kind.QUEUED: _queued,
    Kind.ADMITTED: _admitted,
    Kind.ENTERED: _entered,
    Kind.SIGNALLED: _signalled,
    Kind.PROGRESSED: _progressed,
    Kind.LEFT: _left,
    Kind.WORK_ENDED: _work_ended,
    Kind.COMPLETED: _completed,
    Kind.EMITTED: _emitted,
    Kind.DISCARD: _discard,
    Kind.STOP: _acted,
    Kind.SUBMIT: _acted,
    Kind.HOOK_STARTED: _hook_started,
    Kind.HOOK_ENDED: _hook_ended,
    Kind.QUESTION_ASKED: _asked,
    Kind.QUESTION_ANSWERED: _answered,
    Kind.HARDENED: _hardened,
    Kind.TURN_ENDED: _turn_ended,
    Kind.HALTED: _halted,
}
