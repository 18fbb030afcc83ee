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


def test_background_work_that_is_left_at_the_end_must_be_listed(log, head):
    """X8, E10."""
    turn = "0 block a Read safe\n0 entered a\n1 left a background\n1 result a ok\n2 {}turn_ended completed"
    listed = [*log(turn.format("work_ended a\n2 "))]
    assert check(head(), listed) == []
    (violation,) = check(head(), log(turn.format("")))
    assert (violation.rule, violation.message) == (
        "L3",
        "a (Read, safe), entered at 0 s, has not ended its work and is not listed",
    )
    last = log(turn.format(""))[-1]
    told = last._replace(detail={**last.detail, "abandoned": ["a: background work"]})
    assert check(head(), [*log(turn.format(""))[:-1], told]) == []


DEADLINE = """
    0 block a Read safe
    0 entered a
    {} signalled a timeout
    7 left a raised
    7 result a timeout
    7 turn_ended completed
"""


@pytest.fixture
def limited(head):
    header = head()
    header["tools"]["Read"]["deadline_ns"] = 5_000_000
    return header


def test_a_body_signalled_when_its_deadline_is_over_breaks_nothing(log, limited):
    """X5."""
    assert check(limited, log(DEADLINE.format(5))) == []


def test_a_body_that_runs_on_beyond_its_deadline_breaks_l2(log, limited):
    assert [(v.rule, v.at_ns, v.message) for v in check(limited, log(DEADLINE.format(6)))] == [
        ("L2", 5_000_000, "a (Read, safe) runs on, and its deadline is over")
    ]
    assert check(limited | {"tolerance_ns": 1_000_000}, log(DEADLINE.format(6))) == []


def test_a_body_that_ends_at_the_instant_of_its_deadline_was_in_time(log, limited):
    """A11."""
    turn = "0 block a Read safe\n0 entered a\n5 left a ok\n5 result a ok\n6 turn_ended completed"
    assert check(limited, log(turn)) == []


def test_a_deadline_that_does_not_cover_what_stands_before_the_body_breaks_l2(log, limited):
    """X5: from admission on; only the inside view tells of it."""
    held = """
        0 block a Read safe gated
        0 queued a
        0 admitted a
        {} permitted a
        {} entered a
        {} left a ok
        {} completed a
        {} result a ok
        9 turn_ended completed
    """.replace("completed a", "completed a ok")
    assert [v.rule for v in check(limited, log(held.format(4, 4, 5, 5, 5)))] == []
    found = [(v.at_ns // 1_000_000, v.message) for v in check(limited, log(held.format(6, 6, 7, 7, 7)))]
    assert found == [(5, "a (Read, safe) is held up before its body, and its deadline is over")]


def test_a_result_beside_a_running_body_must_say_that_it_is_abandoned(log, head):
    """A9."""
    begun = "0 block a Read safe\n0 entered a\n0 signalled a timeout"
    turn = begun + "\n{} result a timeout {}\n4001 turn_ended completed a"
    assert check(head(), log(turn.format(4000, "abandoned"))) == []
    early = check(head(), log(turn.format(3999, "abandoned")))
    assert [v.message for v in early] == ["a (Read, safe) was abandoned before its time to obey was over"]
    silent = check(head(), log(turn.format(3000, "")))
    assert [v.message for v in silent] == ["a (Read, safe) has a result while its body runs, and not as abandoned"]


def test_a_body_that_resists_and_gets_no_result_breaks_l2_where_the_consumer_is_prompt(log, head):
    begun = "0 block a Read safe\n0 entered a\n0 signalled a timeout"
    turn = log(f"{begun}\n5000 result a timeout abandoned\n5001 turn_ended completed a")
    assert check(head(), turn) == []
    assert [(v.rule, v.at_ns, v.message) for v in check(head() | {"consumer": "prompt"}, turn)] == [
        ("L2", 4_000_000_000, "a (Read, safe) resists, its time to obey is over, and it has no result")
    ]


def test_a_body_entered_after_an_exclusive_one_was_abandoned_breaks_l2(log, head):
    """A9: even when the abandoned body has left in the meantime."""
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 signalled a timeout
        0 block b Read safe
        4000 result a timeout abandoned
        4500 left a ok
        5000 entered b
        5001 left b ok
        5001 result b ok
        5001 turn_ended completed
    """
    assert [(v.rule, v.calls) for v in check(head(), log(turn))] == [("L2", ("b", "a"))]


def test_a_body_that_leaves_at_the_instant_its_time_is_over_was_in_time(log, head):
    """A11: bodies' ends come before deadlines."""
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 signalled a timeout
        0 block b Read safe
        4000 left a raised
        4000 result a timeout
        4000 entered b
        4001 left b ok
        4001 result b ok
        4001 turn_ended completed
    """
    assert check(head(), log(turn)) == []
