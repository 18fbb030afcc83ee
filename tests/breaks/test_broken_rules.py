"""Each rule of the executor is broken in one way on purpose, and a test that cites it fails then (issue 3)."""

from broken_rules import BREAKS, ROOT, RULES, see_all


def test_every_rule_has_a_break_and_each_edit_has_its_one_place() -> None:
    assert list(BREAKS) == RULES
    for rule, told in BREAKS.items():
        assert told["broken"].endswith(".")
        for edit in told["edits"]:
            text = (ROOT / edit["file"]).read_text(encoding="utf-8")
            assert text.count(edit["old"]) == 1, f"{rule}: {edit['file']}: the break has no one place: {edit['old']!r}"
            assert edit["old"] != edit["new"]


def test_breaks_of_some_rules_are_noticed() -> None:
    """The others are for ``make breaks``: each takes seconds."""
    seen = list(see_all(["E12", "X6", "R4"]))
    assert [(one.rule, (one.by or "").partition("::")[0]) for one in seen] == [
        ("E12", "tests/executor/engines/test_emission_instants.py"),
        ("X6", "tests/executor/calls/test_output_limits.py"),
        ("R4", "tests/executor/safety/test_shell_safety.py"),
    ]
