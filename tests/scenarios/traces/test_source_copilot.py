"""Copilot CLI events: starts and ends are recorded, one event each."""

import json
from pathlib import Path
from typing import Any

from scenarios.traces import read_trace


def event(at_s: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": f"{at_s}", "timestamp": f"2026-01-05T10:00:{at_s:02}.000Z"}


def test_calls_have_recorded_starts_and_ends_in_whatever_order(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    requests = [{"toolCallId": name, "name": "bash", "arguments": {"command": name}} for name in ("a", "b", "c")]
    events = [
        event(0, "session.start", copilotVersion="1.0.64"),
        event(1, "assistant.message", messageId="m", toolRequests=requests),
        event(2, "tool.execution_start", toolCallId="a", toolName="bash"),
        event(3, "permission.requested", permissionRequest={"toolCallId": "b"}),
        event(4, "tool.execution_start", toolCallId="b", toolName="bash"),
        event(5, "tool.execution_complete", toolCallId="b", success=False, error={"code": "denied"}),
        event(6, "tool.execution_complete", toolCallId="a", success=True),
        event(7, "abort", reason="user_initiated"),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    (turn,) = read_trace(path)
    told = [(call.id, call.start_basis, call.duration_ns, str(call.outcome)) for call in turn.calls]
    assert told == [
        ("a", "recorded", 4_000_000_000, "ok"),
        ("b", "recorded", 1_000_000_000, "denied"),
        ("c", "unknown", None, "None"),
    ]
    assert (turn.emitted, turn.version) == (("b", "a"), "1.0.64")
    assert [call.permission_wait for call in turn.calls] == [False, True, False]
    assert turn.since_start_ns(turn.interrupted_ns) == 6_000_000_000


def test_what_runs_without_a_message_in_the_file_has_an_unknown_arrival(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = [
        event(2, "tool.execution_start", toolCallId="a", toolName="bash", arguments={}),
        event(3, "tool.execution_complete", toolCallId="a", success=True),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    ((call,),) = (turn.calls for turn in read_trace(path))
    assert (call.arrived_ns, call.duration_ns) == (None, 1_000_000_000)
