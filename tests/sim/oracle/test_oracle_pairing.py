"""P1, P2, P4: tool_uses and their results, on the smallest logs that keep or break each rule."""

import pytest

from sim.oracle import Violation, check

AGAIN = "interlock run by-hand.yaml --engine streaming --seed 0"
P1 = "Every tool_use of a response that was kept has exactly one tool_result, emitted or in the closing report."
P2 = "There is no tool_result without its tool_use and ids are unique, counted per occurrence."
P4 = "Results are emitted in request order."


def rules(violations: list[Violation]) -> list[str]:
    return [violation.rule for violation in violations]


def test_one_call_with_one_result_breaks_nothing(log, head):
    turn = log("0 block a Read safe\n0 entered a\n5 left a ok\n5 result a ok\n5 turn_ended completed")
    assert check(head(), turn) == []


def test_a_tool_use_without_a_result_breaks_p1(log, head):
    turn = log("0 block a Read safe\n0 entered a\n5 left a ok\n9 turn_ended completed")
    assert check(head(), turn) == [
        Violation(
            rule="P1",
            statement=P1,
            at_ns=9_000_000,
            calls=("a",),
            message="a (Read, safe) has no result",
            timeline="\n".join(
                [
                    "   0 s  a  block Read safe",
                    "   0 s  a  entered",
                    "  5 ms  a  left ok",
                    "> 9 ms     turn_ended completed",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


def test_a_result_in_the_closing_report_counts_for_p1(log, head):
    turn = log("0 block a Read safe\n0 entered a\n5 left a ok\n9 turn_ended left a:ok")
    assert check(head(), turn) == []


def test_a_result_both_emitted_and_in_the_closing_report_is_one_too_many_for_p1(log, head):
    turn = log("0 block a Read safe\n0 entered a\n5 left a ok\n5 result a ok\n9 turn_ended left a:ok")
    assert [(v.rule, v.at_ns) for v in check(head(), turn)] == [("P2", 9_000_000), ("P1", 9_000_000)]


def test_a_second_result_breaks_p1_at_its_instant(log, head):
    turn = log("0 block a Read safe\n0 entered a\n5 left a ok\n5 result a ok\n7 result a error\n9 turn_ended completed")
    found = {violation.rule: violation for violation in check(head(), turn)}
    assert found.keys() == {"P1", "P2"}
    assert found["P1"].at_ns == 7_000_000
    assert found["P1"].message == "a (Read, safe) has 2 results: ok at 5 ms, error at 7 ms"


def test_p1_asks_no_result_of_a_discarded_response(log, head):
    """A8: the retried response's calls are the turn's; those of the discarded one need no result."""
    turn = log("""
        0 block a Read safe 0
        0 entered a
        5 discard 0
        5 signalled a streaming_fallback
        6 left a cancelled
        6 block b Read safe 1
        6 entered b
        9 left b ok
        9 result b ok
        9 turn_ended completed
    """)
    assert check(head(), turn) == []


def test_p1_asks_no_result_of_a_response_that_failed_for_good(log, head):
    """A8: with the retries used up the partial message is dropped whole."""
    turn = log("0 block a Edit unknown\n5 response_failed 0\n5 turn_ended failed")
    assert check(head(), turn) == []


def test_a_retry_may_use_an_id_again(log, head):
    turn = log("""
        0 block a Read safe 0
        0 entered a
        5 discard 0
        5 signalled a streaming_fallback
        5 block a Read safe 1
        6 left a cancelled
        6 entered a
        9 left a ok
        9 result a ok
        9 turn_ended completed
    """)
    assert check(head(), turn) == []


def test_a_run_that_was_given_up_owes_its_results_to_l1_not_to_p1(log, head):
    turn = log("0 block a Read safe\n0 entered a\n9 halted livelock")
    assert rules(check(head(), turn)) == ["L1"]


def test_a_result_without_a_tool_use_breaks_p2(log, head):
    turn = log("0 result z ok\n1 turn_ended completed")
    assert check(head(), turn) == [
        Violation(
            rule="P2",
            statement=P2,
            at_ns=0,
            calls=("z",),
            message="a result for z, for which no tool_use has arrived",
            timeline="> 0 s  z  emitted result ok",
            reproduce=AGAIN,
        )
    ]


def test_a_result_before_its_tool_use_breaks_p2(log, head):
    turn = log("0 result a unknown_tool\n1 block a Nope unknown\n1 turn_ended completed")
    assert rules(check(head(), turn)) == ["P2"]


def test_an_id_twice_in_one_response_breaks_p2(log, head):
    turn = log("0 block a Nope unknown\n0 result a unknown_tool\n1 block a Nope unknown\n1 turn_ended completed")
    assert [(v.rule, v.message) for v in check(head(), turn)] == [("P2", "a second tool_use has the id a")]


@pytest.mark.parametrize(("withdrawn", "broken"), [("a", []), ("", ["P2"])])
def test_a_discard_withdraws_what_was_handed_over(log, head, withdrawn, broken):
    turn = log(f"0 block a Nope unknown\n0 result a unknown_tool\n5 discard 0 {withdrawn}\n6 turn_ended failed")
    assert rules(check(head(), turn)) == broken


def test_a_result_after_its_response_was_discarded_breaks_p2(log, head):
    turn = log("0 block a Nope unknown\n5 discard 0\n5 result a unknown_tool\n6 turn_ended failed")
    assert rules(check(head(), turn)) == ["P2", "F6"]


OVERTAKEN = """
    0 block a Read safe
    0 entered a
    0 block b Read safe
    0 entered b
    1 left b ok
    {first} result {early} ok
    2 left a ok
    2 result {late} ok
    2 turn_ended completed
"""


def test_a_result_that_waits_for_an_earlier_one_keeps_p4(log, head):
    turn = OVERTAKEN.replace("    {first} result {early} ok\n", "").replace("{late} ok", "a ok\n2 result b ok")
    assert check(head(), log(turn)) == []


def test_a_result_emitted_past_an_earlier_call_breaks_p4_at_the_instant_it_was_too_early(log, head):
    assert check(head(), log(OVERTAKEN.format(first=1, early="b", late="a"))) == [
        Violation(
            rule="P4",
            statement=P4,
            at_ns=1_000_000,
            calls=("b", "a"),
            message="b (Read, safe) was emitted before the earlier a (Read, safe), which came at 2 ms",
            timeline="\n".join(
                [
                    "   0 s  a  block Read safe",
                    "   0 s  a  entered",
                    "   0 s  b  block Read safe",
                    "   0 s  b  entered",
                    "> 1 ms  b  left ok",
                    "> 1 ms  b  emitted result ok",
                    "  2 ms  a  left ok",
                    "  2 ms  a  emitted result ok",
                ]
            ),
            reproduce=AGAIN,
        )
    ]


BOTH = "0 result {} unknown_tool\n0 result {} unknown_tool\n0 turn_ended completed"


def test_a_second_result_is_not_held_against_the_order_too(log, head):
    """P4 is about the first result of each call; one too many is P1's and P2's."""
    turn = log("0 block a X unknown\n0 block b X unknown\n0 result a unknown_tool\n" + BOTH.format("b", "a"))
    assert sorted(rules(check(head(), turn))) == ["P1", "P2"]


def test_results_of_one_instant_are_in_the_order_in_which_the_log_tells_them(log, head):
    """P4 has no tolerance for ties: the order within an instant is the order in which things happened."""
    turn = "0 block a X unknown\n0 block b X unknown\n" + BOTH
    assert check(head(), log(turn.format("a", "b"))) == []
    assert rules(check(head(), log(turn.format("b", "a")))) == ["P4"]


def test_request_order_is_index_order_and_not_arrival_order(log, head):
    """W6: blocks may be completed in any interleaving."""
    turn = "0 block b X unknown 0 1\n0 block a X unknown 0 0\n" + BOTH
    assert check(head(), log(turn.format("a", "b"))) == []
    assert rules(check(head(), log(turn.format("b", "a")))) == ["P4"]
