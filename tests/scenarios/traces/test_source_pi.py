"""The pi agent: its sessions tell when a response and its results were there, its events only what happened."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace

Read = Callable[..., list[RecordedTurn]]
S, MS = 1_000_000_000, 1_000_000
BEGIN: dict[str, Any] = {"type": "agent_start"}


def asked(*calls: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": "so"}]
    content += [{"type": "toolCall", "id": call, "name": "read", "arguments": {"path": call}} for call in calls]  # type: ignore[dict-item]
    return {"role": "assistant", "content": content, "timestamp": 500, **more}


def answered(call: str, at_ms: int, *, text: str = "done", error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": call, "content": content, "isError": error, "timestamp": at_ms}


def entry(message: dict[str, Any], at: str = "1970-01-01T00:00:01Z") -> dict[str, Any]:
    return {"type": "message", "id": "e", "parentId": None, "timestamp": at, "message": message}


def ended(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message_end", "message": message}


def executed(call: str, *, error: bool = False) -> dict[str, Any]:
    return {"type": "tool_execution_end", "toolCallId": call, "result": {"content": []}, "isError": error}


def test_a_session_tells_when_a_response_was_there_and_when_its_results_were(read: Read) -> None:
    (turn,) = read(entry(asked("a", "b")), entry(answered("a", 3000)), entry(answered("b", 3001, error=True)))
    assert (turn.first_ns, turn.arrival_bound, turn.choice.profile) == (S, True, None)
    assert [(call.id, call.input, call.arrived_ns, call.started_ns) for call in turn.calls] == [
        ("a", {"path": "a"}, S, None),
        ("b", {"path": "b"}, S, None),
    ]
    assert [(call.ended_ns, call.estimated, call.outcome) for call in turn.calls] == [
        (3000 * MS, True, "ok"),
        (3001 * MS, True, "error"),
    ]


def test_events_tell_the_order_of_ends_and_repeat_no_message(read: Read) -> None:
    said, results = asked("a", "b"), [answered("a", 3000), answered("b", 3001)]
    (turn,) = read(
        BEGIN,
        {"type": "turn_start"},
        {"type": "message_start", "message": asked()},
        {"type": "message_update", "message": said},
        ended(said),
        executed("b"),
        executed("a", error=True),
        *map(ended, results),
        {"type": "turn_end", "message": said, "toolResults": results},
        {"type": "agent_end", "messages": [said, *results]},
    )
    assert turn.emitted == ("b", "a")
    assert [(call.arrived_ns, call.ended_ns, call.outcome) for call in turn.calls] == [
        (None, 3000 * MS, "error"),
        (None, 3001 * MS, "ok"),
    ]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Operation aborted", "user_interrupted"),
        ("Tool nope not found", "unknown_tool"),
        ('Validation failed for tool "read": path', "invalid_input"),
        ("ENOENT: the Tool x not found in it", "error"),
    ],
)
def test_the_beginning_of_a_failure_tells_its_kind(text: str, outcome: str, read: Read) -> None:
    (turn,) = read(entry(asked("a")), entry(answered("a", 3000, text=text, error=True)))
    assert [call.outcome for call in turn.calls] == [outcome]


def test_an_aborted_response_is_a_stop(read: Read) -> None:
    (turn,) = read(entry(asked("a", stopReason="aborted")))
    assert turn.interrupted_ns == S


def test_a_branch_of_a_session_does_not_count_what_it_copied(tmp_path: Any, read: Read) -> None:
    """B094."""
    read(entry(asked("a")), entry(answered("a", 3000)), entry(asked("b")), entry(answered("b", 4000)))
    seen: set[int] = set()
    assert [len(list(read_trace(tmp_path / "recording", seen=seen))) for _ in range(2)] == [2, 0]


def test_what_is_no_message_is_reported_and_costs_nothing_else(tmp_path: Any, read: Read) -> None:
    read(BEGIN, {"type": "message_end"}, {"type": "dance"}, ended({"role": "user"}), ended(asked("a")), executed("a"))
    reader = read_trace(tmp_path / "recording")
    assert [[call.outcome for call in turn.calls] for turn in reader] == [["ok"]]
    assert [damage.what for damage in reader.damage] == ["message_end without a message object, skipped"]
    assert reader.counts.unknown_types == {"dance": 1}
