"""S1 to S7: which bodies may run together and when, on the smallest logs that keep or break each rule."""

import pytest

from sim.oracle import Violation, check, judge

AGAIN = "interlock run by-hand.yaml --engine streaming --seed 0"
S2 = (
    "No body is entered while an earlier exclusive body runs or is still to come, "
    "and no exclusive body while an earlier body runs or is still to come."
)


def rules(violations: list[Violation]) -> list[str]:
    return [violation.rule for violation in violations]


def only(violations: list[Violation], rule: str) -> list[Violation]:
    return [violation for violation in violations if violation.rule == rule]


ALONE = """
    0 block a Read safe
    0 entered a
    2 block b Edit exclusive
    4 left a ok
    4 entered b
    4 result a ok
    6 block c Read safe
    8 left b ok
    8 entered c
    8 result b ok
    9 left c ok
    9 result c ok
    9 turn_ended completed
"""


def test_an_exclusive_call_between_safe_ones_breaks_nothing_when_it_runs_alone(log, head):
    assert check(head(), log(ALONE)) == []


def test_an_exclusive_body_beside_a_running_one_breaks_s1(log, head):
    turn = ALONE.replace("    4 entered b\n", "").replace(
        "2 block b Edit exclusive", "2 block b Edit exclusive\n2 entered b"
    )
    assert only(check(head(), log(turn)), "S1") == [
        Violation(
            rule="S1",
            statement="While an exclusive call's body runs, no other body runs, across a fallback too.",
            at_ns=2_000_000,
            calls=("b", "a"),
            message="b (Edit, exclusive) was entered while a (Read, safe) has run since 0 s",
            timeline="\n".join(
                [
                    "   0 s  a  block Read safe",
                    "   0 s  a  entered",
                    "> 2 ms  b  block Edit exclusive",
                    "> 2 ms  b  entered",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


def test_a_safe_body_beside_an_exclusive_one_breaks_s1(log, head):
    turn = ALONE.replace("    8 entered c\n", "").replace("6 block c Read safe", "6 block c Read safe\n6 entered c")
    assert [(v.rule, v.calls) for v in check(head(), log(turn))] == [("S1", ("c", "b")), ("S2", ("c", "b"))]


def test_a_body_whose_new_input_is_exclusive_and_that_meets_another_breaks_s1(log, head):
    """H8: the class is that of the input that hooks have given."""
    events = log("0 block a Read safe\n0 block b Read safe\n0 entered a\n0 entered b\n5 left b ok\n5 left a ok")
    for entered, found in ((2, [("b", "a")]), (3, [("b", "a")])):
        hardened = list(events)
        hardened[entered] = events[entered]._replace(detail={"safe": False})
        assert [v.calls for v in check(head(), hardened) if v.rule == "S1"] == found


FALLBACK = """
    0 block a Edit exclusive 0
    0 entered a
    2 discard 0 effect:a
    2 signalled a streaming_fallback
    3 block b Read safe 1
    {} left a cancelled
    {} entered b
    8 left b ok
    8 result b ok
    8 turn_ended completed
"""


def test_a_retry_that_waits_for_its_predecessors_body_keeps_s1_and_s3(log, head):
    """A8: nothing of the retry is admitted until every call of its predecessor has settled."""
    assert check(head(), log(FALLBACK.format(5, 5))) == []
    safe = FALLBACK.replace("Edit exclusive", "Read safe")
    assert check(head(), log(safe.format(5, 5))) == []


def test_an_overlap_across_a_fallback_breaks_s1(log, head):
    turn = FALLBACK.replace("    {} entered b\n", "").replace(
        "3 block b Read safe 1", "3 block b Read safe 1\n3 entered b"
    )
    assert only(check(head(), log(turn.format(5))), "S1")[0].calls == ("b", "a")


def test_a_tie_is_judged_in_the_order_of_the_log(log, head):
    """A11: at one instant the end comes first, then the entry; the other way round the bodies have met."""
    swapped = ALONE.replace("    4 left a ok\n    4 entered b\n", "    4 entered b\n    4 left a ok\n")
    assert [(v.rule, v.at_ns, v.calls) for v in check(head(), log(swapped))] == [
        ("S1", 4_000_000, ("b", "a")),
        ("S2", 4_000_000, ("b", "a")),
    ]


ABANDONED = """
    0 block a {} 0
    0 entered a
    0 signalled a timeout
    0 block b Edit exclusive 0
    {} entered b
    {} left b ok
    {} result a timeout abandoned
    {} result b ok
    {} turn_ended completed a
"""


def test_an_abandoned_safe_body_no_longer_counts_as_running(log, head):
    """A9: twice the grace after its signal the call is settled, wherever its thread is."""
    assert check(head(), log(ABANDONED.format("Read safe", 4000, 4001, 4001, 4001, 4001))) == []
    early = check(head(), log(ABANDONED.format("Read safe", 3999, 4001, 4001, 4001, 4001)))
    assert rules(early) == ["S1", "S2"]
    late = check(head(), log(ABANDONED.format("Read safe", 4001, 4002, 4002, 4002, 4002)))
    assert [(v.rule, v.at_ns) for v in late] == [("S3", 4_000_000_000)]


def test_an_abandoned_exclusive_body_still_counts_as_running(log, head):
    """A9: it poisons the turn, nothing starts any more."""
    turn = ABANDONED.format("Edit exclusive", 4000, 4001, 4001, 4001, 4001)
    assert rules(check(head(), log(turn))) == ["S1", "S2"]
    rest = (
        turn.replace("4000 entered b", "")
        .replace("4001 left b ok", "")
        .replace("result b ok", "result b user_interrupted")
    )
    assert check(head(), log(rest)) == []


def test_a_result_says_that_its_body_is_abandoned_where_the_header_tells_no_grace(log, head):
    turn = """
        0 block a Read safe
        0 entered a
        7 result a timeout abandoned
        7 block b Edit exclusive
        7 entered b
        8 left b ok
        8 result b ok
        9 turn_ended completed a
    """
    assert check(head(grace_ns=None), log(turn)) == []


def test_a_body_entered_before_an_earlier_exclusive_one_breaks_s2_when_it_was_entered(log, head):
    turn = """
        0 block x Edit exclusive
        0 entered x
        1 block a Edit exclusive
        2 block b Read safe
        3 left x ok
        3 entered b
        3 result x ok
        4 left b ok
        4 entered a
        5 left a ok
        5 result a ok
        5 result b ok
        5 turn_ended completed
    """
    assert only(check(head(), log(turn)), "S2") == [
        Violation(
            rule="S2",
            statement=S2,
            at_ns=3_000_000,
            calls=("b", "a"),
            message="b (Read, safe) was entered before the earlier a (Edit, exclusive)",
            timeline="\n".join(
                [
                    "  1 ms  a  block Edit exclusive",
                    "  2 ms  b  block Read safe",
                    "> 3 ms  b  entered",
                    "  4 ms  b  left ok",
                    "  4 ms  a  entered",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


def test_an_exclusive_body_entered_before_an_earlier_safe_one_breaks_s2(log, head):
    turn = """
        0 block x Edit exclusive
        0 entered x
        1 block a Read safe
        1 block b Edit exclusive
        3 left x ok
        3 entered b
        3 result x ok
        4 left b ok
        4 entered a
        5 left a ok
        5 result a ok
        5 result b ok
        5 turn_ended completed
    """
    assert [v.calls for v in only(check(head(), log(turn)), "S2")] == [("b", "a")]


@pytest.mark.parametrize(("outcome", "broken"), [("user_interrupted", ["S2"]), ("denied", [])])
def test_overtaking_a_call_that_an_abort_met_in_the_queue_breaks_s2(log, head, outcome, broken):
    """Until the abort the overtaken body was still to come; a denial may have settled it before it was passed."""
    turn = f"""
        0 block x Read safe
        0 entered x
        1 block a Edit exclusive gated
        2 block b Read safe
        2 entered b
        3 left b ok
        4 stop
        4 left x ok
        4 result x ok
        4 result a {outcome}
        4 result b ok
        4 turn_ended stopped
    """
    assert rules(check(head(), log(turn))) == broken


def test_safe_bodies_may_be_entered_in_any_order_for_s2(log, head):
    turn = """
        0 block a Read safe
        0 block b Read safe
        0 entered b
        0 entered a
        1 left a ok
        1 left b ok
        1 result a ok
        1 result b ok
        1 turn_ended completed
    """
    assert check(head(), log(turn)) == []


WAITING = """
    0 block a Read safe
    0 entered a
    1 block b Edit exclusive
    2 left a ok
    2 result a ok
    {} entered b
    9 left b ok
    9 result b ok
    9 turn_ended completed
"""


def test_a_call_admitted_in_the_instant_that_admits_it_keeps_s3(log, head):
    """E5."""
    assert check(head(), log(WAITING.format(2))) == []


def test_a_call_that_waits_though_nothing_runs_breaks_s3(log, head):
    assert check(head(), log(WAITING.format(3))) == [
        Violation(
            rule="S3",
            statement="No call waits at an instant at which E3 and E4 would admit it.",
            at_ns=2_000_000,
            calls=("b",),
            message="b (Edit, exclusive) waits though nothing runs and nobody is before it",
            timeline="  1 ms  b  block Edit exclusive\n> 2 ms  a  emitted result ok",
            reproduce=AGAIN,
        )
    ]


BESIDE = """
    0 block a Read safe
    0 entered a
    0 block b Read safe
    {} entered b
    9 left a ok
    9 left b ok
    9 result a ok
    9 result b ok
    9 turn_ended completed
"""


def test_a_safe_call_that_waits_beside_safe_ones_breaks_s3_unless_the_limit_is_reached(log, head):
    turn = log(BESIDE.format(5))
    assert [v.message for v in check(head(), turn)] == [
        "b (Read, safe) waits though 1 safe calls run and nobody is before it"
    ]
    assert rules(check(head(max_concurrency=None), turn)) == ["S3"]
    assert only(check(head(max_concurrency=1), turn), "S3") == []


def test_a_call_that_never_starts_in_a_deadlock_breaks_s3(log, head):
    """A deadlock's instant is over: nothing is scheduled that could still admit the call."""
    assert rules(
        check(head(), log("0 block a X safe\n0 entered a\n1 left a ok\n1 block b X safe\n1 halted deadlock"))
    ) == [
        "S3",
        "L1",
    ]
    assert rules(
        check(head(), log("0 block a X safe\n0 entered a\n1 left a ok\n1 block b X safe\n1 halted livelock"))
    ) == ["L1"]


@pytest.mark.parametrize(
    "abort",
    [
        "2 stop",
        "2 submit took_effect",
        "2 submit force took_effect",
        "2 discard 0\n2 block z X unknown 1\n2 result z unknown_tool",
        "2 response_failed 0",
    ],
)
def test_nobody_is_expected_to_start_after_an_abort(log, head, abort):
    """A7, A8: S3 does not ask for what an abort forbids."""
    before = "0 block a Edit exclusive\n0 entered a\n1 block b Edit exclusive"
    turn = log(f"{before}\n{abort}\n2 left a cancelled\n5 turn_ended failed")
    assert only(check(head(), turn), "S3") == []


def test_a_submit_that_waits_lets_calls_start(log, head):
    turn = (
        "0 block a Edit exclusive\n0 entered a\n1 block b Edit exclusive\n1 submit\n2 left a ok\n5 turn_ended completed"
    )
    assert len(only(check(head(), log(turn)), "S3")) == 1


CASCADE = """
    0 block a {tool}
    0 entered a
    1 block b Edit exclusive
    2 left a {ended}
    2 result a error
    4 result b sibling_error
    4 turn_ended completed
"""


@pytest.mark.parametrize(
    ("tool", "ended", "cascade", "starts"),
    [
        ("Bash exclusive", "error", "exclusive", False),
        ("Bash exclusive", "raised", "exclusive", False),
        ("Bash exclusive", "cancelled", "exclusive", False),
        ("Bash exclusive", "ok", "exclusive", True),
        ("Bash exclusive", "error", "never", True),
        ("Bash safe", "error", "exclusive", True),
        ("Bash safe", "error", "any", False),
        ("Edit exclusive", "error", "any", True),
    ],
)
def test_nobody_is_expected_to_start_after_a_cascading_error(log, head, tool, ended, cascade, starts):
    """A2: which errors cascade is the policy's to say; a call that raised its own cancellation has failed (A12)."""
    found = check(head(cascade=cascade), log(CASCADE.format(tool=tool, ended=ended)))
    assert [v.calls for v in only(found, "S3")] == ([("b",)] if starts else [])


def test_a_sign_of_an_abort_is_enough_where_the_log_does_not_tell_the_abort(log, head):
    """E10: a consumer that leaves shows by the signals that follow, and nobody is expected to start then."""
    turn = """
        0 block a Read safe
        0 entered a
        0 block b Edit exclusive
        1 signalled a {}
        2 left a cancelled
        3 turn_ended left
    """
    assert only(check(head(), log(turn.format("user_interrupted"))), "S3") == []
    assert only(check(head(), log(turn.format("sibling_error"))), "S3") == []
    assert len(only(check(head(), log(turn.format("timeout"))), "S3")) == 1


def test_unknown_tools_hold_nobody_up(log, head):
    """E1: they take no slot, overtake nothing, block nothing."""
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 block u Nope unknown
        0 block b Edit exclusive
        2 left a ok
        2 result a ok
        2 result u unknown_tool
        {} entered b
        4 left b ok
        4 result b ok
        4 turn_ended completed
    """
    assert check(head(), log(turn.format(2))) == []
    assert rules(check(head(), log(turn.format(3)))) == ["S3"]


def test_invalid_input_holds_the_queue_until_nothing_runs(log, head):
    """E2: it is exclusive, so nobody passes it while a body runs; it has no body, so then it is through at once."""
    turn = """
        0 block a Read safe
        0 entered a
        0 block i Read invalid
        0 block b Read safe
        2 left a ok
        2 result a ok
        2 result i invalid_input
        {} entered b
        4 left b ok
        4 result b ok
        4 turn_ended completed
    """
    assert check(head(), log(turn.format(2))) == []
    assert rules(check(head(), log(turn.format(3)))) == ["S3"]


def test_invalid_input_that_was_passed_within_an_instant_holds_nobody_up_afterwards(log, head):
    turn = """
        0 block a Edit exclusive
        0 entered a
        0 block i Read invalid
        0 block b Read safe
        2 left a ok
        2 entered b
        3 block c Read safe
        {} entered c
        6 left b ok
        6 left c ok
        6 result a ok
        6 result i invalid_input
        6 result b ok
        6 result c ok
        6 turn_ended completed
    """
    assert check(head(), log(turn.format(3))) == []
    assert rules(check(head(), log(turn.format(4)))) == ["S3"]


BATCH = """
    0 block a Read safe
    {} entered a
    5 response_ended
    5 entered a
    6 left a ok
    6 result a ok
    6 turn_ended completed
"""


def test_waiting_for_the_responses_end_is_right_where_calls_start_there(log, head):
    turn = BATCH.replace("    {} entered a\n", "")
    assert check(head("batch"), log(turn)) == []
    assert rules(check(head("streaming"), log(turn))) == ["S3"]
    assert rules(check(head("batch"), log(turn.replace("5 entered a", "6 entered a", 1)))) == ["S3"]


def test_a_body_before_the_responses_end_breaks_s4_where_calls_start_there(log, head):
    turn = BATCH.format(2).replace("    5 entered a\n", "")
    assert only(check(head("streaming"), log(turn)), "S4") == []
    assert check(head("batch"), log(turn)) == [
        Violation(
            rule="S4",
            statement="No body is entered before its block is complete "
            "(start at the response's end: before the response is).",
            at_ns=2_000_000,
            calls=("a",),
            message="a (Read, safe) was entered before its response was complete",
            timeline="   0 s  a  block Read safe\n> 2 ms  a  entered",
            reproduce=AGAIN.replace("streaming", "batch"),
        )
    ]


def test_a_body_before_its_block_breaks_s4(log, head):
    turn = log("0 entered a\n0 block a Read safe\n1 left a ok\n1 result a ok\n1 turn_ended completed")
    assert [(v.rule, v.message) for v in check(head(), turn)] == [("S4", "a was entered before its block was complete")]


def test_the_end_of_another_attempts_response_does_not_start_a_batch(log, head):
    turn = log("""
        0 response_ended 0
        1 discard 0
        2 block a Read safe 1
        2 entered a
        3 response_ended 1
        4 left a ok
        4 result a ok
        4 turn_ended completed
    """)
    assert rules(check(head("batch"), turn)) == ["S4"]


def test_one_body_more_than_the_limit_breaks_s5(log, head):
    turn = log(BESIDE.format(0))
    assert check(head(max_concurrency=2), turn) == []
    assert check(head(max_concurrency=None), turn) == []
    assert check(head(max_concurrency=1), turn) == [
        Violation(
            rule="S5",
            statement="Never more than max_concurrency calls run at once.",
            at_ns=0,
            calls=("b", "a"),
            message="b (Read, safe) was entered as number 2 where 1 may run at once",
            timeline="\n".join(
                [
                    "> 0 s  a  block Read safe",
                    "> 0 s  a  entered",
                    "> 0 s  b  block Read safe",
                    "> 0 s  b  entered",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


def test_a_body_that_resists_to_the_end_of_its_grace_holds_no_place_from_then_on(log, head):
    """S5, A9: it is abandoned at that instant, which its emission tells later."""
    turn = """
        0 block a Read safe
        0 entered a
        0 block b Read safe
        1 signalled a timeout
        {} entered b
        7 left b ok
        7 result a timeout abandoned
        7 result b ok
        7 turn_ended completed
    """
    assert "S5" not in rules(check(head(max_concurrency=1, grace_ns=2_000_000), log(turn.format(5))))
    assert "S5" in rules(check(head(max_concurrency=1, grace_ns=2_000_000), log(turn.format(4))))


def test_an_exclusive_body_starts_where_a_safe_one_is_abandoned_without_any_grace(log, head):
    """S1, S2, A9."""
    turn = """
        0 block a Read safe
        0 entered a
        0 block b Edit exclusive
        1 signalled a timeout
        1 entered b
        2 left b ok
        2 result a timeout abandoned
        2 result b ok
        2 turn_ended completed
    """
    assert not {"S1", "S2"} & set(rules(check(head(grace_ns=0), log(turn))))
    assert {"S1", "S2"} <= set(rules(check(head(grace_ns=1_000_000), log(turn))))


def test_the_serial_engines_limit_is_one_whatever_the_options_say(log, head):
    assert rules(check(head("serial", start="block"), log(BESIDE.format(0)))) == ["S5"]


def test_a_body_that_runs_twice_breaks_s7(log, head):
    turn = """
        0 block a Read safe
        0 entered a
        1 left a ok
        2 entered a
        3 left a ok
        3 result a ok
        3 turn_ended completed
    """
    assert check(head(), log(turn)) == [
        Violation(
            rule="S7",
            statement="A call's body runs at most once.",
            at_ns=2_000_000,
            calls=("a",),
            message="a (Read, safe) was entered again, first at 0 s",
            timeline="\n".join(
                ["   0 s  a  block Read safe", "   0 s  a  entered", "  1 ms  a  left ok", "> 2 ms  a  entered"]
            ),
            reproduce=AGAIN,
        )
    ]


def test_rules_about_bodies_are_skipped_and_said_to_be_where_a_log_tells_of_none(log, head):
    verdict = judge(head(), log("0 block a Read safe\n1 result a ok\n1 turn_ended completed"))
    assert verdict.violations == ()
    without = ("S1", "S2", "S3", "S4", "S5", "S7", "F4", "F5")
    assert {rule for rule, why in verdict.skipped.items() if "no entered" in why} == {
        *without,
        "F1",
        "F2",
        "F3",
        "S6",
        "K1",
        "L2",
    }


DOUBTED = """
    0 block a Read exclusive
    0 entered a
    0 block b Read safe
    0 entered b
    1 left a ok
    1 left b ok
    1 result a ok
    1 result b ok
    1 turn_ended completed
"""


def test_a_call_of_a_safe_tool_whose_classifier_did_not_say_yes_and_that_meets_another_breaks_s6(log, head):
    """E2: S1 knows that it is exclusive, S6 why."""
    violations = check(head(), log(DOUBTED))
    assert [(v.rule, v.calls) for v in violations] == [("S1", ("b", "a")), ("S2", ("b", "a")), ("S6", ("a", "b"))]
    assert violations[2].message == "a (Read, exclusive), whose class was not clearly safe, met b (Read, safe)"
    assert rules(check(head(), log(DOUBTED.replace("a Read", "a Edit")))) == ["S1", "S2"]


def test_a_tool_whose_classifier_raises_is_doubted_whatever_class_it_declares(log, head):
    odd = head()
    odd["tools"]["Edit"]["classifier_raises"] = True
    assert rules(check(odd, log(DOUBTED.replace("a Read", "a Edit")))) == ["S1", "S2", "S6"]


@pytest.mark.parametrize(("flaw", "why"), [("invalid", "its input is invalid"), ("unknown", "there is no such tool")])
def test_a_body_of_a_call_that_cannot_run_breaks_s6(log, head, flaw, why):
    turn = log(f"0 block a Read {flaw}\n0 entered a\n1 left a ok\n1 result a ok\n1 turn_ended completed")
    (violation,) = check(head(), turn)
    assert (violation.rule, violation.message) == ("S6", f"a (Read, exclusive) was entered although {why}")


BACKGROUND = """
    0 block a Edit exclusive
    0 entered a
    1 left a background{}
    1 result a ok
    1 block b Read safe
    {} entered b
    5 work_ended a
    9 left b ok
    9 result b ok
    9 turn_ended completed
"""


def test_exclusive_work_in_the_background_holds_others_up_until_it_ends(log, head):
    """X8."""
    waits = BACKGROUND.format("", 5).replace("5 entered b\n    5 work_ended a", "5 work_ended a\n    5 entered b")
    assert check(head(), log(waits)) == []
    assert rules(check(head(), log(BACKGROUND.format("", 4)))) == ["S1", "S2"]
    late = waits.replace("5 entered b", "6 entered b")
    assert [(v.rule, v.at_ns) for v in check(head(), log(late))] == [("S3", 5_000_000)]


@pytest.mark.parametrize(("tool", "detached"), [("Edit exclusive", " detached"), ("Read safe", "")])
def test_detached_work_and_work_of_safe_calls_hold_nobody_up(log, head, tool, detached):
    turn = BACKGROUND.replace("Edit exclusive", tool)
    assert check(head(), log(turn.format(detached, 1))) == []
    assert rules(check(head(), log(turn.format(detached, 4)))) == ["S3"]


def test_work_in_the_background_is_no_failure(log, head):
    """A2: a cascading tool whose work goes on has not failed."""
    turn = BACKGROUND.format("", 5).replace("5 entered b\n    5 work_ended a", "5 work_ended a\n    5 entered b")
    assert check(head(), log(turn.replace("a Edit", "a Bash"))) == []


GUARDED = """
    0 block a Edit exclusive gated
    0 block b Read safe
    {} result a denied
    {} entered b
    9 left b ok
    9 result b ok
    9 turn_ended completed
"""


def test_what_hooks_and_questions_hold_back_does_not_break_s3(log, head):
    """SPEC 10: from outside nobody knows whether a guarded call was admitted, nor when it settles."""
    assert check(head(), log(GUARDED.format(3, 3))) == []
    assert rules(check(head(), log(GUARDED.format(3, 4)))) == ["S3"]
