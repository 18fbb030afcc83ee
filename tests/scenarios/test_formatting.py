"""Scenario files in their one form: the same scenario, comments kept, writing again changes nothing."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scenarios
from scenarios import Scenario, ScenarioError, dump, load, loads
from scenarios.formatting import formatted
from scenarios.strategies import turns

LIBRARY = sorted((Path(scenarios.__file__).parent / "library").rglob("*.yaml"))

BEFORE = """\
# What this shows.
# On two lines.

calls:   # the calls
  # the first
  - {takes: 0.2, id: a, at: 0}   # quick
  - id: b
    at: 1     # later, "with # quotes"
    output: "x # no comment"
expect:
  # all well
  results:
    - [a, ok]  # first
    - [b, ok]
tools: {Read: {safe: true}}
# the end
"""
AFTER = """\
# What this shows.
# On two lines.
tools:
  Read: {safe: true}
calls:  # the calls
  # the first
  - {id: a, at: 0s, takes: 200ms}  # quick
  - {id: b, at: 1s, output: 'x # no comment'}  # later, "with # quotes"
expect:
  # all well
  results: [[a, ok], [b, ok]]  # first
# the end
"""


def form(tmp_path: Path, text: str) -> str:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return formatted(path)


def test_parts_get_their_order_words_their_units_and_comments_stay_with_their_parts(tmp_path: Path) -> None:
    assert form(tmp_path, BEFORE) == AFTER
    assert form(tmp_path, AFTER) == AFTER


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_library_is_in_its_form(path: Path) -> None:
    """After a change: interlock fmt scenarios/library/*.yaml scenarios/library/field/*.yaml"""
    assert formatted(path) == path.read_text("utf-8")


@settings(
    max_examples=settings().max_examples // 8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(turn=turns(), comments=st.lists(st.text("ab #:'\"{}[]-,é", max_size=8), max_size=6), data=st.data())
def test_a_file_means_the_same_and_keeps_every_comment_wherever_they_stand(
    tmp_path: Path, turn: Scenario, comments: list[str], data: st.DataObject
) -> None:
    lines = dump(turn).splitlines()
    for n, comment in enumerate(comments):
        at = data.draw(st.integers(0, len(lines)))
        lines.insert(at, f"# {n}{comment}".rstrip())
    once = form(tmp_path, "\n".join(lines) + "\n")
    assert loads(once) == turn
    assert form(tmp_path, once) == once
    kept = sorted(line.strip() for line in once.splitlines() if line.lstrip().startswith("#"))
    assert kept == sorted(line for line in lines if line.startswith("#"))


def test_words_that_stand_for_others_are_written_as_those_and_typical_stays(tmp_path: Path) -> None:
    text = "calls: [{id: a, takes: typical, answer: {says: allow}}]\nevents: [{at: 1, do: interrupt}]\n"
    assert form(tmp_path, text) == (
        "calls:\n  - {id: a, takes: typical, answer: allow}\nevents:\n  - {at: 1s, do: stop}\n"
    )


def test_tools_of_another_file_are_included_by_name_and_an_own_one_counts_more(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text("# ours\ntools:\n  Bash: {safe: false}\n  Look: {interrupt: cancel}\n")
    (tmp_path / "more.yaml").write_text("tools: {Look: {safe: false}}\n")
    text = "include: [tools.yaml, more.yaml]\ntools: {Bash: {cascades: true}}\ncalls: [{id: a, tool: Look}]\n"
    path = tmp_path / "x.yaml"
    path.write_text(text)
    scenario = load(path)
    assert {name: (tool.safe, tool.cascades) for name, tool in scenario.tools.items()} == {
        "Bash": (True, True),
        "Look": (False, False),
    }
    assert loads(dump(scenario)) == scenario
    assert formatted(path) == (
        "include: [tools.yaml, more.yaml]\ntools:\n  Bash: {cascades: true}\ncalls:\n  - {id: a, tool: Look}\n"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("include: 5", "x.yaml:1:1: include: expected the path of a file of tools, or a list of them, got 5"),
        ("include: [tools.yaml, none.yaml]", "x.yaml:1:23: include[1]: expected a file of tools, got "),
        ("include: bad.yaml", "bad.yaml:2:3: tools.Bash.sfae: expected a known key, got 'sfae'; did you mean 'safe'?"),
        ("include: whole.yaml", "whole.yaml:1:1: calls: expected a known key, got 'calls'; known: tools"),
        ("include: list.yaml", "list.yaml:1:1: expected a mapping, got a list"),
        ("include: tools.yaml\ntools: [a]", "x.yaml:2:1: tools: expected a mapping, got ['a']"),
        ("includ: tools.yaml", "x.yaml:1:1: includ: expected a known key, got 'includ'; did you mean 'include'?"),
    ],
)
def test_what_is_wrong_with_an_include_is_told_in_the_file_where_it_stands(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "tools.yaml").write_text("tools: {}\n")
    (tmp_path / "bad.yaml").write_text("tools: {Bash: {\n  sfae: true}}\n")
    (tmp_path / "whole.yaml").write_text("calls: []\n")
    (tmp_path / "list.yaml").write_text("- a\n")
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{tmp_path}/{problem}")
    assert len(str(caught.value).splitlines()) == 1


def test_a_text_that_lies_nowhere_includes_nothing() -> None:
    with pytest.raises(ScenarioError, match="<text>:1:1: include: expected no include in a text that lies nowhere"):
        loads("include: tools.yaml")
