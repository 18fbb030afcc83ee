"""Every known-bad executor is caught, by the rule named, in a small scenario; the oracle is tested by nothing else."""

import statistics

import published
import pytest
import scheduling
import stopping
from defects import DEFECTS, Defect, engine_of
from hypothesis import settings
from plain import Plain

from scenarios import Scenario, dump
from sim import check, simulate
from sim.conformance.shrinking import simplest
from sim.oracle import RULES

SHRUNK = 3
"""How many of the scenarios that catch a defect are made as simple as can be."""
JUDGED = {rule.id for rule in RULES} | {"Q5", "D1"}
MEASURED = max(150, settings().max_examples // 20)
"""In how many scenarios at least it is counted how often a defect shows."""


def smallest(defect: Defect, scenario: Scenario) -> Scenario:
    return simplest(scenario, lambda simpler: defect.rule in defect.breaks(simpler))


@pytest.mark.parametrize("name", DEFECTS)
def test_a_known_bad_executor_is_caught_by_its_rule_in_a_small_scenario(
    name: str, corpus: list[Scenario], record_property
) -> None:
    """SPEC 11 and 12; the good ones are clean where it is not."""
    defect = DEFECTS[name]
    if defect.rule not in JUDGED:
        pytest.skip(f"the oracle does not judge by {defect.rule} yet")
    found: list[Scenario] = []
    tried = 0
    for tried, turn in enumerate(corpus, start=1):
        seasoned = defect.season(turn)
        if defect.rule in defect.breaks(seasoned):
            found.append(seasoned)
        assert found or tried < defect.budget, f"not found in {tried} scenarios"
        if len(found) >= SHRUNK and tried >= MEASURED:
            break
    assert found, f"not found in {tried} scenarios"
    rate = len(found) / tried
    found = [smallest(defect, turn) for turn in found[:SHRUNK]]
    sizes = [len(scenario.every_call) for scenario in found]
    assert min(sizes) <= defect.calls, dump(found[0])
    for scenario in found:
        assert check(simulate(scenario, engine_of(Plain))) == []
        assert check(simulate(scenario)) == []
    record_property("defect", name)
    record_property("rule", defect.rule)
    record_property("per_1000", round(1000 * rate))
    record_property("calls", statistics.median_low(sizes))


def test_the_good_executor_that_is_given_every_block_twice_is_clean(corpus: list[Scenario]) -> None:
    engine = engine_of(scheduling.Repeating)
    assert all(check(simulate(turn, engine)) == [] for turn in corpus[:100])


def test_all_files_of_defects_are_read() -> None:
    assert {kind.__module__.split(".")[-1] for kind in (published.EagerWalk, scheduling.Twice, stopping.RunsOn)} == {
        "published", "scheduling", "stopping",
    }  # fmt: skip
