"""Every rule of the executor has a test that cites it (DESIGN 3); the oracle's own rules are judged elsewhere."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
HIGHEST = {"E": 13, "Q": 5, "C": 3, "A": 12, "X": 8, "H": 8, "R": 6, "W": 7}
RULES = [f"{letter}{number}" for letter, highest in HIGHEST.items() for number in range(1, highest + 1)]
UNCITED: dict[str, str] = {}
"""Rules without a test of their own, and why."""


def each_test() -> Iterator[tuple[str, str]]:
    """Give each test and its own text, so that a number in a helper or in a list of numbers counts for nothing."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{path.stem}::{node.name}", ast.get_source_segment(text, node) or ""


def test_every_rule_is_cited_by_a_test() -> None:
    """It prints the table of rules and their tests: ``pytest -s`` shows it."""
    cited: dict[str, list[str]] = {}
    for name, text in each_test():
        for rule in sorted(set(re.findall(r"\b[A-Z]\d{1,2}\b", text))):
            cited.setdefault(rule, []).append(name)
    sys.stdout.writelines(f"{rule}: {', '.join(cited.get(rule, ['no test']))}\n" for rule in RULES)
    missing = [rule for rule in RULES if rule not in cited.keys() | UNCITED.keys()]
    assert not missing, f"no test under tests/ cites {', '.join(missing)}"
    assert not UNCITED.keys() & cited.keys(), "cited by now: take it out of UNCITED"


def test_the_rules_asked_for_are_those_that_are_stated() -> None:
    stated = re.findall(
        r"^- \*\*([EQCAXHRW]\d{1,2})\*\*", (TESTS.parent / "RULES.md").read_text(encoding="utf-8"), re.M
    )
    assert sorted(stated) == sorted(RULES)
