"""Compares one turn, or the turns of one file, under several engines and policies: what one process does at a time.

The rule: what a file gives depends on the file alone, so that it does not matter who compares it, and when; what cannot
be compared is counted by its reason. Times in nanoseconds.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from scenarios import Scenario, ScenarioError, load
from scenarios.files import is_named_as_scenario
from scenarios.traces import TraceError, read_trace
from scenarios.traces.fit import obstacle, to_scenario
from scenarios.traces.model import RecordedTurn
from scenarios.traces.profiles import Profile
from sim.explore.plan import engine_named
from sim.oracle import makespan_ns
from sim.world import AnyExecutor, simulate

from .columns import TurnRow
from .courses import courses
from .numbers import numbers
from .policy import Policy
from .replay import refutes

REFUTED: Final = "calls ran side by side that the assumed classes keep apart"

CallId = tuple[str, str]
"""What a call is known by in every file: its message's id and its own."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each turn.

    Args:
        engines: under which engines, by name, ``MODULE:FUNCTION``, or executors of one's own.
        policies: under which options.
        seed: chooses what a scenario leaves open.
        profile: how recorded turns were run; chosen for each file without it.
    """

    engines: tuple[str | AnyExecutor, ...]
    policies: tuple[Policy, ...]
    seed: int = 0
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """One turn: a row for each policy and engine, or why there is none; and its calls, where copies can be known."""

    rows: tuple[TurnRow, ...]
    left_out: str = ""
    calls: frozenset[CallId] = frozenset()


@dataclass(slots=True)
class ComparedFile:
    """What came of a file: its turns, how much of it is damaged, or why none of it could be read."""

    turns: list[ComparedTurn] = field(default_factory=list)
    damage: int = 0
    unreadable: str = ""


def compare_file(path: Path, question: Question) -> ComparedFile:
    """Compare the turns of a recording or the turn of a scenario file."""
    done = ComparedFile()
    try:
        reader = read_trace(path, profile=question.profile)
        for turn in reader:
            done.turns.append(compare_recorded(turn, question, str(path), own_ids=reader.own_ids))
        done.damage = len(reader.damage)
    except TraceError as error:
        done.unreadable = str(error)
    if done.unreadable and is_named_as_scenario(path):
        try:
            return ComparedFile([compare_scenario(load(path), question, str(path))])
        except ScenarioError as error:
            done.unreadable = str(error)
    return done


def compare_recorded(
    turn: RecordedTurn, question: Question, source: str = "", *, own_ids: bool = False
) -> ComparedTurn:
    """Compare a recorded turn.

    Args:
        turn: as an importer gave it.
        question: what is asked.
        source: its file.
        own_ids: whether its ids are unlike those of any other file.
    """
    calls = frozenset((turn.message_id, call.id) for call in turn.calls) if own_ids else frozenset()
    scenario = to_scenario(turn)
    if scenario is None:
        return ComparedTurn((), obstacle(turn) or "its times are unknown", calls)
    compared = compare_scenario(scenario, question, source, turn.number, recorded=turn)
    if refutes(turn.makespan_ns, _replayed_ns(turn, scenario, compared)):
        compared = ComparedTurn((), REFUTED)
    return replace(compared, calls=calls)


def _replayed_ns(turn: RecordedTurn, scenario: Scenario, compared: ComparedTurn) -> int | None:
    """Give the makespan under the turn's own engine and options, which may be among what was asked."""
    own = turn.choice.assumed.engine
    asked = (row for row in compared.rows if row.engine == own and row.policy == str(Policy()))
    if (row := next(asked, None)) is not None:
        return row.numbers.makespan_ns
    return makespan_ns(simulate(scenario, own).events)


def compare_scenario(
    scenario: Scenario, question: Question, source: str = "", number: int = 1, *, recorded: RecordedTurn | None = None
) -> ComparedTurn:
    """Compare a scenario's turn.

    Args:
        scenario: the turn.
        question: what is asked.
        source: its file.
        number: its number among those of one source.
        recorded: what it was made of.
    """
    line, recorded_ns = (None, None) if recorded is None else (recorded.line, recorded.makespan_ns)
    rows: list[TurnRow] = []
    for policy in question.policies:
        turn = policy.apply(scenario)
        for engine in question.engines:
            try:
                run = simulate(turn, engine_named(engine) if isinstance(engine, str) else engine, question.seed)
            except ValueError as error:
                # The executor is one of somebody's own, and cannot be told of what the turn has.
                return ComparedTurn((), str(error))
            told = numbers(courses(run))
            if recorded is not None and recorded.log is None:
                told = replace(told, estimated=True)
            if run.trouble is not None or told.makespan_ns is None:
                why = "it comes to no end" if run.trouble is not None else "it has no result"
                return ComparedTurn((), f"{why} under {run.engine}")
            rows.append(TurnRow(source or scenario.name, number, run.engine, str(policy), line, recorded_ns, told))
    return ComparedTurn(tuple(rows))
