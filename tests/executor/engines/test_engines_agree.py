"""The same turn ends with the same results and the same context under each engine (Q5)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor import ToolUseBlock
from executor.events import Kind

ENGINES = ["streaming", "batch", "serial"]

INSTANTS = st.sampled_from([0.0, 0.1, 0.1, 0.2, 0.3])
INPUTS = st.fixed_dictionaries(
    {"takes": INSTANTS, "says": st.sampled_from(["", "x"])},
    optional={
        "ends": st.sampled_from(["ok", "error", "raise", "cancelled"]),
        "sets": st.dictionaries(st.sampled_from("pq"), st.integers(0, 3), max_size=2),
        "shows": st.sampled_from("pq"),
        "reports": st.lists(st.sampled_from([0.0, 0.1]), max_size=2).map(sorted),
    },
)
STEPS = st.lists(
    st.tuples(INSTANTS, st.sampled_from(["Read", "View", "Watch", "Edit", "Patch", "Nope"]), INPUTS), max_size=8
)


def told(played: Any) -> dict[str, Any]:
    """What must not depend on the engine."""
    return {
        "results": [(r.call_id, r.outcome.value, r.content, r.summary, r.started) for r in played.results.values()],
        "context": dict(played.turn.context),
        "messages": played.turn.messages,
        "should continue": played.turn.should_continue,
        "entered": sorted(call for _, call in played.started_ms),
        "saw": sorted(
            (e.call, sorted(e.detail.get("sees", {}).items())) for e in played.recorder.events if e.kind is Kind.ENTERED
        ),
        "progress": sorted((e.call, e.detail["n"]) for e in played.recorder.events if e.kind is Kind.PROGRESSED),
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, limit=st.none() | st.integers(1, 3))
def test_no_engine_changes_what_a_turn_comes_to(shop, steps, limit) -> None:
    """Q5: for turns in which nothing fails by timing; failures of non-cascading tools touch nobody (A3)."""
    at_s = 0.0
    timed = []
    for number, (gap_s, name, given_input) in enumerate(steps):
        at_s = round(at_s + gap_s, 3)
        timed.append((at_s, ToolUseBlock(str(number), name, given_input)))
    plays = {engine: told(shop.play(*timed, engine=engine, max_concurrency=limit)) for engine in ENGINES}
    assert plays["batch"] == plays["streaming"]
    assert plays["serial"] == plays["streaming"]
    assert [result[0] for result in plays["streaming"]["results"]] == [block.id for _, block in timed]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, limit=st.none() | st.integers(1, 3), emission=st.sampled_from(["ordered", "eager"]))
def test_no_exclusive_body_ever_runs_beside_another_and_the_limit_holds(shop, steps, limit, emission) -> None:
    """E3, S1, S2, S5: under every engine, counted from the log."""
    timed = [(0.0, ToolUseBlock(str(number), name, given_input)) for number, (_, name, given_input) in enumerate(steps)]
    exclusive = {block.id for _, block in timed if block.name in ("Edit", "Patch")}
    for engine in ENGINES:
        played = shop.play(*timed, engine=engine, max_concurrency=limit, emission=emission)
        running: set[str | None] = set()
        for event in played.recorder.events:
            if event.kind is Kind.ENTERED:
                running.add(event.call)
                assert len(running) <= (limit or len(timed))
                assert len(running) == 1 or not running & exclusive
            elif event.kind is Kind.LEFT:
                running.remove(event.call)
        assert not running
        assert sorted(played.outcomes) == sorted(block.id for _, block in timed)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_turn_gives_the_same_log_twice(shop, engine) -> None:
    """D1."""
    timed = [(0.1 * n, shop.block(str(n), name, takes=0.25)) for n, name in enumerate(["Read", "Edit", "Read", "Read"])]
    first, second = (list(shop.play(*timed, engine=engine).recorder.lines()) for _ in range(2))
    assert first == second
