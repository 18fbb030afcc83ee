"""Random turns keep every rule, under every engine (SPEC 10)."""

from collections import Counter
from pathlib import Path

from hypothesis import example, given, settings

import scenarios
from executor.events import Kind
from scenarios import Consumer, Scenario, load, strategies
from sim import check, simulate
from sim.oracle import compare_makespans, incomparable, situations, unreached

ENGINES = ("streaming", "batch", "serial")
LIBRARY = sorted(Path(scenarios.__file__).parent.glob("library/**/*.yaml"))

A_STOP_AFTER_A_SUBMIT = Scenario(
    tools={"Look": {"interrupt": "cancel"}, "Edit": {"safe": False}},
    calls=[
        {"id": "a", "tool": "Look", "takes": 1},
        {"id": "b", "tool": "Look", "takes": 1, "stubborn": "signal"},
        {"id": "c", "tool": "Edit"},
    ],
    events=[{"at": 0.1, "do": "submit"}, {"at": 0.2, "do": "stop"}],
)
A_STUBBORN_EXCLUSIVE_CALL = Scenario(
    tools={"Edit": {"safe": False}},
    calls=[{"id": "a", "tool": "Edit", "takes": 9, "stubborn": "cancel"}, {"id": "b", "tool": "Edit"}],
    events=[{"at": 0.1, "do": "stop"}],
)
"""Two situations that random turns seldom reach."""


def test_random_turns_keep_every_rule_and_reach_every_situation_under_every_engine() -> None:
    """P1-P5 S1-S8 F1-F7 G1 K1 N1 L1-L3 on each log, T2 between them; what was never reached would prove nothing."""
    reached = Counter[str]()

    @settings(max_examples=max(500, settings().max_examples))
    @given(strategies.turns())
    @example(A_STOP_AFTER_A_SUBMIT)
    @example(A_STUBBORN_EXCLUSIVE_CALL)
    def keep_every_rule(scenario: Scenario) -> None:
        runs = {engine: simulate(scenario, engine) for engine in ENGINES}
        for run in runs.values():
            assert run.trouble is None
            assert check(run) == [], run.timeline()
            reached.update(situations(run.header, run.events))
        if scenario.consumer == Consumer():
            assert compare_makespans({engine: (run.header, run.events) for engine, run in runs.items()}) == []

    keep_every_rule()
    for path in LIBRARY:
        reached.update(situations((run := simulate(load(path))).header, run.events))
    assert unreached(reached) == []


@given(strategies.turns())
def test_turns_without_failures_or_users_end_alike_under_every_engine(scenario: Scenario) -> None:
    """Q5: the same results and the same context, whatever the engine."""
    runs = {engine: simulate(scenario, engine) for engine in ENGINES}
    logs = {engine: (run.header, run.events) for engine, run in runs.items()}
    if incomparable(logs) is not None or scenario.consumer != Consumer():
        return
    ends = [({result.call_id: result.outcome for result in run.results}, run.context) for run in runs.values()]
    assert ends[0] == ends[1] == ends[2]


@given(strategies.turns())
def test_the_executors_own_account_agrees_with_what_the_world_saw(scenario: Scenario) -> None:
    """S8: each call's steps go along the table, once each, and its body begins between two of them."""
    order = [Kind.QUEUED, Kind.ADMITTED, Kind.ENTERED, Kind.COMPLETED, Kind.YIELDED]
    steps: dict[str, list[int]] = {}
    for event in simulate(scenario).events:
        if event.kind in order and event.call is not None:
            steps.setdefault(event.call, []).append(order.index(event.kind))
    for call, places in steps.items():
        assert places[0] == 0, call
        assert places == sorted(set(places)), (call, places)
