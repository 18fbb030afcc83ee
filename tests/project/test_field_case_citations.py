"""Every field case that concerns the executor is cited by a test, or by a scenario of the library, which is one."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
CASES = PROJECT.parent / "shared" / "bugs" / "README.md"
GROUPS = "abcd"
"""Pairing, siblings, streaming, interrupts; the other groups are about files, simulators and reports."""


def test_every_field_case_of_the_executor_is_cited() -> None:
    if not CASES.exists():
        pytest.skip("the field cases are no part of the project; they lie beside it in ../shared/bugs")
    groups = re.split(r"^## (\w)\. .*$", CASES.read_text(encoding="utf-8"), flags=re.M)[1:]
    asked = {
        case
        for letter, text in zip(groups[::2], groups[1::2], strict=True)
        if letter in GROUPS
        for case in re.findall(r"^### (B\d{3})", text, re.M)
    }
    tests = [path for path in (PROJECT / "tests").rglob("test_*.py") if path != Path(__file__)]
    told = [path.read_text(encoding="utf-8") for path in (*tests, *PROJECT.glob("scenarios/library/**/*.yaml"))]
    cited = {case for text in told for case in re.findall(r"\bB\d{3}\b", text)}
    assert len(asked) > 60
    assert sorted(asked - cited) == []
