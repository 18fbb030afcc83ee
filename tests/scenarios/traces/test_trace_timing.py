"""When calls started and ended, and how sure that is (shared traces, README 1.2; B120, B121)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace

Seconds = Callable[[int | None], float | None]


def spans(turn: RecordedTurn, seconds: Seconds) -> list[tuple[str, float | None, float | None, str]]:
    return [(call.id, seconds(call.started_ns), seconds(call.ended_ns), call.start_basis) for call in turn.calls]


def test_streaming_calls_start_on_arrival_or_when_what_excludes_them_has_ended(session: Any, seconds: Seconds) -> None:
    session.call(0, "m", "r1").call(1, "m", "r2").call(2, "m", "e1", "Edit").call(3, "m", "r3").call(
        4, "m", "e2", "Edit"
    )
    session.result(5, "r2").result(6, "r1").result(7, "e1").result(8, "r3").result(9, "e2")
    _, (turn,) = session.read()
    assert spans(turn, seconds) == [
        ("r1", 0, 6, "rule"),
        ("r2", 1, 5, "rule"),
        ("e1", 6, 7, "rule"),
        ("r3", 7, 8, "rule"),
        ("e2", 8, 9, "rule"),
    ]
    assert [call.safe for call in turn.calls] == [True, True, False, True, False]


def test_batch_calls_start_with_the_last_block_at_the_earliest(session: Any, seconds: Seconds) -> None:
    session.version = "2.1.12"
    session.call(0, "m", "r1").call(1, "m", "r2").say(2, "m", {"type": "text", "text": "x"})
    _, (turn,) = session.result(3, "r2").result(3, "r1").read()
    assert spans(turn, seconds) == [("r1", 2, 3, "rule"), ("r2", 2, 3, "rule")]
    assert (seconds(turn.first_ns), seconds(turn.last_block_ns)) == (0, 2)


def test_a_hook_s_line_beats_the_rule(session: Any, seconds: Seconds) -> None:
    hook = {"type": "hook_progress", "hookName": "x"}
    session.call(0, "m", "a", "Bash").progress(0.5, "a", hookEvent="PreToolUse", **hook)
    session.progress(0.7, "a", hookEvent="PreToolUse", **hook).progress(2, "a", hookEvent="PostToolUse", **hook)
    _, (turn,) = session.result(2, "a").read()
    assert spans(turn, seconds) == [("a", 0.5, 2, "hook")]
    assert turn.calls[0].progress_ns == ()


def test_a_hook_after_the_call_tells_nothing_about_its_start(session: Any, seconds: Seconds) -> None:
    hook = {"type": "hook_progress", "hookEvent": "PostToolUse"}
    _, (turn,) = session.call(0, "m", "a", "Bash").progress(2, "a", **hook).result(2, "a").read()
    assert spans(turn, seconds) == [("a", 0, 2, "rule")]


def test_where_the_engine_is_unknown_the_start_of_all_but_the_last_call_is_an_estimate(session: Any) -> None:
    session.version = None
    _, (turn,) = session.call(0, "m", "a").call(1, "m", "b").result(2, "a").result(2, "b").read()
    assert [call.estimated for call in turn.calls] == [True, False]


def test_a_queued_call_that_the_user_stopped_has_no_start(session: Any, seconds: Seconds) -> None:
    stopped = {"content": "The user doesn't want to proceed with this tool use. Stop.", "error": True}
    session.call(0, "m", "runs", "Bash").call(1, "m", "waits", "Bash")
    session.result(5, "runs", toolUseResult="User rejected tool use", **stopped)
    _, (turn,) = session.result(5, "waits", toolUseResult="User rejected tool use", **stopped).read()
    assert spans(turn, seconds) == [("runs", 0, 5, "rule"), ("waits", None, 5, "unknown")]


def test_progress_tells_the_start_where_the_rule_is_refuted(session: Any, seconds: Seconds) -> None:
    """Two shell calls overlap: the second ended before the first, so the class per tool was wrong for it."""
    session.call(0, "m", "a", "Bash").call(1, "m", "b", "Bash")
    session.progress(5, "b", type="bash_progress", elapsedTimeSeconds=3)
    session.progress(6, "b", type="bash_progress", elapsedTimeSeconds=4)
    _, (turn,) = session.result(7, "b").result(9, "a").read()
    assert spans(turn, seconds) == [("a", 0, 9, "rule"), ("b", 2, 7, "progress")]
    assert [seconds(at_ns) for at_ns in turn.calls[1].progress_ns] == [5, 6]


@pytest.mark.parametrize(
    "detail",
    [{"durationMs": 1500}, {"totalDurationMs": 1500}, {"durationSeconds": 1.5}],
    ids=lambda detail: next(iter(detail)),
)
def test_a_tool_s_own_report_tells_the_start_where_nothing_else_does(
    detail: dict[str, float], session: Any, seconds: Seconds
) -> None:
    session.call(0, "m", "a", "Bash").call(1, "m", "b", "Bash")
    _, (turn,) = session.result(7, "b", toolUseResult=detail).result(9, "a").read()
    assert spans(turn, seconds)[1] == ("b", 5.5, 7, "reported")


def test_a_refuted_rule_without_a_witness_gives_an_estimate_from_the_arrival(session: Any, seconds: Seconds) -> None:
    session.call(0, "m", "a", "Bash").call(1, "m", "b", "Bash")
    _, (turn,) = session.result(7, "b").result(9, "a").read()
    assert spans(turn, seconds)[1] == ("b", 1, 7, "rule")
    assert [call.estimated for call in turn.calls] == [False, True]


def test_results_in_one_message_are_bounds_except_the_last(field_case: Callable[[str], Path], seconds: Seconds) -> None:
    """B121: and a bound does not push the next call's start up to itself."""
    (turn,) = read_trace(field_case("B121"))
    assert spans(turn, seconds) == [("t1", 0, 30, "rule"), ("t2", 0.4, 30, "rule")]
    assert all(call.estimated for call in turn.calls)
    (turn,) = read_trace(field_case("B102"))
    assert {call.id: call.estimated for call in turn.calls} == {"t2": True, "t3": True, "t1": False}


