"""What a call was doing when: the stretches that exports write and figures draw.

The rule: stretches of one call that share a track follow each other, whatever its log says. Unit: nanoseconds from the
turn's start.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from sim.analysis.course import CallCourse, Hook


class Phase(NamedTuple):
    """One stretch of time, with what to tell of it."""

    name: str
    start_ns: int
    end_ns: int
    told: Mapping[str, Any] = {}

    @classmethod
    def between(cls, name: str, start_ns: int | None, end_ns: int | None) -> Self | None:
        """Make a stretch where both ends are known and it lasts."""
        if start_ns is None or end_ns is None or end_ns <= start_ns:
            return None
        return cls(name, start_ns, end_ns)


def executed(call: CallCourse, over_ns: int) -> Phase | None:
    """Give the time in which a call held its slot, or, where only that is told, its body ran.

    A body that was given up (A9) counts until it ended. One whose end is unknown lasts as long as the turn is known to.

    Args:
        call: the call.
        over_ns: the last instant known of the turn.
    """
    start_ns = call.started_ns if call.admitted_ns is None else call.admitted_ns
    if start_ns is None:
        return None
    ends = [at_ns for at_ns in (call.settled_ns, call.ended_ns) if at_ns is not None]
    is_open = not ends or (call.started_ns is not None and call.ended_ns is None)
    end_ns = max(over_ns, *ends) if is_open and ends else max(ends, default=over_ns)
    return Phase("executes", start_ns, max(end_ns, start_ns), {"open": True} if is_open else {})


def queued(call: CallCourse) -> Phase | None:
    """Give the time from a call's arrival to its admission, or to its end where it was never admitted."""
    ends = (call.admitted_ns, call.started_ns, call.settled_ns, call.emitted_ns)
    return Phase.between("queued", call.arrived_ns, next((at_ns for at_ns in ends if at_ns is not None), None))


def held(call: CallCourse) -> Phase | None:
    """Give the time for which a final result waited to be emitted."""
    return Phase.between("held", call.ended_ns if call.settled_ns is None else call.settled_ns, call.emitted_ns)


def phases(call: CallCourse, span: Phase) -> Iterator[Phase]:
    """Divide a call's execution: hooks, question, body, hooks; nothing where the body is the whole of it.

    Hooks run side by side and count as one stretch, which tells when each began and ended.
    """
    over_ns = span.start_ns
    for part in sorted(_parts(call, span), key=lambda part: part.start_ns):
        start_ns, end_ns = max(part.start_ns, over_ns), min(part.end_ns, span.end_ns)
        if start_ns < end_ns and (start_ns, end_ns) != (span.start_ns, span.end_ns):
            yield part._replace(start_ns=start_ns, end_ns=end_ns)
            over_ns = end_ns


def _parts(call: CallCourse, span: Phase) -> Iterator[Phase]:
    body_ns = span.end_ns if call.started_ns is None else call.started_ns
    for name, hooks in (
        ("hooks before", [hook for hook in call.hooks if hook.started_ns < body_ns]),
        ("hooks after", [hook for hook in call.hooks if hook.started_ns >= body_ns]),
    ):
        if hooks:
            yield Phase(name, hooks[0].started_ns, max(_end_ns(hook, span) for hook in hooks), _told(hooks))
    if call.question_asked_ns is not None:
        answered_ns = span.end_ns if call.question_answered_ns is None else call.question_answered_ns
        yield Phase("question", call.question_asked_ns, answered_ns)
    if call.started_ns is not None:
        yield Phase("body", call.started_ns, span.end_ns if call.ended_ns is None else call.ended_ns)


def _end_ns(hook: Hook, span: Phase) -> int:
    return span.end_ns if hook.ended_ns is None else hook.ended_ns


def _told(hooks: list[Hook]) -> dict[str, Any]:
    return {f"{number} {hook.name}": [hook.started_ns, hook.ended_ns] for number, hook in enumerate(hooks, start=1)}
