"""T2: streaming ≤ batch ≤ serial, where nothing but the schedule can make the difference."""

import pytest

from sim.oracle import Violation, compare_makespans, incomparable, makespan_ns

TURN = "0 block a Read safe\n0 entered a\n{at} left a ok\n{at} result a ok\n{at} turn_ended completed"


@pytest.fixture
def logs(log, head):
    """Logs of three engines from the instants of their last results, in ms."""
    return lambda **at_ms: {engine: (head(engine), log(TURN.format(at=at))) for engine, at in at_ms.items()}


def test_a_makespan_runs_from_the_turns_start_to_the_last_result_taken(log):
    assert makespan_ns(log("5 block a X unknown\n7 result a unknown_tool\n9 turn_ended left b:ok")) == 7_000_000
    assert makespan_ns(log("5 block a X unknown\n9 turn_ended left a:ok")) is None


def test_a_response_that_outlasts_its_results_belongs_to_the_makespan(log):
    text = "5 block a X unknown\n7 result a unknown_tool\n8 response_ended\n8 turn_ended completed"
    assert makespan_ns(log(text)) == 8_000_000


def test_engines_in_their_order_or_equal_keep_t2(logs):
    assert compare_makespans(logs(streaming=2600, batch=2900, serial=3100)) == []
    assert compare_makespans(logs(serial=5, streaming=5, batch=5)) == []


def test_streaming_slower_than_batch_breaks_t2(logs):
    assert compare_makespans(logs(serial=3100, streaming=2901, batch=2900)) == [
        Violation(
            rule="T2",
            statement="Without failures, with a prompt consumer and answers by latency: "
            "streaming ≤ batch ≤ serial in makespan.",
            at_ns=2_901_000_000,
            calls=(),
            message="streaming took 2.901 s, batch only 2.9 s",
            timeline="  streaming  2.901 s\n  batch      2.9 s\n  serial     3.1 s",
            reproduce="interlock run by-hand.yaml --engine streaming --seed 0",
        )
    ]


def test_streaming_is_compared_with_serial_where_batch_is_missing(logs):
    assert [v.message for v in compare_makespans(logs(streaming=7, serial=6))] == [
        "streaming took 7 ms, serial only 6 ms"
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1 stop", "batch: stop at 1 ms"),
        ("1 submit", "batch: submit at 1 ms"),
        ("1 discard 0", "batch: discard at 1 ms"),
        ("1 response_failed 0", "batch: response_failed at 1 ms"),
        ("1 halted deadlock", "batch: halted at 1 ms"),
        ("1 result b error", "batch: b ended in error at 1 ms"),
        ("1 turn_ended left b:ok", "batch: b is untaken at 1 ms"),
    ],
)
def test_a_disturbed_run_proves_nothing_for_t2(logs, log, row, reason):
    runs = logs(streaming=9, batch=5)
    header, events = runs["batch"]
    runs["batch"] = header, [*log(row), *events]
    assert incomparable(runs) == reason
    assert compare_makespans(runs) == []


def test_calls_that_could_not_run_do_not_disturb_t2(logs, log):
    runs = logs(streaming=9, batch=5)
    header, events = runs["batch"]
    runs["batch"] = header, [*log("1 result b unknown_tool\n1 result c invalid_input"), *events]
    assert incomparable(runs) is None
    assert len(compare_makespans(runs)) == 1
