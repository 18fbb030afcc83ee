"""Every rule of the executor has a test that cites it (DESIGN 3); the oracle's own rules are judged elsewhere."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
HIGHEST = {"E": 13, "Q": 5, "C": 3, "A": 12, "X": 8, "H": 8, "R": 6, "W": 7}
RULES = [f"{letter}{number}" for letter, highest in HIGHEST.items() for number in range(1, highest + 1)]
UNCITED: dict[str, str] = {}
"""Rules without a test of their own, and why."""


def texts_of_tests() -> Iterator[str]:
    """Give each test function's own text, so that a number in a helper or in a list of numbers counts for nothing."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield ast.get_source_segment(text, node) or ""


def test_every_rule_is_cited_by_a_test() -> None:
    cited = {rule for text in texts_of_tests() for rule in re.findall(r"\b[A-Z]\d{1,2}\b", text)}
    missing = [rule for rule in RULES if rule not in cited | UNCITED.keys()]
    assert not missing, f"no test under tests/ cites {', '.join(missing)}"
    assert not UNCITED.keys() & cited, "cited by now: take it out of UNCITED"


def test_the_rules_asked_for_are_those_that_are_stated() -> None:
    stated = re.findall(
        r"^- \*\*([EQCAXHRW]\d{1,2})\*\*", (TESTS.parent / "RULES.md").read_text(encoding="utf-8"), re.M
    )
    assert sorted(stated) == sorted(RULES)
