"""FIELD_CASES.md accounts for every field case: what it names is there and cites the case."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
CASES = PROJECT.parent / "shared" / "bugs"
TEXT = (PROJECT / "FIELD_CASES.md").read_text("utf-8")
ROWS = re.findall(r"^\| (B\d{3}) \| (.*) \| (.*) \|$", TEXT, re.M)
HOW_MANY = 109


def test_every_case_has_one_row_and_they_come_by_number() -> None:
    numbers = [number for number, _, _ in ROWS]
    assert len(numbers) == HOW_MANY
    assert numbers == sorted(set(numbers))


def test_the_rows_are_the_cases_that_were_reported() -> None:
    if not CASES.is_dir():
        pytest.skip("the field cases are no part of the project; they lie beside it in ../shared/bugs")
    asked = re.findall(r"^### (B\d{3})", (CASES / "README.md").read_text("utf-8"), re.M)
    assert [number for number, _, _ in ROWS] == asked


def test_every_case_that_is_a_scenario_is_one_of_the_library() -> None:
    if not CASES.is_dir():
        pytest.skip("the field cases are no part of the project; they lie beside it in ../shared/bugs")
    asked = {path.stem for path in (CASES / "inputs").glob("*.yaml")}
    ours = {path.name[:4] for path in (PROJECT / "scenarios" / "library" / "field").glob("*.yaml")}
    assert len(asked) > 50
    assert asked == ours


@pytest.mark.parametrize(("number", "shown_by", "verdict"), ROWS, ids=[row[0] for row in ROWS])
def test_what_a_row_names_exists_and_cites_its_case(number: str, shown_by: str, verdict: str) -> None:
    named = re.findall(r"`([^`]+)`", shown_by)
    assert named
    assert verdict.startswith(("holds", "not ours: "))
    for name in named:
        if name.startswith("field/"):
            assert name.startswith(f"field/{number}_")
            assert (PROJECT / "scenarios" / "library" / name).is_file()
            continue
        file, _, test = name.partition("::")
        source = (PROJECT / "tests" / file).read_text("utf-8")
        told = source
        if test:
            (function,) = (each for each in ast.parse(source).body if getattr(each, "name", None) == test)
            told = "\n".join(
                source.splitlines()[
                    min(part.lineno for part in (function, *getattr(function, "decorator_list", ())))
                    - 1 : function.end_lineno
                ]
            )
        assert re.search(rf"(?<![0-9A-Za-z]){number}(?!\d)", told, re.I)
