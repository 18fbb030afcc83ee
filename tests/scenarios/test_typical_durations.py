"""``takes: typical``: what recorded calls of a tool took, drawn for each call from a stream of its own."""

import statistics

import pytest

from executor.events import Kind
from scenarios import Call, Scenario, ScenarioError, ToolSpec, dump, loads
from scenarios.typical import TYPICAL, typical_of
from sim import simulate


@pytest.mark.parametrize(("tool", "means"), [("Bash", "Bash"), ("Task", "Agent"), ("mcp__github__get_issue", "mcp__")])
def test_typical_means_the_distribution_of_the_calls_tool(tool: str, means: str) -> None:
    call = Call(id="a", tool=tool, takes="typical")
    assert call.takes == TYPICAL[means]
    scenario = Scenario(tools={tool: ToolSpec()}, calls=[call])
    assert loads(dump(scenario)) == scenario


def test_a_tool_that_nobody_has_measured_is_named_with_those_that_were() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads("{tools: {Rea: {}}, calls: [{id: a, tool: Rea, takes: typical}]}", "x.yaml")
    problem = "expected a duration, 'Rea' is no tool whose typical one is known; did you mean 'Read'?"
    assert str(caught.value) == f"x.yaml:1:47: calls[0].takes: {problem}"
    assert typical_of("Dance") is None


def test_typical_calls_take_what_was_measured_each_drawn_for_itself() -> None:
    calls = [Call(id=f"c{n}", takes="typical") for n in range(2_000)]
    run = simulate(Scenario(options={"max_concurrency": None}, calls=calls))
    took = [event.t_ns for event in run.events if event.kind is Kind.LEFT]
    cuts = statistics.quantiles(took, n=20)
    assert cuts[9] == pytest.approx(25_000_000, rel=0.15)
    assert cuts[18] == pytest.approx(390_000_000, rel=0.25)
