"""Agent frameworks run on the virtual clock as they are, and what they do with exclusive calls is seen."""

import pytest

from scenarios import Scenario
from sim import check, simulate

READS_AND_AN_EDIT = Scenario(
    tools={"Read": {}, "Edit": {"safe": False}, "Gone": {"available": False}},
    calls=[
        {"id": "long", "takes": "300ms"},
        {"id": "short", "takes": "100ms"},
        {"id": "edit", "tool": "Edit", "takes": "100ms"},
        {"id": "gone", "tool": "Gone"},
    ],
)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("module", "name", "makespan_s", "broken"),
    [
        ("langgraph.prebuilt", "langgraph", 0.3, ["S1", "S2"]),
        ("pydantic_ai", "pydantic_ai", 0.4, []),
        ("agents", "openai_agents", 0.3, ["S1", "S2"]),
    ],
)
def test_a_framework_as_it_is_runs_a_turn_on_the_virtual_clock(module, name, makespan_s, broken):
    pytest.importorskip(module, reason="make frameworks installs it")
    from framework_engines import ENGINES

    run = simulate(READS_AND_AN_EDIT, ENGINES[name][1])
    assert (run.trouble, run.makespan_s) == (None, makespan_s)
    assert [(one.call_id, one.outcome) for one in run.results] == [
        ("long", "ok"), ("short", "ok"), ("edit", "ok"), ("gone", "unknown_tool"),
    ]  # fmt: skip
    assert [violation.rule for violation in check(run)] == broken
