"""The judge as a whole: partial logs, rules chosen, reports, cost."""

import sys

import pytest

from executor.events import Event, Kind
from sim.oracle import RULES, check, judge

GOOD = "0 block a Read safe\n0 entered a\n5 left a ok\n5 result a ok\n5 turn_ended completed"
BAD = "0 block a Read safe\n0 entered a\n5 left a ok\n5 turn_ended completed"
OUTSIDE_ONLY = {
    "S8": "the log has no queued",
    "F7": "the log has no completed",
    "G1": "the log has no progressed",
    "N1": "the log has no queued",
}
"""What a log without progress and without the inside view cannot be judged by."""


def test_the_rules_are_those_of_the_specification_in_its_order():
    assert [rule.id for rule in RULES] == [
        *("P1", "P2", "P4", "P5", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"),
        *("F1", "F2", "F3", "F4", "F5", "F6", "F7", "G1", "K1", "N1", "L1", "L2", "L3"),
    ]


def test_every_rule_says_itself_in_one_sentence():
    assert all(rule.statement.endswith(".") and ". " not in rule.statement for rule in RULES)


def test_a_report_says_rule_rows_and_how_to_see_it_again(log, head):
    (violation,) = check(head(), log(BAD))
    assert str(violation).splitlines() == [
        "P1 broken at 5 ms: a (Read, safe) has no result",
        "  rule: Every tool_use of a response that was kept has exactly one tool_result, "
        "emitted or in the closing report.",
        "     0 s  a  block Read safe",
        "     0 s  a  entered",
        "  > 5 ms  a  left ok",
        "  > 5 ms     turn_ended completed",
        "  again: interlock run by-hand.yaml --engine streaming --seed 0",
    ]


def test_a_report_says_what_is_known_where_the_header_has_no_command(log):
    (violation,) = check({"engine": "recorded", "scenario": "session.jsonl", "seed": 3}, log(BAD))
    assert violation.reproduce == "(no command recorded: scenario session.jsonl, engine recorded, seed 3)"


def test_an_excerpt_is_never_longer_than_a_screen(log, head):
    crowd = "\n".join(f"0 block {n} Read safe\n0 entered {n}" for n in range(40))
    found = {violation.rule: violation for violation in check(head(max_concurrency=30), log(crowd))}
    assert len(found["S5"].calls) == 31
    assert found["S5"].timeline.splitlines()[0] == "  (32 earlier rows)"
    assert len(found["S5"].timeline.splitlines()) == 31


def test_a_header_that_tells_nothing_skips_what_depends_on_it(log):
    verdict = judge({}, log(GOOD))
    assert verdict.violations == ()
    assert verdict.skipped == OUTSIDE_ONLY | {
        "K1": "the header does not tell the turn's first context",
        "P4": "the order of emission is not told",
        "S3": "the header does not tell max_concurrency",
        "S4": "the header does not tell when calls may start",
        "S5": "the header does not tell max_concurrency",
    }


def test_p4_is_skipped_where_the_order_of_emission_is_eager(log, head):
    assert judge(head(emission="eager"), log(GOOD)).skipped == OUTSIDE_ONLY | {"P4": "the order of emission is eager"}


def test_a_recorded_history_of_blocks_and_results_is_judged_by_the_rules_it_can_be(log):
    history = log("0 block a Read safe\n0 block b Read safe\n3 result a ok\n3 result a ok\n4 turn_ended completed")
    verdict = judge({"engine": "recorded"}, history, rules=("P2", "P1"))
    assert verdict.rules == ("P1", "P2")
    assert verdict.skipped == {}
    assert [(v.rule, v.calls) for v in verdict.violations] == [("P2", ("a",)), ("P1", ("a",)), ("P1", ("b",))]


def test_a_rule_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"^rules: expected some of P1, .*L3, got P9$"):
        judge({}, [], rules=["P1", "P9"])


def test_rows_of_the_inside_view_change_nothing_for_rules_of_the_outside_view(log, head):
    """SPEC 10: outside view first; here the account is told backwards, and only its own rules mind."""
    inside = [Event(9_000_000, kind, "a", {}) for kind in (Kind.YIELDED, Kind.COMPLETED, Kind.ADMITTED, Kind.QUEUED)]
    events = sorted([*log(GOOD), *inside], key=lambda event: event.t_ns)
    assert {violation.rule for violation in check(head(), events)} == {"S8"}


def test_violations_come_by_instant_whatever_rule_finds_them(log, head):
    turn = log("0 entered a\n2 entered a\n3 left a ok\n3 turn_ended completed\n4 left b ok")
    assert [(v.rule, v.at_ns // 1_000_000) for v in check(head(), turn)] == [("S4", 0), ("S4", 2), ("S7", 2), ("L3", 4)]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"options": 5}, "header: options: expected an object such as {'max_concurrency': 10}, got 5"),
        ({"tools": ["Read"]}, "header: tools: expected an object such as {'Read': {'safe': true}}, got ['Read']"),
        ({"options": {"grace_ns": "2s"}}, "header: options.grace_ns: expected a whole number, got '2s'"),
    ],
)
def test_a_header_of_the_wrong_form_is_refused_in_one_line(header, message):
    with pytest.raises(ValueError) as error:
        judge(header, [])
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        ({"closing": [["a"]]}, "turn_ended at 3 ms: closing: expected pairs of id and outcome, got ['a']"),
        ({"abandoned": "a"}, "turn_ended at 3 ms: abandoned: expected a list, got 'a'"),
    ],
)
def test_a_row_of_the_wrong_form_is_refused_in_one_line(detail, message):
    with pytest.raises(ValueError) as error:
        judge({}, [Event(3_000_000, Kind.TURN_ENDED, None, detail)])
    assert str(error.value) == message


def _turn(calls: int, late_ms: int) -> str:
    """A queue of ``calls`` that arrives at once and runs one by one, each ``late_ms`` too late."""
    rows = [f"0 block {n} Read {'safe' if n % 3 else 'exclusive'}" for n in range(calls)]
    for n in range(calls):
        start = n * (10 + late_ms)
        rows += [f"{start} entered {n}", f"{start + 10} left {n} ok", f"{start + 10} result {n} ok"]
    return "\n".join([*rows, f"{calls * (10 + late_ms)} turn_ended completed"])


def _steps(header, events) -> int:
    steps = 0

    def trace(frame, occasion, argument):
        nonlocal steps
        steps += occasion == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        judge(header, events)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("late_ms", [0, 1])
def test_a_verdict_costs_steps_in_proportion_to_the_log(log, head, late_ms):
    """E4: nobody scans the queue, whether the log is right or every call in it is wrong."""
    small, large = (_steps(head(max_concurrency=1), log(_turn(calls, late_ms))) for calls in (60, 240))
    assert large / small == pytest.approx(4, rel=0.05)
