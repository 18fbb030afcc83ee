"""Every rule of the executor has a test that cites it (DESIGN 3); the oracle's own rules are judged elsewhere."""

import re
import sys

from broken_rules import ROOT, RULES, cited


def test_every_rule_is_cited_by_a_test() -> None:
    """It prints the table of rules and their tests: ``pytest -s`` shows it."""
    tests = cited()
    for rule in RULES:
        names = [f"{test.path}::{test.name}" for test in tests.get(rule, ())]
        sys.stdout.write(f"{rule}: {', '.join(names) or 'no test'}\n")
    missing = [rule for rule in RULES if rule not in tests]
    assert not missing, f"no test under tests/ cites {', '.join(missing)}"


def test_the_rules_asked_for_are_those_that_are_stated() -> None:
    stated = re.findall(r"^- \*\*([EQCAXHRW]\d{1,2})\*\*", (ROOT / "RULES.md").read_text(encoding="utf-8"), re.M)
    assert sorted(stated) == sorted(RULES)
