"""Codex rollouts and ``codex exec --json``: bounds are bounds, durations come from outputs, groups from the order."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, latencies, read_trace, to_scenario

Write = Callable[..., list[RecordedTurn]]


@pytest.fixture
def read(tmp_path: Path) -> Write:
    """Write lines as a file, and give its turns."""

    def write(*lines: dict[str, Any]) -> list[RecordedTurn]:
        path = tmp_path / "rollout.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return list(read_trace(path))

    return write


def line(at_ms: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-05T10:00:{at_ms // 1000:02}.{at_ms % 1000:03}Z", "type": kind, "payload": payload}


def call(at_ms: int, call_id: str, command: str = "ls") -> dict[str, Any]:
    given = json.dumps({"cmd": command})
    return line(at_ms, "response_item", type="function_call", name="exec_command", arguments=given, call_id=call_id)


def output(at_ms: int, call_id: str, text: object) -> dict[str, Any]:
    return line(at_ms, "response_item", type="function_call_output", call_id=call_id, output=text)


def ran(wall: float, code: int = 0) -> str:
    return f"Chunk ID: 1\nWall time: {wall} seconds\nProcess exited with code {code}\nOutput:\nWall time: 99 seconds\n"


META = line(0, "session_meta", cli_version="0.142.4")


def since(turn: RecordedTurn) -> list[tuple[str, int | None, int | None, str]]:
    first_ns = turn.first_ns or 0

    def ms(at_ns: int | None) -> int | None:
        return None if at_ns is None else (at_ns - first_ns) // 1_000_000

    return [(one.id, ms(one.started_ns), ms(one.ended_ns), str(one.outcome)) for one in turn.calls]


def test_calls_in_a_row_are_one_response_and_a_start_is_the_end_less_the_wall_time(read: Write) -> None:
    (turn,) = read(
        META, call(1000, "a"), call(1003, "b", "npm test"), output(3000, "a", ran(0.5)), output(3001, "b", ran(1.5, 1))
    )
    assert since(turn) == [("a", 1500, 2000, "ok"), ("b", 501, 2001, "error")]
    assert {one.start_basis for one in turn.calls} == {"reported"}
    assert all(one.estimated for one in turn.calls)
    assert (turn.arrival_bound, turn.version, str(turn.choice)) == (
        True,
        "0.142.4",
        "codex (0.142.4 is one of those from 0.140.0 on)",
    )


def test_a_measured_duration_counts_though_its_instants_are_bounds(read: Write) -> None:
    measured = latencies(read(META, call(1000, "a"), output(3000, "a", ran(0.5))))
    assert measured["exec_command"].values_ns == (500_000_000,)


def test_a_call_after_a_result_belongs_to_the_next_response(read: Write) -> None:
    turns = read(call(0, "a"), output(900, "a", ran(0.1)), call(1500, "b"), output(1900, "b", "Plan updated"))
    assert [[one.id for one in turn.calls] for turn in turns] == [["a"], ["b"]]
    assert turns[1].calls[0].started_ns is None


def test_a_call_that_carries_the_stamp_of_its_result_has_no_known_arrival(read: Write) -> None:
    document = json.dumps({"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 0.2}})
    (turn,) = read(META, call(5000, "a"), output(5000, "a", document))
    (one,) = turn.calls
    assert (one.arrived_ns, turn.first_ns, one.duration_ns) == (None, None, 200_000_000)
    assert to_scenario(turn) is None


def test_an_event_tells_the_end_and_the_failure_that_the_output_tells_late(read: Write) -> None:
    patch = line(0, "response_item", type="custom_tool_call", name="apply_patch", input="*** Begin", call_id="p")
    end = line(80, "event_msg", type="patch_apply_end", call_id="p", success=False)
    answer = line(300, "response_item", type="custom_tool_call_output", call_id="p", output="Exit code: 1\n")
    (turn,) = read(META, patch, end, answer)
    (one,) = turn.calls
    assert since(turn) == [("p", None, 80, "error")]
    assert one.input == {"input": "*** Begin"}
    assert not one.estimated


def test_an_interrupt_is_noted_with_the_response_that_was_open(read: Write) -> None:
    (turn,) = read(META, call(0, "a"), line(4000, "event_msg", type="turn_aborted", reason="interrupted"))
    assert turn.since_start_ns(turn.interrupted_ns) == 4_000_000_000
    assert turn.calls[0].outcome is None


def test_items_that_are_open_together_are_one_response(read: Write) -> None:
    def item(step: str, name: str, **fields: Any) -> dict[str, Any]:
        return {"type": f"item.{step}", "item": {"id": name, "type": "command_execution", **fields}}

    first, second = read(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        item("started", "a", command="ls"),
        item("started", "b", command="false"),
        item("completed", "b", exit_code=1, status="failed"),
        item("completed", "a", exit_code=0),
        item("completed", "c", exit_code=0),
    )
    assert [(one.id, str(one.outcome)) for one in first.calls] == [("1:a", "ok"), ("1:b", "error")]
    assert first.emitted == ("1:b", "1:a")
    assert [one.id for one in second.calls] == ["1:c"]
    assert {one.arrived_ns for one in first.calls} == {None}
