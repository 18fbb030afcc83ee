"""Recorded turns replayed: what each cost, and what every engine would have cost.

The rule: what the file does not tell stays unknown (``None``) and the reason is said; times taken from transcripts are
estimates (B121). Unit: nanoseconds; a replayed turn starts at its first block's arrival.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from executor.events import Event, Kind
from scenarios.expect import ENGINES, Engine
from scenarios.traces.fit import obstacle, to_scenario
from scenarios.traces.model import RecordedTurn
from scenarios.traces.recorded_log import JUDGED, to_log
from sim.oracle import Violation, compare_makespans, judge, makespan_ns
from sim.oracle.view import results_in
from sim.world import Run, check, simulate

Turn = TypeVar("Turn")

_TOLERANCE: Final = 1.05
_TOLERANCE_NS: Final = 100_000_000
"""How much shorter than its replay a recording may be before it refutes the classes that the replay assumed."""


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """One recorded turn beside what each engine would have made of it.

    Args:
        turn: as it was recorded.
        makespan_ns: by ``recorded`` and each engine; ``None`` where unknown.
        violations: the rules the recording breaks.
        unanswered: ids of calls without a result because the file ends before it: no rule is broken by that.
        simulated: the rules that a run of ours breaks: a defect of ours, not of the recording.
        why_unknown: why the turn could not be simulated, ``None`` if it was.
        runs: what each engine made of it, if it was simulated.
    """

    turn: RecordedTurn
    makespan_ns: Mapping[str, int | None]
    violations: tuple[Violation, ...]
    unanswered: tuple[str, ...]
    simulated: tuple[Violation, ...]
    why_unknown: str | None
    runs: Mapping[Engine, Run] = field(default_factory=dict)

    @property
    def refutes_its_classes(self) -> bool:
        """Whether the recording was faster than its own engine could be if the classes assumed were right.

        Then calls ran side by side that the replay keeps apart, and the comparison would be of other turns.
        """
        return refutes(self.makespan_ns["recorded"], self.makespan_ns[self.turn.choice.assumed.engine])


def refutes(recorded_ns: int | None, replayed_ns: int | None) -> bool:
    """Tell whether a recording is so much shorter than its replay that the classes assumed must be wrong."""
    if recorded_ns is None or replayed_ns is None:
        return False
    return replayed_ns > recorded_ns * _TOLERANCE + _TOLERANCE_NS


def replay(turn: RecordedTurn, *, is_last: bool = False) -> ReplayedTurn:
    """Judge a recorded turn, then play it on the virtual clock under every engine.

    Args:
        turn: as an importer gave it.
        is_last: whether the file ends with it.
    """
    violations, unanswered = judge_recorded(turn, is_last=is_last)
    spans: dict[str, int | None] = {"recorded": turn.makespan_ns} | dict.fromkeys(ENGINES)
    simulated: list[Violation] = []
    scenario = to_scenario(turn)
    runs: dict[Engine, Run] = {} if scenario is None else {engine: simulate(scenario, engine) for engine in ENGINES}
    for engine, run in runs.items():
        spans[engine] = makespan_ns(run.events)
        simulated += check(run)
    if runs:
        simulated += compare_makespans({engine: (run.header, run.events) for engine, run in runs.items()})
    return ReplayedTurn(turn, spans, violations, unanswered, tuple(simulated), obstacle(turn), runs)


def judge_recorded(turn: RecordedTurn, *, is_last: bool = False) -> tuple[tuple[Violation, ...], tuple[str, ...]]:
    """Give the rules that a recording itself breaks, of those it can be judged by, and what the file's end leaves open.

    A source that writes no results leaves none out. An event log is judged by all rules, another recording by those
    that need neither exact starts nor classes.

    Args:
        turn: as an importer gave it.
        is_last: whether the file ends with it: then a missing result may still come.
    """
    may_go_on = is_last or turn.unfinished
    if turn.log is not None:
        try:
            return judge_log(*turn.log, may_go_on=may_go_on)
        except ValueError:
            # A log of somebody else's may say things that no rule can be held against; its results can be counted.
            turn = turn._replace(log=None)
    found = judge(*to_log(turn), rules=JUDGED).violations
    if not may_go_on and turn.results_told:
        return found, ()
    missing = {call.id for call in turn.calls if call.outcome is None}
    broken = tuple(one for one in found if one.rule != "P1" or not missing.issuperset(one.calls))
    return broken, tuple(call.id for call in turn.calls if call.id in missing) if turn.results_told else ()


def judge_log(
    header: Mapping[str, Any], events: Sequence[Event], *, may_go_on: bool
) -> tuple[tuple[Violation, ...], tuple[str, ...]]:
    """Give the rules that an event log breaks, and the calls whose result may still come.

    Args:
        header: with what was run.
        events: the rows.
        may_go_on: whether the file ends with this log; once its turn is over nothing comes any more.

    Raises:
        ValueError: a header or row whose details have the wrong type.
    """
    found = judge(header, events).violations
    if not may_go_on or any(event.kind is Kind.TURN_ENDED for event in events):
        return found, ()
    answered = {call for event in events for call, _ in results_in(event)}
    unanswered = tuple(call for one in found if one.rule == "P1" for call in one.calls if call not in answered)
    return tuple(one for one in found if one.rule != "P1" or answered.issuperset(one.calls)), unanswered


def with_last(turns: Iterable[Turn]) -> Iterator[tuple[Turn, bool]]:
    """Give each turn, and whether it is the last; one turn is held back for it."""
    held: Turn | None = None
    for turn in turns:
        if held is not None:
            yield held, False
        held = turn
    if held is not None:
        yield held, True
