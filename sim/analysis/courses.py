"""Gives the course of a turn, be it a run, a log or a recorded turn.

The rule: what is asked for is told once, here, so that every number and every drawing of a turn agrees with the others.
A recorded turn starts with its first block. Times in nanoseconds from the turn's start.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from executor.events import Event
from scenarios.traces.model import RecordedTurn
from sim.oracle import Violation, judge
from sim.oracle.comparison import Log
from sim.world import Run, check

from .course import CallCourse, Hook, Response, TurnCourse, Wait, Why
from .reading import read_log
from .recorded import read_recorded
from .replay import judge_recorded

__all__ = ["CallCourse", "HasLog", "Hook", "Log", "Response", "TurnCourse", "Wait", "Why", "courses"]


class HasLog(Protocol):
    """What keeps a log, such as a :class:`~sim.world.Run` or an :class:`executor.Recorder`."""

    @property
    def header(self) -> Mapping[str, Any]:
        """The log's header."""

    @property
    def events(self) -> Sequence[Event]:
        """The log's rows."""


def courses(
    of: HasLog | Log | RecordedTurn | TurnCourse, *, violations: Iterable[Violation] | None = None
) -> TurnCourse:
    """Give what a turn came to, call by call.

    Args:
        of: a run, a recorder, a log, or a recorded turn; a course is given back.
        violations: the rules it breaks, where they are known; without them it is judged here.

    Raises:
        ValueError: the log says something that cannot be judged, such as a limit that is no number.

    >>> from scenarios import Call, Scenario
    >>> from sim import simulate
    >>> turn = courses(simulate(Scenario(calls=[Call(id="a", takes="2s"), Call(id="b", at="1s", takes="2s")])))
    >>> [(call.call, call.started_ns, call.lane, call.blocked_by) for call in turn.calls]
    [('a', 0, 0, None), ('b', 1000000000, 1, None)]
    """
    if isinstance(of, TurnCourse):
        return of
    if isinstance(of, RecordedTurn):
        course = read_recorded(of) if of.log is None else read_log(*of.log)
    else:
        course = read_log(*of) if isinstance(of, tuple) else read_log(of.header, of.events)
    return replace(course, violations=tuple(_judged(of) if violations is None else violations))


def _judged(of: HasLog | Log | RecordedTurn) -> Iterable[Violation]:
    if isinstance(of, RecordedTurn):
        return judge_recorded(of)[0]
    if isinstance(of, Run):
        return check(of)
    return judge(*(of if isinstance(of, tuple) else (of.header, of.events))).violations
