"""On a real clock things of one instant are told some time apart: what the header's ``tolerance_ns`` makes of that."""

import pytest

from sim.oracle import check

WAITS = """
    0 block a Edit exclusive
    0 entered a
    10 block b Edit exclusive
    20 left a ok
    {} entered b
    300 left b ok
    300 result a ok
    300 result b ok
    300 response_ended 0
    300 turn_ended completed
"""


@pytest.mark.parametrize(
    ("tolerance_ms", "starts_ms", "broken"), [(0, 20, []), (0, 20.001, ["S3"]), (30, 50, []), (30, 50.001, ["S3"])]
)
def test_a_call_that_starts_within_the_tolerance_has_not_waited(log, head, tolerance_ms, starts_ms, broken) -> None:
    """S3."""
    header = head() | ({"tolerance_ns": tolerance_ms * 1_000_000} if tolerance_ms else {})
    found = check(header, log(WAITS.format(starts_ms)))
    assert [(violation.rule, violation.at_ns) for violation in found] == [(rule, 20_000_000) for rule in broken]


@pytest.mark.parametrize(("tolerance_ms", "broken"), [(0, ["F5"]), (1, ["F5"]), (2, [])])
def test_a_call_that_was_at_its_body_s_door_enters_it_just_after_a_forced_submit(
    log, head, tolerance_ms, broken
) -> None:
    """F5, A7: a moment lies between an admission and its body, and the user may have chosen that one."""
    turn = """
        0 block a Edit exclusive
        0 response_ended 0
        0 submit force took_effect
        1 entered a
        2 left a ok
        2 result a ok
        2 turn_ended stopped
    """
    header = head() | ({"tolerance_ns": tolerance_ms * 1_000_000} if tolerance_ms else {})
    assert [violation.rule for violation in check(header, log(turn)) if violation.rule == "F5"] == broken


def test_what_is_no_matter_of_instants_is_judged_as_ever(log, head) -> None:
    """S1, S2: bodies that overlap for less than the tolerance overlap."""
    found = check(
        head() | {"tolerance_ns": 10**9}, log(WAITS.format(19).replace("20 left a ok\n", "19 stop\n") + "301 left a ok")
    )
    assert "S1" in {violation.rule for violation in found}


@pytest.mark.parametrize("told", [-1, 0.5, "1s", None, True])
def test_a_tolerance_that_is_no_number_of_nanoseconds_is_refused(log, head, told) -> None:
    with pytest.raises(ValueError, match="header: tolerance_ns: expected nanoseconds, got "):
        check(head() | {"tolerance_ns": told}, log(WAITS.format(20)))
