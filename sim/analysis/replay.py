"""Recorded turns replayed: what each cost, and what every engine would have cost.

The rule: what the file does not tell stays unknown (``None``) and the reason is said; times taken from transcripts are
estimates (B121). Unit: nanoseconds; a replayed turn starts at its first block's arrival.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from executor import Engine
from scenarios.traces.fit import obstacle, to_scenario
from scenarios.traces.model import RecordedTurn
from scenarios.traces.recorded_log import JUDGED, to_log
from sim.oracle import Violation, check, judge, makespan_ns
from sim.world import simulate

ENGINES: Final[tuple[Engine, ...]] = ("streaming", "batch", "serial")
"""The engines a turn is replayed under."""


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """One recorded turn beside what each engine would have made of it.

    Args:
        turn: as it was recorded.
        makespan_ns: by ``recorded`` and each engine; ``None`` where unknown.
        violations: rules the recording breaks, then rules a simulated run of it breaks.
        why_unknown: why the turn could not be simulated, ``None`` if it was.
    """

    turn: RecordedTurn
    makespan_ns: Mapping[str, int | None]
    violations: tuple[Violation, ...]
    why_unknown: str | None


def replay(turn: RecordedTurn) -> ReplayedTurn:
    """Judge a recorded turn, then play it on the virtual clock under every engine."""
    violations = list(judge_recorded(turn))
    spans: dict[str, int | None] = {"recorded": turn.makespan_ns} | dict.fromkeys(ENGINES)
    scenario = to_scenario(turn)
    if scenario is not None:
        for engine in ENGINES:
            run = simulate(scenario, engine)
            spans[engine] = makespan_ns(run.events)
            violations += check(run.header, run.events)
    return ReplayedTurn(turn, spans, tuple(violations), obstacle(turn))


def judge_recorded(turn: RecordedTurn) -> tuple[Violation, ...]:
    """Give the rules that a recording itself breaks, of those it can be judged by."""
    header, events = to_log(turn)
    return judge(header, events, rules=JUDGED).violations
