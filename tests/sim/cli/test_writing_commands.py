"""``interlock schema`` and ``interlock fmt``."""

import json
from pathlib import Path

from scenarios.reference import reference
from scenarios.schema import json_schema

CROOKED = "calls:\n  # first\n  - {takes: 0.2, id: a}\n"
STRAIGHT = "calls:\n  # first\n  - {id: a, takes: 200ms}\n"


def test_schema_prints_the_schema_or_the_reference_page(interlock) -> None:
    ended = interlock("schema")
    assert (ended.code, json.loads(ended.out)) == (0, json_schema())
    assert interlock("schema", "--reference") == (0, reference(), "")


def test_fmt_writes_a_file_in_its_form_and_says_which(interlock, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CROOKED)
    assert interlock("fmt", path) == (0, f"{path}: written anew\n", "")
    assert path.read_text() == STRAIGHT
    assert interlock("fmt", path) == (0, "1 in their form\n", "")


def test_fmt_check_writes_nothing_and_ends_with_1(interlock, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CROOKED)
    assert interlock("fmt", "--check", path) == (1, f"{path}: not in its form\n", "")
    assert path.read_text() == CROOKED


def test_fmt_tells_what_is_no_scenario_and_goes_on(interlock, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.yaml", tmp_path / "good.yaml"
    bad.write_text("colour: red\n")
    good.write_text(CROOKED)
    ended = interlock("fmt", bad, good)
    assert (ended.code, ended.out) == (2, f"{good}: written anew\n")
    assert ended.err.startswith(f"interlock: {bad}:1:1: colour: expected a known key")
    assert good.read_text() == STRAIGHT
