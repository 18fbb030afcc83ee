"""All numbers of one turn together, so that they can be kept where its log cannot.

The rule: a number is what its function in :mod:`~sim.analysis.metrics` says. Unit: nanoseconds.
"""

from dataclasses import dataclass

from executor.calls.outcome import Outcome

from . import metrics
from .course import TurnCourse
from .critical import Step, critical_path


@dataclass(frozen=True, slots=True)
class TurnNumbers:
    """The numbers of a turn; ``None`` is not known. ``failed`` counts the calls whose result is not ``ok``,
    ``broken`` names the rules that ``violations`` counts the breaches of."""

    calls: int
    started: int
    failed: int
    attempts: int
    violations: int
    broken: tuple[str, ...]
    ended: str
    estimated: bool
    makespan_ns: int | None
    first_result_ns: int | None
    stream_ns: int | None
    after_stream_ns: int | None
    busy_ns: int | None
    total_ns: int | None
    model_ns: int | None
    overlap_ns: int | None
    tools_ns: int | None
    waiting_ns: int | None
    queue_wait_ns: int | None
    head_of_line_ns: int | None
    lower_bound_ns: int | None
    peak: int | None
    critical: tuple[Step, ...]

    @property
    def critical_calls(self) -> tuple[str, ...]:
        """What the makespan is made of, in words: ids of calls, ``response``, ``user``, ``pause``, in order."""
        names = [str(step) for step in self.critical]
        return tuple(name for place, name in enumerate(names) if place == 0 or name != names[place - 1])


def numbers(turn: TurnCourse) -> TurnNumbers:
    """Give all numbers of a turn.

    Args:
        turn: its course.
    """
    wall = metrics.wall(turn)
    return TurnNumbers(
        calls=len(turn.calls),
        started=sum(call.started for call in turn.calls),
        failed=sum(call.outcome not in (None, Outcome.OK) for call in turn.calls),
        attempts=len(turn.responses),
        violations=len(turn.violations),
        broken=tuple(dict.fromkeys(violation.rule for violation in turn.violations)),
        ended=turn.ended,
        estimated=bool(turn.header.get("estimates")) or any(call.estimated for call in turn.calls),
        makespan_ns=metrics.makespan_ns(turn),
        first_result_ns=metrics.first_result_ns(turn),
        stream_ns=metrics.stream_ns(turn),
        after_stream_ns=metrics.after_stream_ns(turn),
        busy_ns=metrics.busy_ns(turn),
        total_ns=metrics.total_ns(turn),
        model_ns=None if wall is None else wall.model_ns,
        overlap_ns=None if wall is None else wall.overlap_ns,
        tools_ns=None if wall is None else wall.tools_ns,
        waiting_ns=None if wall is None else wall.waiting_ns,
        queue_wait_ns=metrics.total_queue_wait_ns(turn),
        head_of_line_ns=metrics.total_head_of_line_ns(turn),
        lower_bound_ns=metrics.lower_bound_ns(turn),
        peak=metrics.peak(turn),
        critical=critical_path(turn),
    )
