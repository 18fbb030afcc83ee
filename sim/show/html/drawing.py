"""What the page is told of one turn.

The rule: what is not known is left out, and every foreign text is made visible. Times in nanoseconds from the turn's
start.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from sim.analysis.courses import CallCourse, TurnCourse, Wait
from sim.oracle import Violation

from ..amounts import counted, tally
from ..visible import visible

LONGEST_TEXT: Final = 400
"""How many characters of a foreign text are kept."""


def drawing(course: TurnCourse, abouts: Mapping[str, str], *, most: int) -> dict[str, Any]:
    """Tell a turn.

    Args:
        course: the turn.
        abouts: what the calls are about, by id.
        most: how many calls are told: those that a broken rule concerns before others, then the first.
    """
    concerned = {call for violation in course.violations for call in violation.calls}
    calls = _chosen(course.calls, concerned, most)
    left_out = len(course.calls) - len(calls)
    told = [course.ended, course.halted, f"{counted(left_out, 'more call')}, not drawn" if left_out else ""]
    told += tally(course.untold)
    return {
        "span": course.span_ns,
        "told": [shown(part) for part in told if part],
        "responses": [{"from": one.started_ns, "to": one.ended_ns, "failed": one.failed} for one in course.responses],
        "acts": [[at_ns, what] for at_ns, what in course.stops],
        "calls": [_call(call, abouts.get(call.call, "")) for call in calls],
    }


def broken(violation: Violation, view: str) -> dict[str, Any]:
    """Tell a broken rule, and in which view of its turn."""
    return {
        "view": shown(view),
        "rule": violation.rule,
        "at": violation.at_ns,
        "calls": [shown(call) for call in violation.calls[:20]],
        "message": shown(violation.message),
        "statement": shown(violation.statement),
        "again": shown(violation.reproduce),
    }


def shown(text: str) -> str:
    """Make a foreign text visible, and cut one that is beyond all measure."""
    return visible(text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…")


def _chosen(calls: Sequence[CallCourse], concerned: Set[str], most: int) -> list[CallCourse]:
    places = sorted(range(len(calls)), key=lambda place: calls[place].call not in concerned)[:most]
    return [calls[place] for place in sorted(places)]


def _call(call: CallCourse, about: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": shown(call.call),
        "tool": shown(call.tool),
        "class": _class(call),
        "about": shown(about) or None,
        "attempt": call.attempt or None,
        "arrived": call.arrived_ns,
        "admitted": call.admitted_ns,
        "asked": call.question_asked_ns,
        "answered": call.question_answered_ns,
        "started": call.started_ns,
        "signalled": call.signalled_ns,
        "ended": call.ended_ns,
        "settled": call.settled_ns,
        "emitted": call.emitted_ns,
        "later": call.background_until_ns,
        "progress": call.progress_ns or None,
        "hooks": [[shown(hook.name), hook.started_ns, hook.ended_ns] for hook in call.hooks] or None,
        "waits": [_wait(wait) for wait in call.waits] or None,
        "outcome": None if call.outcome is None else shown(call.outcome),
        "ran": call.started or None,
        "abandoned": call.abandoned or None,
        "taken_back": call.taken_back,
        "untaken": call.untaken or None,
        "basis": None if call.start_basis == "recorded" else call.start_basis,
        "estimated": call.estimated or None,
    }
    return {key: value for key, value in told.items() if value is not None}


def _wait(wait: Wait) -> dict[str, Any]:
    told = {"why": wait.why, "from": wait.since_ns, "to": wait.until_ns}
    return told if wait.call is None else told | {"call": shown(wait.call)}


def _class(call: CallCourse) -> str:
    if not call.runnable:
        return "none"
    return "unknown" if call.concurrency_safe is None else "safe" if call.concurrency_safe else "exclusive"
