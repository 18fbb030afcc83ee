"""The figures the seeds promise, by the real executor on the virtual clock, to the nanosecond."""

from pathlib import Path

import pytest

from executor import ToolUseBlock, partition
from executor.events import Kind
from scenarios import Call, Scenario, ToolSpec, load
from sim import check, simulate
from sim.world.expectations import unmet

LIBRARY = sorted((Path(__file__).parents[2] / "scenarios" / "library").rglob("*.yaml"))
ENGINES = ("streaming", "batch", "serial")


def spans(scenario: Scenario) -> dict[str, float | None]:
    return {engine: simulate(scenario, engine).makespan_s for engine in ENGINES}


def stream(end: str, *calls: Call) -> Scenario:
    return Scenario(
        tools={"Read": ToolSpec(), "Edit": ToolSpec(safe=False)},
        calls=calls,
        events=[{"at": end, "do": "stream_end"}],
    )


def test_three_calls_in_a_stream_of_two_and_a_half_seconds() -> None:
    scenario = stream(
        "2.5s",
        Call(id="a", at="500ms", takes="200ms"),
        Call(id="b", at="1.2s", takes="200ms"),
        Call(id="c", tool="Edit", at="2.4s", takes="200ms"),
    )
    assert spans(scenario) == {"streaming": 2.6, "batch": 2.9, "serial": 3.1}


def test_five_safe_calls_after_the_response_cost_one_call_together_and_five_one_by_one() -> None:
    scenario = stream("0s", *(Call(id=name, takes="200ms") for name in "abcde"))
    assert spans(scenario) == {"streaming": 0.2, "batch": 0.2, "serial": 1.0}


def test_five_reads_inside_a_stream_leave_nothing_to_wait_for_when_it_ends() -> None:
    scenario = stream("3s", *(Call(id=name, at=f"{n}00ms", takes="400ms") for n, name in enumerate("abcde", start=4)))
    run = simulate(scenario)
    assert run.makespan_s == 3.0
    ended_ns = next(event.t_ns for event in run.events if event.kind is Kind.RESPONSE_ENDED)
    emitted_ns = [event.t_ns for event in run.events if event.kind is Kind.EMITTED]
    assert max(emitted_ns) == 1_200_000_000 < ended_ns == 3_000_000_000


def test_an_edit_splits_five_calls_into_batches_of_three_one_and_one() -> None:
    """Q1, from the log: what starts together is a batch."""
    scenario = stream("0s", *(Call(id=f"{n}", tool=tool, takes="100ms") for n, tool in enumerate(_NAMES)))
    entered = [(event.t_ns, event.call) for event in simulate(scenario, "batch").events if event.kind is Kind.ENTERED]
    assert entered == [(0, "0"), (0, "1"), (0, "2"), (100_000_000, "3"), (200_000_000, "4")]
    assert [len(batch) for batch in partition([_Safe(tool != "Edit") for tool in _NAMES])] == [3, 1, 1]


_NAMES = ("Read", "Read", "Read", "Edit", "Read")


class _Safe:
    def __init__(self, safe: bool) -> None:
        self.safe = safe


def test_results_that_finish_c_a_b_are_emitted_a_b_c() -> None:
    """P4, E6, B028."""
    scenario = stream(
        "0s", Call(id="a.ts", takes="500ms"), Call(id="b.ts", takes="900ms"), Call(id="c.ts", takes="100ms")
    )
    for engine in ("streaming", "batch"):
        run = simulate(scenario, engine)
        left = [event.call for event in run.events if event.kind is Kind.LEFT]
        emitted = [(event.call, event.t_ns) for event in run.events if event.kind is Kind.EMITTED]
        assert left == ["c.ts", "a.ts", "b.ts"]
        assert emitted == [("a.ts", 500_000_000), ("b.ts", 900_000_000), ("c.ts", 900_000_000)]


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_every_library_scenario_does_what_its_file_expects_and_keeps_every_rule(path: Path) -> None:
    scenario = load(path)
    for engine in scenario.expect.engines:
        run = simulate(scenario, engine, source=str(path))
        assert unmet(run) == []
        assert check(run) == []


def test_an_unmet_expectation_is_told_with_what_was_expected_and_what_came() -> None:
    expect = {"results": [["a", "error"]], "started": [], "started_at": {"a": "1s"}, "makespan": "2s", "peak": 0}
    scenario = Scenario(
        calls=[Call(id="a", takes="1s")], expect={**expect, "finished_by": "500ms", "context": {"x": 1}}
    )
    assert unmet(simulate(scenario)) == [
        "results: expected a error, got a ok",
        "started: expected none, got a",
        "started_at.a: expected 1s, got 0s",
        "makespan: expected 2s, got 1s",
        "finished_by: expected 500ms at the latest, got 1s",
        "peak: expected 0 bodies at once at most, got 1",
        "context: expected {'x': 1}, got {}",
    ]


def test_two_bodies_that_overlap_are_told_where_they_should_not() -> None:
    scenario = Scenario(
        calls=[Call(id="a", takes="1s"), Call(id="b", at="500ms", takes="1s")], expect={"never_overlap": [["a", "b"]]}
    )
    assert unmet(simulate(scenario)) == ["never_overlap: expected a and b apart, both ran at 500ms"]
    assert unmet(simulate(scenario, "serial")) == []


def test_blocks_of_the_model_are_what_the_executor_is_given() -> None:
    """W4: the history holds the input that was asked for."""
    run = simulate(Scenario(calls=[Call(id="a", input={"path": "a.ts"})]))
    assert run.messages[0]["content"] == [ToolUseBlock("a", "Read", {"path": "a.ts"}).to_block()]
