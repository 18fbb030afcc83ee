"""F1 to F3: whom a failure takes along, whom it spares and what is told of it, on the smallest logs."""

import pytest

from sim.oracle import Violation, check

AGAIN = "interlock run by-hand.yaml --engine streaming --seed 0"


def found(violations: list[Violation], *rules: str) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(v.rule, v.at_ns // 1_000_000, v.calls) for v in violations if not rules or v.rule in rules]


CASCADE = """
    0 block a Bash safe
    0 entered a
    0 block b Read safe
    0 entered b
    1 block c Edit exclusive
    2 left a {ended}
    2 result a error
    2 signalled b sibling_error
    3 left b cancelled
    3 block d Read safe
    3 result b sibling_error
    3 result c sibling_error
    3 result d sibling_error
    3 turn_ended completed
"""


@pytest.mark.parametrize("ended", ["error", "raised", "cancelled"])
def test_a_cascade_that_stops_the_running_the_queued_and_the_late_breaks_nothing(log, head, ended):
    """A2, A12: a body that cancelled itself has failed."""
    assert check(head(cascade="any"), log(CASCADE.format(ended=ended))) == []


def test_a_body_that_runs_on_unsignalled_after_a_cascade_breaks_f1(log, head):
    turn = CASCADE.format(ended="error").replace("2 signalled b sibling_error\n    3 left b cancelled", "3 left b ok")
    turn = turn.replace("result b sibling_error", "result b ok")
    assert check(head(cascade="any"), log(turn)) == [
        Violation(
            rule="F1",
            statement="After a cascading error no body of that response is entered, each running one is signalled at "
            "once, and who was kept from running or stopped has a synthetic result.",
            at_ns=2_000_000,
            calls=("b", "a"),
            message="b (Read, safe) runs on and was not signalled when a (Bash, safe) failed",
            timeline="\n".join(
                [
                    "   0 s  a  block Bash safe",
                    "   0 s  a  entered",
                    "   0 s  b  block Read safe",
                    "   0 s  b  entered",
                    "> 2 ms  a  left error",
                    "> 2 ms  a  emitted result error",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


def test_a_signal_an_instant_too_late_breaks_f1_beyond_the_clocks_tolerance(log, head):
    turn = CASCADE.format(ended="error").replace("2 signalled b", "3 signalled b")
    assert found(check(head(cascade="any"), log(turn))) == [("F1", 2, ("b", "a"))]
    assert check(head(cascade="any") | {"tolerance_ns": 1_000_000}, log(turn)) == []
    assert found(check(head(cascade="any") | {"tolerance_ns": 999_999}, log(turn)), "F1") != []


def test_a_sibling_that_ends_at_the_instant_of_a_cascade_owes_no_signal(log, head):
    """A11: each event has its consequences before the next, and this one needs none."""
    turn = CASCADE.format(ended="error").replace("2 signalled b sibling_error\n    3 left b cancelled", "2 left b ok")
    assert check(head(cascade="any"), log(turn.replace("result b sibling_error", "result b ok"))) == []


@pytest.mark.parametrize("late", ["c", "d"])
def test_a_queued_or_later_body_entered_after_a_cascade_breaks_f1(log, head, late):
    turn = CASCADE.format(ended="error").replace(f"3 result {late} sibling_error", "")
    turn = turn.replace("3 turn_ended", f"3 entered {late}\n4 left {late} ok\n4 result {late} ok\n4 turn_ended")
    assert found(check(head(cascade="any"), log(turn)), "F1") == [("F1", 3, (late, "a"))]


def test_the_flag_of_a_cascade_dies_with_its_response(log, head):
    """A8: the retry has siblings of its own."""
    turn = """
        0 block a Bash exclusive
        0 entered a
        1 left a error
        2 discard 0 effect:a
        3 block b Read safe 1
        3 entered b
        4 left b ok
        4 result b ok
        4 turn_ended completed
    """
    assert check(head(), log(turn)) == []


def test_a_body_that_was_stopped_takes_nobody_along(log, head):
    """A2, A6: it did not end in an error, it was stopped; under a submit others run on."""
    turn = """
        0 block a Bash safe
        0 entered a
        0 block b Edit safe
        0 entered b
        1 submit force took_effect
        1 signalled a user_interrupted
        2 left a raised
        2 result a user_interrupted
        5 left b ok
        5 result b ok
        5 turn_ended stopped
    """
    assert check(head(cascade="any"), log(turn)) == []
    stopped = turn.replace("2 left a raised", "2 left a error").replace("result a user_interrupted", "result a error")
    assert found(check(head(cascade="any"), log(stopped))) == [("F1", 2, ("b", "a"))]


def test_a_guarded_culprit_takes_others_along_when_its_hooks_are_over(log, head):
    """H5: what follows its body is seen from outside by its result only."""
    turn = """
        0 block a Bash safe gated
        0 entered a
        0 block b Read safe
        0 entered b
        2 left a error
        3 block c Read safe
        3 entered c
        5 result a error
        5 signalled b sibling_error
        5 signalled c sibling_error
        5 left b raised
        5 left c raised
        5 result b sibling_error
        5 result c sibling_error
        5 turn_ended completed
    """
    assert check(head(cascade="any"), log(turn)) == []
    unsignalled = turn.replace("5 signalled c sibling_error", "").replace("5 left c", "6 left c")
    unsignalled = unsignalled.replace("5 result c", "6 result c").replace("5 turn_ended", "6 turn_ended")
    assert found(check(head(cascade="any"), log(unsignalled))) == [("F1", 5, ("c", "a")), ("F3", 6, ("c",))]


def test_a_stopped_sibling_without_a_synthetic_result_breaks_f1(log, head):
    turn = CASCADE.format(ended="error").replace("result b sibling_error", "result b denied")
    assert found(check(head(cascade="any"), log(turn))) == [("F1", 3, ("b", "a"))]


SPARED = """
    0 block a {}
    0 entered a
    0 block b Read safe
    0 entered b
    2 left a error
    2 result a error
    2 signalled b {}
    3 left b raised
    3 result b {}
    3 turn_ended completed
"""


@pytest.mark.parametrize("reason", ["sibling_error", "user_interrupted"])
def test_a_sibling_stopped_for_an_error_that_does_not_cascade_breaks_f2(log, head, reason):
    """A3; that nobody pressed stop shows it as well."""
    turn = log(SPARED.format("Read safe", reason, reason))
    assert found(check(head(), turn)) == [("F2", 2, ("b",))]


def test_a_culprit_makes_a_sibling_error_true(log, head):
    assert found(check(head(cascade="any"), log(SPARED.format("Bash safe", "sibling_error", "sibling_error")))) == []
    never = check(head(cascade="never"), log(SPARED.format("Bash safe", "sibling_error", "sibling_error")))
    assert found(never) == [("F2", 2, ("b",))]


def test_a_queued_call_answered_with_a_sibling_error_after_a_denial_breaks_f2(log, head):
    turn = """
        0 block z Read safe
        0 entered z
        0 block a Bash exclusive gated
        0 block b Edit exclusive
        2 left z ok
        2 result z ok
        2 result a denied
        2 result b sibling_error
        2 turn_ended completed
    """
    (violation,) = check(head(), log(turn))
    assert (violation.rule, violation.calls) == ("F2", ("b",))
    assert violation.message == (
        "b (Edit, exclusive) was answered with sibling_error, "
        "and no call of its response had failed in a way that cascades"
    )


def test_who_is_left_beside_an_abandoned_exclusive_call_has_a_sibling_error(log, head):
    """A9: nothing starts any more in the turn or its retry."""
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 signalled a timeout
        1 block b Read safe
        4000 result a timeout abandoned
        4000 result b sibling_error
        4000 turn_ended completed a
    """
    assert check(head(), log(turn)) == []


@pytest.mark.parametrize("how", ["stop", "submit force took_effect", "refused b person", "consumer_left left"])
def test_a_user_makes_an_interruption_true(log, head, how):
    turn = f"""
        0 block b Read safe
        0 entered b
        0 block a Read safe
        0 entered a
        1 left a ok
        2 {how}
        2 signalled b user_interrupted
        2 left b raised
        2 turn_ended stopped b:user_interrupted a:ok
    """
    assert check(head(), log(turn)) == []


def test_a_consumer_that_leaves_may_show_by_the_turns_end_only(log, head):
    """E10: nobody but the consumer knows before."""
    turn = "0 block b Read safe\n0 entered b\n2 signalled b user_interrupted\n2 left b raised\n2 turn_ended {} {}"
    assert check(head(), log(turn.format("left", "b:user_interrupted"))) == []
    assert found(check(head(), log(turn.format("completed", "b:user_interrupted")))) == [("F2", 2, ("b",))]


def test_a_refusal_of_a_settled_call_or_of_a_discarded_response_does_not_rise(log, head):
    """A4."""
    settled = """
        0 block a Read safe
        0 entered a
        1 left a ok
        1 result a ok
        1 block b Read safe
        1 entered b
        2 refused a tool
        2 signalled b user_interrupted
        2 left b raised
        2 result b user_interrupted
        2 turn_ended stopped
    """
    assert found(check(head(), log(settled))) == [("F2", 2, ("b",))]


ENDED = """
    0 block a Read safe
    0 entered a
    1 stop
    1 signalled a user_interrupted
    2 left a {}
    2 result a {}
    2 turn_ended stopped
"""


@pytest.mark.parametrize(
    ("ended", "outcome", "broken"),
    [
        ("ok", "ok", []),
        ("error", "error", []),
        ("background", "ok", []),
        ("raised", "user_interrupted", []),
        ("cancelled", "user_interrupted", []),
        ("ok", "user_interrupted", ["F3"]),
        ("error", "user_interrupted", ["F3"]),
        ("background", "user_interrupted", ["F3"]),
        ("raised", "ok", ["F3"]),
        ("cancelled", "ok", ["F3"]),
    ],
)
def test_what_ends_by_itself_after_its_signal_keeps_its_result(log, head, ended, outcome, broken):
    """A6: a body that returns was not stopped; one that raises after its signal was."""
    turn = ENDED.format(ended, outcome).replace(
        "2 result", "2 work_ended a\n2 result" if ended == "background" else "2 result"
    )
    assert [v.rule for v in check(head(), log(turn))] == broken


def test_the_culprit_keeps_its_own_result(log, head):
    turn = "0 block a Bash exclusive\n0 entered a\n2 left a raised\n2 result a {}\n2 turn_ended completed"
    assert check(head(), log(turn.format("error"))) == []
    (violation,) = check(head(), log(turn.format("sibling_error")))
    assert (violation.rule, violation.message) == (
        "F3",
        "a (Bash, exclusive) ended by itself (raised) at 2 ms, and is reported as sibling_error",
    )


def test_what_was_abandoned_and_ended_later_was_stopped(log, head):
    """A6, A9: its first final outcome stands, whatever its body brings afterwards."""
    turn = """
        0 block z Read safe
        0 entered z
        0 block a Read safe
        0 entered a
        0 signalled a timeout
        {} left a ok
        5000 left z ok
        5000 result z ok
        5000 result a timeout {}
        5000 turn_ended completed
    """
    assert check(head(), log(turn.format(4500, "abandoned"))) == []
    assert check(head(), log(turn.format(4000, "abandoned"))) == []
    assert found(check(head(), log(turn.format(3999, "abandoned")))) == [("F3", 5000, ("a",))]
    assert found(check(head(), log(turn.format(4000, "")))) == [("F3", 5000, ("a",))]


def test_a_call_without_a_body_that_is_reported_as_done_breaks_f3(log, head):
    before = "0 block z Read safe\n0 entered z\n1 left z ok\n1 result z ok"
    turn = f"{before}\n1 block a Read safe\n1 result a ok\n1 turn_ended completed"
    (violation,) = check(head(), log(turn))
    assert (violation.rule, violation.message) == ("F3", "a (Read, safe) had no body, and is reported as ok")
