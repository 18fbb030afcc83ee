"""Every known-bad executor is caught, by the rule named, in a small scenario; the oracle is tested by nothing else."""

import statistics
from functools import partial

import pytest
import scheduling
from conftest import turns_about
from defects import DEFECTS, Defect, engine_of, play
from hypothesis import settings
from plain import Plain
from table import SHRUNK, section, smallest, written

from scenarios import Scenario, dump
from sim import check, simulate
from sim.oracle import RULES

MEASURED = max(150, settings().max_examples // 20)
"""In how many scenarios at least it is counted how often a defect shows."""


def searched(defect: Defect) -> tuple[list[Scenario], float]:
    """Give the first scenarios that catch a defect, and the share that does; fail where its budget finds none."""
    found: list[Scenario] = []
    tried = 0
    for tried, turn in enumerate(turns_about(defect.about), start=1):
        seasoned = defect.season(turn)
        if defect.rule in defect.breaks(seasoned):
            found.append(seasoned)
        assert found or tried < defect.budget, f"not found in {tried} scenarios"
        if len(found) >= SHRUNK and tried >= MEASURED:
            break
    assert found, f"not found in {tried} scenarios"
    return found[:SHRUNK], len(found) / tried


def test_a_defect_that_nothing_catches_fails_the_suite_when_its_budget_is_spent() -> None:
    """The canary: a checker that finds nothing must not look like executors without faults."""
    blameless = Defect("none", "11", "S1", partial(play, engine_of(Plain)), budget=20)
    with pytest.raises(AssertionError, match="not found in 20 scenarios"):
        searched(blameless)


@pytest.mark.parametrize("name", DEFECTS)
def test_a_known_bad_executor_is_caught_by_its_rule_in_a_small_scenario(name: str, record_property) -> None:
    """SPEC 11 and 12; the good ones are clean where it is not."""
    defect = DEFECTS[name]
    caught, rate = searched(defect)
    found = [smallest(defect, turn) for turn in caught]
    sizes = [len(scenario.every_call) for scenario in found]
    assert min(sizes) <= defect.calls, dump(found[0])
    for scenario in found:
        if not engine_of(Plain).lacks(scenario):
            assert check(simulate(scenario, engine_of(Plain))) == []
        assert check(simulate(scenario)) == []
    record_property("defect", name)
    record_property("rule", defect.rule)
    record_property("per_1000", round(1000 * rate))
    record_property("calls", statistics.median_low(sizes))


def test_the_good_executor_that_is_given_every_block_twice_is_clean(corpus: list[Scenario]) -> None:
    engine = engine_of(scheduling.Repeating)
    assert all(check(simulate(turn, engine)) == [] for turn in corpus[:100])


@pytest.mark.parametrize("name", DEFECTS)
def test_the_page_of_known_bad_executors_is_what_comes_out(name: str) -> None:
    """``make knownbad`` writes it anew."""
    scenario, text = written()[name]
    assert section(DEFECTS[name], scenario) == text


def test_no_rule_is_vacuous() -> None:
    """Each rule of SPEC 10, without exception, is the first or the only one that some known-bad executor breaks."""
    first = {DEFECTS[name].breaks(scenario)[0] for name, (scenario, _) in written().items()}
    assert {rule.id for rule in RULES} | {"P3", "D1", "T1", "T2"} <= first
