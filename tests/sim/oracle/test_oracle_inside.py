"""S8, F7 and N1: what only an executor's own account shows, on the smallest logs that keep or break each rule."""

import pytest

from sim.oracle import check, judge


def found(violations, *rules):
    return [(v.rule, v.at_ns // 1_000_000, v.calls) for v in violations if not rules or v.rule in rules]


LIFE = """
    0 block a Read safe
    0 queued a
    0 admitted a
    0 entered a
    2 left a ok
    2 completed a ok
    2 yielded a
    2 result a ok
    2 turn_ended completed
"""


def test_a_life_along_the_table_breaks_nothing(log, head):
    assert check(head(), log(LIFE)) == []
    assert judge(head(), log(LIFE)).skipped == {
        "G1": "the log has no progressed",
    }


@pytest.mark.parametrize(
    ("row", "instead", "message"),
    [
        ("2 completed a ok", "", "a (Read, safe) went from executing to yielded"),
        ("0 admitted a", "0 admitted a\n0 admitted a", "a (Read, safe) went from executing to executing"),
        ("2 completed a ok", "2 completed a ok\n2 completed a ok", "a (Read, safe) went from completed to completed"),
        ("2 yielded a", "2 yielded a\n2 queued a", "a (Read, safe) went from yielded to queued"),
        ("0 queued a\n    0 admitted a", "0 admitted a\n0 queued a", "a (Read, safe) went from nothing to executing"),
    ],
)
def test_a_step_against_the_table_breaks_s8(log, head, row, instead, message):
    violations = check(head(), log(LIFE.replace(row, instead)))
    assert {v.rule for v in violations} == {"S8"}
    assert violations[0].message == message


def test_a_turn_that_ends_as_stopped_though_nobody_stopped_it_breaks_f7(log, head):
    """A4: a deadline and a sibling error stay below the turn."""
    turn = LIFE.replace("turn_ended completed", "turn_ended stopped")
    assert found(check(head(), log(turn))) == [("F7", 2, ())]
    assert check(head(), log(turn.replace("2 turn_ended", "2 stop\n2 turn_ended"))) == []
    assert (
        check(head(), log(turn.replace("2 left a", "1 refused a tool\n1 signalled a user_interrupted\n2 left a"))) == []
    )


def test_a_call_settled_as_interrupted_though_nobody_interrupted_breaks_f7(log, head):
    turn = LIFE.replace("completed a ok", "completed a user_interrupted")
    assert found(check(head(), log(turn))) == [("F7", 2, ("a",))]
    left = turn.replace("2 yielded a\n    2 result a ok\n    2 turn_ended completed", "2 turn_ended left a:ok")
    assert check(head(), log(left)) == []


GUARDED = """
    0 block a Edit exclusive gated
    0 queued a
    0 admitted a
    {}
    1 entered a
    2 left a ok
    2 result a ok
    2 turn_ended completed
"""


def test_a_guarded_body_after_its_permission_breaks_nothing(log, head):
    assert check(head(), log(GUARDED.format("1 permitted a"))) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "a (Edit, exclusive) was entered without a permission"),
        ("1 denied a", "a (Edit, exclusive) was entered although it had been denied, by rule"),
        ("0 permitted a\n1 denied a", "a (Edit, exclusive) was entered although it had been denied, by rule"),
        ("0 denied a\n1 permitted a", "a (Edit, exclusive) was permitted although it had been denied, by rule"),
    ],
)
def test_a_guarded_body_without_permission_breaks_n1(log, head, row, message):
    """H3: no body before its permission, and none against a denial."""
    violations = check(head(), log(GUARDED.format(row)))
    assert [v.rule for v in violations] == ["N1"]
    assert violations[0].message == message


def test_a_body_that_nothing_guards_needs_no_permission(log, head):
    turn = GUARDED.format("").replace(" gated", "").replace("1 entered", "0 entered")
    assert check(head(), log(turn)) == []


def test_rules_of_the_inside_view_are_skipped_and_said_to_be_without_it(log, head):
    verdict = judge(head(), log("0 block a Read safe\n0 entered a\n1 left a ok\n1 result a ok\n1 turn_ended stopped"))
    assert {rule: verdict.skipped[rule] for rule in ("S8", "F7", "N1")} == {
        "S8": "the log has no queued",
        "F7": "the log has no completed",
        "N1": "the log has no queued",
    }
    assert verdict.violations == ()


@pytest.mark.parametrize("rule", ["Edit", "Ed*", "OldEdit"])
def test_a_body_of_a_tool_that_a_rule_denies_breaks_n1_whatever_was_permitted(log, head, rule):
    """H3: a hook's allow does not beat a deny rule, by whatever name it means the tool."""
    header = head() | {"rules": {"deny": [rule]}}
    header["tools"] = header["tools"] | {"Edit": header["tools"]["Edit"] | {"aliases": ["OldEdit"]}}
    (violation,) = check(header, log(GUARDED.format("0 permitted a")))
    assert (violation.rule, violation.calls) == ("N1", ("a",))
    assert violation.message == f"a (Edit, exclusive) was permitted although the rule {rule} denies it"


def test_a_deny_rule_with_a_pattern_or_about_another_tool_is_not_held_against_a_body(log, head):
    assert check(head() | {"rules": {"deny": ["Edit(/etc/*)", "Read"]}}, log(GUARDED.format("0 permitted a"))) == []
