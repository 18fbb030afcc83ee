"""The JSON Schema of scenario files and the reference page: made from the model, and agreeing with it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import scenarios
from scenarios import Scenario, ScenarioError, dump, loads
from scenarios.reference import reference
from scenarios.schema import json_schema, meanings, parts
from scenarios.strategies import turns
from scenarios.tree import build, compose

PROJECT = Path(scenarios.__file__).parents[1]
LIBRARY = sorted((PROJECT / "scenarios" / "library").rglob("*.yaml"))
SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def data_of(text: str) -> Any:
    root = compose(text)
    assert root is not None
    return build(root)


def refused_at(text: str) -> set[str]:
    """Give the places at which the schema refuses a text, as the model names them."""
    return {error.json_path.removeprefix("$").lstrip(".") for error in VALIDATOR.iter_errors(data_of(text))}


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_library_keeps_the_schema(path: Path) -> None:
    assert list(VALIDATOR.iter_errors(data_of(path.read_text("utf-8")))) == []


@settings(max_examples=settings().max_examples // 5, suppress_health_check=[HealthCheck.too_slow])
@given(turns())
def test_whatever_the_model_writes_the_schema_takes(turn: Scenario) -> None:
    assert list(VALIDATOR.iter_errors(data_of(dump(turn)))) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("calls: [{id: a, takes: 200 m}]", "calls[0].takes"),
        ("calls: [{id: a, at: -1}]", "calls[0].at"),
        ("calls: [{id: a, takes: {uniform: [1, x]}}]", "calls[0].takes"),
        ("calls: [{id: a, takes: {lognormal: {median: 1}}}]", "calls[0].takes"),
        ("calls: [{id: a, tkes: 1}]", "calls[0]"),
        ("colour: red", ""),
        ("tools: {Bash: {cascade: true}}", "tools.Bash"),
        ("calls: [{id: a, pre_hook: {takes: hnag}}]", "calls[0].pre_hook"),
        ("calls: [{id: a, answer: alow}]", "calls[0].answer"),
        ("calls: [{id: a, fails: 2}]", "calls[0].fails"),
        ("tools: {Read: {safe: by_comand}}", "tools.Read.safe"),
        ("calls: [{}]", "calls[0]"),
        ("calls: [{id: ''}]", "calls[0].id"),
        ("options: {max_concurrency: 0}", "options.max_concurrency"),
        ("events: [{at: 1, do: stopp}]", "events[0].do"),
        ("events: [{at: 1, do: interrupt, reason: sibling}]", "events[0].reason"),
        ("calls: [{id: a}]\nexpect: {results: [[a, okay]]}", "expect.results"),
        ("calls: [{id: a}]\nexpect: {results: [[a]]}", "expect.results"),
        ("expect: {engines: []}", "expect.engines"),
        ("expect: {makespan: {stream: 1}}", "expect.makespan"),
        ("stream: {rate: 0}", "stream.rate"),
        ("stream: {level: bytes, chunks: 0}", "stream.chunks"),
        ("calls: 5", "calls"),
        ("rules: [speed]", "rules[0]"),
        ("table: [{cmd: ls}]", "table[0]"),
        ("include: 5", "include"),
    ],
)
def test_what_the_schema_refuses_the_model_refuses_at_the_same_place(text: str, place: str) -> None:
    assert refused_at(text) == {place}
    with pytest.raises(ScenarioError) as caught:
        loads(text, "x.yaml")
    told = str(caught.value).split(": ")[1]
    assert told.startswith(place)


@pytest.mark.parametrize(
    "text",
    [
        "calls: [{id: a, answer: allow, takes: typical}]",
        "calls: [{id: a, answer: {says: allow, after: {empirical: [1, 200ms]}}}]",
        "calls: [{id: a, tool: Read}]\nevents: [{at: 1, do: cancel_task}]",
        "events: [{at: 1, do: interrupt, reason: user}]",
        "stream: {level: bytes, chunks: 3, rate: 2.5}",
    ],
)
def test_the_short_words_are_known_to_the_schema(text: str) -> None:
    assert refused_at(text) == set()
    loads(text)


words = st.text(max_size=9) | st.sampled_from(["200ms", "1m30s", "1e3", "0.5s", "5", "1h2s", "s", "1s2h", "-1", " 1s"])


@given(words | st.floats(allow_nan=False, allow_infinity=False, max_value=10**8) | st.integers(-5, 10**8))
def test_a_duration_that_the_model_takes_the_schema_takes(value: Any) -> None:
    """The schema cannot tell that a word is no whole number of nanoseconds; in everything else they agree."""
    try:
        Scenario.model_validate({"calls": [{"id": "a", "at": value}]})
    except ValueError:
        return
    assert list(VALIDATOR.iter_errors({"calls": [{"id": "a", "at": value}]})) == []


def test_every_part_and_what_is_written_below_its_fields_is_in_the_schema() -> None:
    told = {word: text for part in parts().values() for word, text in meanings(part).items()}
    assert len(told) > 60
    assert SCHEMA["$defs"]["Call"]["properties"]["stubborn"]["description"] == told["stubborn"]
    assert SCHEMA["$defs"]["Options"]["properties"]["grace"]["default"] == "2s"
    assert all(definition.get("description") for name, definition in SCHEMA["$defs"].items() if name != "JsonValue")


def test_the_reference_page_is_the_models() -> None:
    """Made anew by: interlock schema --reference > SCENARIOS.md"""
    assert (PROJECT / "SCENARIOS.md").read_text("utf-8") == reference()
