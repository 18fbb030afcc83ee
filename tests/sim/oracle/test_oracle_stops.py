"""F4 to F6: stops, refusals, submits and discards, on the smallest logs that keep or break each rule."""

import pytest

from sim.oracle import Violation, check

AGAIN = "interlock run by-hand.yaml --engine streaming --seed 0"


def found(violations: list[Violation], *rules: str) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(v.rule, v.at_ns // 1_000_000, v.calls) for v in violations if not rules or v.rule in rules]


STOPPED = """
    0 block a Read safe
    0 entered a
    0 block b Edit exclusive
    2 {}
    2 signalled a user_interrupted
    2 left a raised
    2 result a user_interrupted
    2 result b user_interrupted
    3 block c Read safe
    3 result c user_interrupted
    3 turn_ended stopped
"""
ENDS = ["stop", "refused b person"]


@pytest.mark.parametrize("end", ENDS)
def test_a_turn_that_ends_with_everybody_answered_breaks_nothing(log, head, end):
    """A4, A7."""
    assert check(head(), log(STOPPED.format(end))) == []


@pytest.mark.parametrize(
    ("end", "who"), [("stop", "the user's stop"), ("refused b person", "b (Edit, exclusive) was refused")]
)
def test_a_body_entered_after_the_end_breaks_f4(log, head, end, who):
    turn = STOPPED.format(end).replace("3 result c user_interrupted", "3 entered c\n3 left c ok\n3 result c ok")
    (violation,) = check(head(), log(turn))
    assert violation == Violation(
        rule="F4",
        statement="After a stop or a refusal no body is entered and every call has a result; "
        "a refusal stops what runs at once.",
        at_ns=3_000_000,
        calls=("c",),
        message=f"c (Read, safe) was entered after {who} at 2 ms",
        timeline=violation.timeline,
        reproduce=AGAIN,
    )
    assert violation.timeline.splitlines()[0].split()[:3] == ["2", "ms", end.split()[-2] if " " in end else "stop"]


@pytest.mark.parametrize("end", ENDS)
def test_a_call_left_without_a_result_breaks_f4_and_p1(log, head, end):
    turn = STOPPED.format(end).replace("    3 result c user_interrupted\n", "")
    assert found(check(head(), log(turn))) == [("F4", 3, ("c",)), ("P1", 3, ("c",))]


def test_a_response_that_fails_after_a_stop_leaves_every_call_its_result(log, head):
    """F4: who stops a turn closes its stream; what came of it stays."""
    turn = STOPPED.format("stop").replace("3 turn_ended", "3 response_failed 0\n3 turn_ended")
    assert check(head(), log(turn)) == []
    lost = turn.replace("    3 result c user_interrupted\n", "")
    assert found(check(head(), log(lost)), "F4") == [("F4", 3, ("c",))]


def test_a_response_given_up_before_a_stop_is_owed_nothing(log, head):
    turn = """
        0 block a Read safe
        0 entered a
        1 response_failed 0
        1 discard 0
        1 signalled a streaming_fallback
        2 stop
        3 left a raised
        3 turn_ended failed
    """
    assert check(head(), log(turn)) == []


@pytest.mark.parametrize(("end", "rule"), [("stop", "F5"), ("refused b person", "F4")])
def test_a_running_body_that_is_not_signalled_at_once_breaks_the_rule_of_who_ended_the_turn(log, head, end, rule):
    turn = STOPPED.format(end).replace(
        "2 signalled a user_interrupted\n    2 left a raised\n    2 result a user_interrupted",
        "3 left a ok\n3 result a ok",
    )
    turn = turn.replace("2 result b", "3 result b").replace(
        "3 block c Read safe\n    3 result c user_interrupted\n", ""
    )
    assert found(check(head(), log(turn)))[0] == (rule, 2, ("a",) if end == "stop" else ("a", "b"))


def test_an_end_at_the_instant_of_a_stop_needs_no_signal(log, head):
    """A11: the body's end comes first, and its consequence may be written after the stop by a real clock."""
    turn = STOPPED.format("stop").replace("2 signalled a user_interrupted\n    2 left a raised", "2 left a ok")
    assert check(head(), log(turn.replace("result a user_interrupted", "result a ok"))) == []


SUBMIT = """
    0 block a {} safe
    0 entered a
    0 block b {} safe
    0 entered b
    1 block c Edit exclusive
    2 submit {}
    {}
    3 left a raised
    5 left b {}
    5 result a user_interrupted
    5 result b {}
    5 result c user_interrupted
    5 turn_ended stopped
"""


def test_a_forced_submit_stops_what_it_may_and_leaves_the_rest_in_peace(log, head):
    turn = SUBMIT.format("Read", "Edit", "force took_effect", "2 signalled a user_interrupted", "ok", "ok")
    assert check(head(), log(turn)) == []


def test_the_signal_of_a_block_call_that_fires_on_a_submit_breaks_f5(log, head):
    signals = "2 signalled a user_interrupted\n2 signalled b user_interrupted"
    turn = SUBMIT.format("Read", "Edit", "force took_effect", signals, "raised", "user_interrupted")
    (violation,) = check(head(), log(turn))
    assert (violation.rule, violation.at_ns, violation.calls) == ("F5", 2_000_000, ("b",))
    assert violation.message == "b (Edit, safe) was signalled by a submit at 2 ms, though it must not be cut off"


def test_a_stop_after_a_submit_stops_the_block_calls_too(log, head):
    """A7."""
    signals = "2 signalled a user_interrupted\n4 stop\n{}"
    turn = SUBMIT.format("Read", "Edit", "force took_effect", signals, "raised", "user_interrupted").replace(
        "3 left a", "4 left a"
    )
    assert check(head(), log(turn.format("4 signalled b user_interrupted"))) == []
    rest = turn.replace("left b raised", "left b ok").replace("result b user_interrupted", "result b ok")
    assert found(check(head(), log(rest.format("")))) == [("F5", 4, ("b",))]


def test_a_cancel_call_that_a_submit_does_not_signal_breaks_f5(log, head):
    turn = SUBMIT.format("Read", "Edit", "force took_effect", "", "ok", "ok")
    turn = turn.replace("3 left a raised", "3 left a ok").replace("result a user_interrupted", "result a ok")
    assert found(check(head(), log(turn))) == [("F5", 2, ("a",))]


def test_a_submit_that_waits_touches_nobody(log, head):
    turn = SUBMIT.format("Read", "Edit", "", "", "ok", "ok").replace("5 result c user_interrupted", "")
    turn = turn.replace("3 left a raised", "3 left a ok").replace("result a user_interrupted", "result a ok")
    turn = turn.replace("5 turn_ended stopped", "5 entered c\n6 left c ok\n6 result c ok\n6 turn_ended completed")
    assert check(head(), log(turn)) == []


@pytest.mark.parametrize(
    ("tools", "how", "calls", "message"),
    [
        (("Read", "Read"), "", ("a", "b"), "a submit took no effect although all that ran could be stopped"),
        (("Read", "Edit"), "force", ("a", "b"), "a forced submit took no effect although calls could be stopped"),
        (("Read", "Edit"), "took_effect", ("b",), "a submit took effect although b (Edit, safe) must not be cut off"),
    ],
)
def test_a_submit_with_the_wrong_effect_breaks_f5(log, head, tools, how, calls, message):
    turn = SUBMIT.format(*tools, how, "2 signalled a user_interrupted", "ok", "ok")
    found_ = [v for v in check(head(), log(turn)) if v.rule == "F5"]
    assert (found_[0].calls, found_[0].message) == (calls, message)


def test_a_submit_takes_no_effect_where_nothing_runs(log, head):
    assert check(head(), log("0 submit\n1 turn_ended completed\n2 submit took_effect")) == []
    turn = log(
        "0 block a Edit exclusive\n0 entered a\n1 left a ok\n1 result a ok\n2 submit took_effect\n3 turn_ended stopped"
    )
    assert found(check(head(), turn)) == [("F5", 2, ())]


def test_a_call_before_its_body_may_be_what_a_submit_waits_for(log, head):
    """H4: hooks and questions belong to what executes, and cannot be seen from outside."""
    turn = """
        0 block a Edit safe gated
        0 block b Read safe
        0 entered b
        1 submit
        2 left b ok
        2 result a denied
        2 result b ok
        2 turn_ended completed
    """
    assert check(head(), log(turn)) == []


def test_a_block_call_that_stood_before_its_body_enters_it_after_a_forced_submit(log, head):
    """A7: a hook or a question of a call that executes is no queue; one that arrives later has no such excuse."""
    turn = """
        0 block a Edit safe gated
        1 submit force took_effect
        2 entered a
        3 left a ok
        3 result a ok
        3 turn_ended stopped
    """
    assert check(head(), log(turn)) == []
    late = turn.replace("0 block a Edit safe gated", "").replace(
        "2 entered", "2 block a Edit safe gated\n        2 entered"
    )
    assert found(check(head(), log(late))) == [("F5", 2, ("a",))]
    assert found(check(head(), log(turn.replace("Edit", "Read")))) == [("F5", 2, ("a",))]


def test_a_queued_body_entered_after_a_submit_breaks_f5(log, head):
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 block b Edit exclusive
        1 submit force took_effect
        2 left a ok
        2 entered b
        3 left b ok
        3 result a ok
        3 result b ok
        3 turn_ended stopped
    """
    assert found(check(head(), log(turn))) == [("F5", 2, ("b",))]


def test_a_queued_call_that_is_not_said_to_be_interrupted_breaks_f5(log, head):
    turn = STOPPED.format("stop").replace("result b user_interrupted", "result b error")
    assert found(check(head(), log(turn))) == [("F5", 2, ("b",))]
    assert check(head(), log(turn.replace("result b error", "result b sibling_error")))[0].rule == "F2"


DISCARDED = """
    0 block r Read safe
    0 entered r
    0 block a Read safe
    0 entered a
    0 block q Edit exclusive
    1 left r ok
    1 result r ok
    2 discard 0 r
    2 signalled a streaming_fallback
    {}
    3 block b Read safe 1
    {} left a raised
    {} entered b
    8 left b ok
    8 result b ok
    8 turn_ended completed
"""


def test_a_discard_after_which_nothing_of_it_happens_breaks_nothing(log, head):
    assert check(head(), log(DISCARDED.format("", 4, 4))) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2 entered q", "q (Edit, exclusive): was entered after its response had been discarded at 2 ms"),
        (
            "2 result q streaming_fallback",
            "q (Edit, exclusive): result was emitted after its response had been discarded at 2 ms",
        ),
        ("2 progress a 0", "a (Read, safe): progress was emitted after its response had been discarded at 2 ms"),
    ],
)
def test_whatever_of_a_discarded_response_still_happens_breaks_f6(log, head, row, message):
    found_ = [v for v in check(head(), log(DISCARDED.format(row, 4, 4))) if v.rule == "F6"]
    assert (found_[0].message, found_[0].at_ns) == (message, 2_000_000)


def test_a_discarded_body_that_runs_on_unsignalled_breaks_f6(log, head):
    turn = (
        DISCARDED.format("", 4, 4).replace("2 signalled a streaming_fallback", "").replace("left a raised", "left a ok")
    )
    assert found(check(head(), log(turn))) == [("F6", 2, ("a",))]


def test_a_retry_that_starts_beside_its_predecessor_breaks_f6_even_if_both_are_safe(log, head):
    """A8."""
    assert found(check(head(), log(DISCARDED.format("", 4, 3)).copy())) == []
    turn = (
        DISCARDED.format("", 4, 4)
        .replace("    4 entered b\n", "")
        .replace("3 block b Read safe 1", "3 block b Read safe 1\n3 entered b")
    )
    assert found(check(head(), log(turn))) == [("F6", 3, ("b", "a"))]


def test_effects_of_a_discarded_response_that_are_not_told_break_f6(log, head):
    """B066: what an exclusive body may have done is the caller's to know."""
    turn = "0 block a Edit exclusive\n0 entered a\n1 left a ok\n2 discard 0 {}\n2 turn_ended failed"
    assert check(head(), log(turn.format("effect:a"))) == []
    assert found(check(head(), log(turn.format("")))) == [("F6", 2, ("a",))]
