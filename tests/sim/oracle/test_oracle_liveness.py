"""L1 and L3: the turn ends and leaves nothing behind, on the smallest logs that keep or break each rule."""

import pytest

from sim.oracle import Violation, check, judge

AGAIN = "interlock run by-hand.yaml --engine streaming --seed 0"
L1 = "Every turn ends: no deadlock, no livelock."
L3 = "At the turn's end every body has left or is listed as abandoned, and nothing happens afterwards but to those."


def test_a_turn_without_calls_that_ends_breaks_nothing(log, head):
    assert check(head(), log("0 response_started\n1 response_ended\n1 turn_ended completed")) == []


def test_a_log_without_the_turns_end_breaks_l1(log, head):
    turn = log("0 block a Read safe\n0 entered a\n3 left a ok\n3 result a ok")
    assert check(head(), turn) == [
        Violation(
            rule="L1",
            statement=L1,
            at_ns=3_000_000,
            calls=(),
            message="the log ends and the turn has not ended",
            timeline="> 3 ms  a  emitted result ok",
            reproduce=AGAIN,
        )
    ]


def test_an_empty_log_breaks_l1(head):
    assert [(v.rule, v.at_ns, v.timeline) for v in check(head(), [])] == [("L1", 0, "")]


@pytest.mark.parametrize("why", ["deadlock", "livelock", "crash"])
def test_a_run_that_was_given_up_breaks_l1_and_says_who_waits(log, head, why):
    turn = log(f"0 block a Read safe\n0 entered a\n3 halted {why} a waits for its body")
    assert check(head(), turn) == [
        Violation(
            rule="L1",
            statement=L1,
            at_ns=3_000_000,
            calls=("a",),
            message=f"the run was given up, {why}: a waits for its body",
            timeline=f"   0 s  a  block Read safe\n   0 s  a  entered\n> 3 ms     halted {why}",
            reproduce=AGAIN,
        )
    ]


def test_a_body_still_running_at_the_turns_end_breaks_l3(log, head):
    turn = "0 block a Read safe\n0 entered a\n2 turn_ended left {}a:user_interrupted"
    assert check(head(), log(turn.format("a "))) == []
    assert check(head(), log(turn.format(""))) == [
        Violation(
            rule="L3",
            statement=L3,
            at_ns=2_000_000,
            calls=("a",),
            message="a (Read, safe), entered at 0 s, has not left and is not listed",
            timeline="   0 s  a  block Read safe\n   0 s  a  entered\n> 2 ms     turn_ended left",
            reproduce=AGAIN,
        )
    ]


def test_a_body_abandoned_long_before_the_end_must_still_be_listed(log, head):
    """A9, E10: that it no longer counts as running does not make it gone."""
    turn = """
        0 block a Read safe
        0 entered a
        0 signalled a timeout
        5000 result a timeout abandoned
        5000 turn_ended completed {}
    """
    assert check(head(), log(turn.format("a"))) == []
    assert [v.rule for v in check(head(), log(turn.format("")))] == ["L3"]


def test_an_abandoned_body_may_go_on_after_the_turns_end(log, head):
    turn = "0 block a Read safe\n0 entered a\n2 turn_ended left a a:user_interrupted\n3 progressed a\n4 left a ok"
    assert check(head(), log(turn)) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("3 left a ok", "a: left after the turn had ended at 2 ms"),
        ("3 entered b", "b: entered after the turn had ended at 2 ms"),
        ("3 context", "context after the turn had ended at 2 ms"),
        ("3 turn_ended completed", "turn_ended after the turn had ended at 2 ms"),
    ],
)
def test_whatever_else_happens_after_the_turns_end_breaks_l3(log, head, row, message):
    turn = log(f"0 block a Read safe\n0 entered a\n2 left a ok\n2 result a ok\n2 turn_ended completed\n{row}")
    found = [violation for violation in check(head(), turn) if violation.rule == "L3"]
    assert [violation.message for violation in found] == [message]


def test_an_abandoned_calls_result_after_the_turns_end_breaks_l3(log, head):
    turn = log("0 block a Read safe\n0 entered a\n2 turn_ended left a\n3 result a ok")
    assert [v.rule for v in check(head(), turn)] == ["L3"]


def test_a_user_may_press_stop_after_the_turns_end(log, head):
    assert check(head(), log("0 turn_ended completed\n3 stop\n4 submit")) == []


def test_l3_is_skipped_where_the_turn_has_no_end(log, head):
    verdict = judge(head(), log("0 block a Read safe\n0 entered a\n3 halted deadlock"))
    assert verdict.skipped["L3"] == "the log has no turn_ended"