def test_a_call_without_a_result_has_no_end_and_no_duration(
    field_case: Callable[[str], Path], seconds: Seconds
) -> None:
    """B120."""
    (turn,) = read_trace(field_case("B120"))
    assert spans(turn, seconds) == [("t1", 0, 1, "rule"), ("t2", 0, 2, "rule"), ("t3", 0, None, "rule")]
    assert turn.calls[2].duration_ns is None
    assert turn.makespan_ns is None


def test_without_stamps_all_times_are_unknown(session: Any) -> None:
    _, (turn,) = session.call(None, "m", "a").result(None, "a").read()
    (call,) = turn.calls
    assert (turn.first_ns, turn.last_block_ns, turn.makespan_ns) == (None, None, None)
    assert (call.arrived_ns, call.started_ns, call.ended_ns, call.start_basis) == (None, None, None, "unknown")
    assert call.outcome == "ok"


def test_lines_that_all_carry_the_stamp_of_the_import_have_no_times(session: Any, seconds: Seconds) -> None:
    """README 1.3, trap 12: no model answers within the millisecond in which the last result was written."""
    session.prompt(0).call(5, "m1", "a").result(5, "a").call(5, "m2", "b").result(5, "b")
    reader, turns = session.prompt(9).call(12, "m3", "c").result(12, "c").read()
    assert [turn.first_ns is None for turn in turns] == [True, True, False]
    assert [spans(turn, seconds)[0][1:] for turn in turns[:2]] == [(None, None, "unknown")] * 2
    assert [damage.line for damage in reader.damage] == [2, 4]


def test_one_stamp_shared_with_a_neighbour_does_not_spoil_a_turn_of_several_stamps(
    session: Any, seconds: Seconds
) -> None:
    session.call(0, "m1", "a").result(3, "a").call(3, "m2", "b").result(4, "b")
    reader, turns = session.read()
    assert [spans(turn, seconds)[0][1:3] for turn in turns] == [(0, 3), (3, 4)]
    assert reader.damage == []


def test_a_call_cancelled_before_it_could_start_has_no_start_and_one_cancelled_in_mid_run_has(
    session: Any, seconds: Seconds
) -> None:
    cancelled = {"content": "<tool_use_error>Sibling tool call errored</tool_use_error>", "error": True}
    session.version = "2.1.37"
    session.call(0, "m", "ran").call(1, "m", "bad").call(2, "m", "queued", "Edit").result(3, "bad", error=True)
    session.result(3, "ran", **cancelled).result(3, "queued", **cancelled)
    _, (turn,) = session.call(4, "m", "late").result(4.001, "late", **cancelled).read()
    assert [(call_id, start) for call_id, start, _, _ in spans(turn, seconds)] == [
        ("ran", 0),
        ("bad", 1),
        ("queued", None),
        ("late", None),
    ]


def test_a_call_that_never_ran_has_no_start(session: Any, seconds: Seconds) -> None:
    session.call(0, "m", "a").call(0, "m", "b")
    session.result(1, "a", content="<tool_use_error>InputValidationError: no path</tool_use_error>", error=True)
    session.result(1, "b", content="<tool_use_error>Error: No such tool available: X</tool_use_error>", error=True)
    _, (turn,) = session.read()
    assert [(call.outcome, call.started_ns) for call in turn.calls] == [("invalid_input", None), ("unknown_tool", None)]


def test_a_person_s_wait_is_named(session: Any) -> None:
    refused = {"content": "The user doesn't want to proceed with this tool use. Stop.", "error": True}
    session.call(0, "m", "a", "Edit").call(0, "m", "b", "AskUserQuestion").call(0, "m", "c", "Edit")
    session.result(9, "a", toolUseResult="Error: The user doesn't want to", **refused).result(10, "b").result(11, "c")
    _, (turn,) = session.read()
    assert [(call.outcome, call.permission_wait) for call in turn.calls] == [
        ("denied", True),
        ("ok", True),
        ("ok", False),
    ]
