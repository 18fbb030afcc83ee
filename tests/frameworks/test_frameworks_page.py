"""FRAMEWORKS.md is as ``make frameworks`` writes it: for each framework that is plugged in a card of every rule."""

import ast
import re
from pathlib import Path

import pytest

from sim.oracle import RULES

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "FRAMEWORKS.md").read_text("utf-8")
CARDS = re.findall(r"^## (\S+) (\S+)\n\n```text\n(.*?)^```$", PAGE, re.M | re.S)


def literal(file: str, name: str) -> ast.expr:
    """Read a constant of a file that imports what is not installed here."""
    tree = ast.parse((HERE / file).read_text("utf-8"))
    for node in tree.body:
        target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
        if isinstance(target, ast.Name) and target.id == name:
            return node.value
    raise AssertionError(f"{file} has no {name}")


def test_the_page_begins_as_it_is_written() -> None:
    assert PAGE.startswith(ast.literal_eval(literal("cards.py", "HEAD")))


def test_each_framework_that_is_plugged_in_has_a_card_and_no_other_has() -> None:
    engines = literal("framework_engines.py", "ENGINES")
    assert isinstance(engines, ast.Dict)
    packages = [ast.literal_eval(value.elts[0]) for value in engines.values if isinstance(value, ast.Tuple)]
    assert [package for package, _, _ in CARDS] == packages


@pytest.mark.parametrize(("package", "version", "card"), CARDS, ids=[card[0] for card in CARDS])
def test_a_card_marks_every_rule_and_shows_what_breaks_one(package: str, version: str, card: str) -> None:
    assert re.fullmatch(r"\d+(\.\w+)+", version)
    marks = re.findall(r"^([A-Z]\d+) +(holds|broken in \d+: |not observable: )", card, re.M)
    assert [rule for rule, _ in marks] == [rule.id for rule in RULES]
    assert card.count("again: make frameworks") == sum(mark.startswith("broken") for _, mark in marks)


def test_the_readme_compares_the_versions_that_were_examined() -> None:
    readme = (HERE.parents[1] / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+)[^|]*? (\d+\.\d+) \|", readme, re.M)
    examined = {package.removesuffix("-slim"): ".".join(version.split(".")[:2]) for package, version, _ in CARDS}
    assert {name.lower(): version for name, version in rows} == examined
