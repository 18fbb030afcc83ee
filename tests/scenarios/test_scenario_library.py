"""The library: every file reads, writes back, says which rule it shows and what must come out."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import scenarios
from scenarios import Expect, dump, loads
from scenarios.model import ENGINES

ROOT = Path(scenarios.__file__).parent / "library"
TEXTS = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path.read_text("utf-8") for path in sorted(ROOT.rglob("*.yaml"))
}
NOT_A_SCENARIO = {
    "E9": "is about what is read while a turn runs",
    "E11": "is about ids that a scenario, whose calls are told apart by them, cannot say twice",
    "E12": "is about what is read while a turn runs",
    "X3": "is about a channel inside the executor",
    "R3": "is about how an executor is set up",
    "R5": "is about what real commands answer",
    "R6": "is about recorded sessions",
}
"""The rules that no scenario shows, and why; tests of their own do."""
KNOWN = set(re.findall(r"\*\*([A-Z]\d+)\*\*", (ROOT.parents[1] / "RULES.md").read_text("utf-8")))


@pytest.fixture(params=TEXTS, scope="module")
def stem(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_library_scenario_is_named_as_its_file(stem: str) -> None:
    words = re.sub(r"^field/B\d{3}_", "", stem)
    assert loads(TEXTS[stem], stem).name == words.replace("_", " ")


def test_a_library_scenario_reads_back_from_what_it_is_written_as(stem: str) -> None:
    scenario = loads(TEXTS[stem], stem)
    assert loads(dump(scenario)) == scenario


def test_a_library_scenario_cites_the_rule_or_the_field_case_it_shows(stem: str) -> None:
    assert re.match(r"# (?:[A-Z]\d{1,3}(?:, [A-Z]\d{1,3})*)(?:, SPEC \d+\.\d+)?: [^\n]+", TEXTS[stem])


def test_a_library_scenario_names_the_rules_it_shows(stem: str) -> None:
    rules = loads(TEXTS[stem], stem).rules
    assert rules
    assert set(rules) <= KNOWN


def test_a_field_case_is_named_by_its_number_and_cites_it(stem: str) -> None:
    if stem.startswith("field/"):
        assert re.match(r"# [^:]*\b" + stem[6:10], TEXTS[stem])


def test_a_library_scenario_expects_the_result_of_every_call(stem: str) -> None:
    scenario = loads(TEXTS[stem], stem)
    ids = {call.id for call in scenario.every_call}
    expected = {name for name, _ in (*(scenario.expect.results or ()), *(scenario.expect.closing or ()))}
    discarded = len(scenario.attempts) > 1 or any(event.do == "discard" for event in scenario.events)
    assert expected < ids if discarded else expected == ids


def test_a_makespan_that_is_expected_is_no_earlier_than_the_responses_end(stem: str) -> None:
    scenario = loads(TEXTS[stem], stem)
    spans = [scenario.expect.makespan_ns(engine) for engine in ENGINES]
    assert all(span is None or span >= scenario.stream_end_ns for span in spans)
    assert all(quick <= slow for quick, slow in pairwise(span for span in spans if span is not None))


def test_the_figures_of_the_three_calls_are_those_of_the_issue() -> None:
    """B123: 2.5 s of stream, three calls of 0.2 s, the last one exclusive."""
    scenario = loads(TEXTS["three_calls_in_a_stream"])
    assert scenario.stream_end_ns == 2_500_000_000
    assert [call.at_ns for call in scenario.calls] == [500_000_000, 1_200_000_000, 2_400_000_000]
    assert {call.takes for call in scenario.calls} == {200_000_000}
    assert [scenario.tool_of(call).safe for call in scenario.calls] == [True, True, False]
    assert scenario.expect.makespan == {"streaming": 2_600_000_000, "batch": 2_900_000_000, "serial": 3_100_000_000}


def test_each_rule_is_shown_by_a_scenario_or_it_is_said_why_by_none() -> None:
    shown = {rule for stem, text in TEXTS.items() for rule in loads(text, stem).rules}
    assert KNOWN - shown == NOT_A_SCENARIO.keys()


def test_each_fault_of_the_published_design_has_a_scenario_that_meets_it() -> None:
    told = {int(number) for text in TEXTS.values() for number in re.findall(r"^#[^:]*SPEC 12\.(\d+)", text)}
    assert told == set(range(1, 11))


def test_the_library_has_no_two_scenarios_that_say_the_same() -> None:
    bare = [loads(text).model_copy(update={"name": "", "expect": Expect()}) for text in TEXTS.values()]
    assert [n for n, scenario in enumerate(bare) if scenario in bare[:n]] == []


def test_the_library_is_not_empty() -> None:
    assert len(TEXTS) >= 80
