"""Random turns keep every rule, under every engine (SPEC 10)."""

from hypothesis import given, settings

from executor.events import Kind
from scenarios import Scenario, strategies
from sim import check, simulate
from sim.oracle import compare_makespans, incomparable

ENGINES = ("streaming", "batch", "serial")


@settings(max_examples=max(500, settings().max_examples))
@given(strategies.turns())
def test_random_turns_keep_every_rule_under_every_engine(scenario: Scenario) -> None:
    """P1 P2 P4 S1 S2 S3 S4 S5 S7 L1 L3 on each log, T2 between them."""
    runs = {engine: simulate(scenario, engine) for engine in ENGINES}
    for run in runs.values():
        assert run.trouble is None
        assert check(run) == [], run.timeline()
    if scenario.consumer.takes_ns == 0 and scenario.consumer.leaves_after is None:
        assert compare_makespans({engine: (run.header, run.events) for engine, run in runs.items()}) == []


@given(strategies.turns())
def test_turns_without_failures_or_users_end_alike_under_every_engine(scenario: Scenario) -> None:
    """Q5: the same results and the same context, whatever the engine."""
    runs = {engine: simulate(scenario, engine) for engine in ENGINES}
    logs = {engine: (run.header, run.events) for engine, run in runs.items()}
    if incomparable(logs) is not None or scenario.consumer.leaves_after is not None:
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
