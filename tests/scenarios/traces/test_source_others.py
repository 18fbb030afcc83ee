"""The other sources, as far as their files carry: what each tells of a call, and what it leaves unknown."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace, read_traces
from scenarios.traces.fit import to_scenario

Read = Callable[..., list[RecordedTurn]]
S = 1_000_000_000


def told(turn: RecordedTurn) -> list[tuple[str, str, str, int | None]]:
    return [(call.id, call.tool, str(call.outcome), call.duration_ns) for call in turn.calls]


def test_gemini_sessions_tell_starts_in_ids_and_ends_in_stamps(read: Read) -> None:
    calls = [
        {"id": "read_file-1768010961326-a", "name": "read_file", "args": {}, "status": "success"},
        {"id": "shell-1768010961400-b", "name": "shell", "args": {}, "status": "cancelled"},
    ]
    for call in calls:
        call["timestamp"] = "2026-01-10T02:09:22.400Z"
    message = {"id": "m", "type": "gemini", "timestamp": "2026-01-10T02:09:23.000Z", "toolCalls": calls}
    document = {"sessionId": "s", "messages": [{"type": "user", "content": "go"}, message]}
    for turns in (read(document), read(message)):
        (turn,) = turns
        assert told(turn) == [
            ("read_file-1768010961326-a", "read_file", "ok", 1_074_000_000),
            ("shell-1768010961400-b", "shell", "user_interrupted", S),
        ]


def test_gemini_output_gives_calls_that_were_open_together_as_one_response(read: Read) -> None:
    def line(kind: str, second: int, call: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "tool_id": call, "timestamp": f"2026-01-15T10:00:0{second}Z", **fields}

    first, second = read(
        {"type": "init", "session_id": "s", "model": "m"},
        line("tool_use", 1, "a", tool_name="shell", parameters={}),
        line("tool_use", 1, "b", tool_name="shell", parameters={}),
        line("tool_result", 2, "b", status="error"),
        line("tool_result", 3, "a", status="success"),
        line("tool_use", 4, "c", tool_name="shell", parameters={}),
    )
    assert told(first) == [("a", "shell", "ok", None), ("b", "shell", "error", None)]
    assert told(second) == [("c", "shell", "None", None)]


def test_gemini_answers_hold_calls_without_ids_times_and_results(read: Read) -> None:
    parts = [{"text": "so"}, {"functionCall": {"name": "a", "args": {"x": 1}}}, {"functionCall": {"name": "b"}}]
    chunk = {"candidates": [{"content": {"parts": parts}}]}
    (turn,) = read({"method": "generateContentStream", "response": [chunk, {"candidates": []}]})
    assert [(call.tool, call.input, call.arrived_ns) for call in turn.calls] == [("a", {"x": 1}, None), ("b", {}, None)]
    assert not turn.results_told


def test_openai_items_are_told_apart_by_their_call_ids_and_what_the_server_runs_is_no_call(read: Read) -> None:
    def done(kind: str, call_id: str, **fields: Any) -> dict[str, Any]:
        return {"type": "response.output_item.done", "item": {"type": kind, "call_id": call_id, **fields}}

    (turn,) = read(
        {"type": "response.created", "response": {"id": "r"}},
        done("function_call", "a", name="weather", arguments='{"city": "Rome"}'),
        done("web_search_call", "w"),
        done("shell_call", "s", environment={"type": "container_reference"}),
        done("custom_tool_call", "b", name="write", input="text"),
        {"type": "response.completed", "response": {"id": "r", "output": [{"type": "function_call", "call_id": "a"}]}},
    )
    assert [(call.id, call.tool, call.input) for call in turn.calls] == [
        ("a", "weather", {"city": "Rome"}),
        ("b", "write", {"input": "text"}),
    ]


def test_chat_chunks_are_put_together_by_their_index(read: Read) -> None:
    def chunk(*calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}

    (turn,) = read(
        chunk({"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}}),
        chunk({"index": 1, "id": "b", "function": {"name": "g", "arguments": ""}}),
        chunk({"index": 0, "id": "", "function": {"arguments": ": 1}"}}),
        chunk(finish="tool_calls"),
    )
    assert [(call.id, call.tool, call.input) for call in turn.calls] == [("a", "f", {"x": 1}), ("b", "g", {})]


def test_chat_calls_that_no_chunk_finishes_are_none(read: Read) -> None:
    """W3."""
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}}
    assert read({"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": {"tool_calls": [call]}}]}) == []


def test_opencode_tells_start_and_end_of_each_part(read: Read) -> None:
    def part(call: str, status: str, begins: int, ends: int) -> dict[str, Any]:
        state = {"status": status, "input": {"command": "ls"}, "time": {"start": begins, "end": ends}}
        inner = {"type": "tool", "messageID": "m", "callID": call, "tool": "bash", "state": state}
        return {"type": "tool_use", "sessionID": "s", "part": inner}

    (turn,) = read(
        part("a", "completed", 1767445000200, 1767445000350), part("b", "error", 1767445000200, 1767445001200)
    )
    assert told(turn) == [("a", "bash", "ok", 150_000_000), ("b", "bash", "error", S)]
    assert (turn.arrival_bound, [turn.since_start_ns(call.arrived_ns) for call in turn.calls]) == (True, [0, 0])


def test_langfuse_tools_between_two_generations_are_one_response(read: Read) -> None:
    def seen(kind: str, name: str, begins: int, ends: int, **fields: Any) -> dict[str, Any]:
        stamps = {key: f"2026-01-05T10:00:0{at}.000Z" for key, at in (("startTime", begins), ("endTime", ends))}
        return {"id": name, "type": kind, "name": name, **stamps, **fields}

    attributes = json.dumps({"attributes": {"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_1"}})
    observations = [
        seen("TOOL", "late", 6, 7, level="ERROR"),
        seen("GENERATION", "g1", 0, 1),
        seen("TOOL", "running tool", 1, 3, metadata=attributes),
        seen("TOOL", "other", 1, 2),
        seen("GENERATION", "g2", 4, 5),
    ]
    first, second = read({"trace": {}, "observations": observations})
    assert told(first) == [("call_1", "weather", "ok", 2 * S), ("other", "other", "ok", S)]
    assert told(second) == [("late", "late", "error", S)]
    # A call arrived at the latest when the generation before it was over.
    assert [turn.since_start_ns(call.arrived_ns) for turn in (first, second) for call in turn.calls] == [S, S, S]
    assert [turn.since_start_ns(call.started_ns) for turn in (first, second) for call in turn.calls] == [S, S, 2 * S]
    assert [to_scenario(turn) is None for turn in (first, second)] == [False, False]


def sample(call: str) -> dict[str, Any]:
    asked = {"message": {"tool_calls": [{"id": call, "function": "bash", "arguments": {"cmd": "ls"}}]}}
    model = {"event": "model", "completed": "2026-01-05T12:00:01+02:00", "output": {"choices": [asked]}}
    tool = {"event": "tool", "id": call, "function": "bash", "arguments": {"cmd": "ls"}, "error": None}
    tool |= {"timestamp": "2026-01-05T10:00:02+00:00", "completed": "2026-01-05T10:00:03+00:00"}
    return {"id": 1, "epoch": 1, "events": [model, tool]}


def test_inspect_logs_are_read_as_documents_and_as_archives_each_sample_apart(read: Read, tmp_path: Path) -> None:
    document = read({"eval": {}, "status": "success", "samples": [sample("c"), sample("c")]})
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample("c")))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample("c")))
        archive.writestr("samples/3_epoch_1.json", "{")
    reader = read_trace(path)
    archived = list(reader)
    assert [told(turn) for turn in document] == [told(turn) for turn in archived] == [[("c", "bash", "ok", S)]] * 2
    assert {turn.since_start_ns(turn.calls[0].started_ns) for turn in archived} == {S}
    assert [damage.what for damage in reader.damage] == ["a member that is no whole JSON, skipped"]


def test_an_archive_without_a_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match=r"the archive is damaged"):
        read_trace(path)


def test_openhands_actions_and_observations_pair_by_their_call(read: Read) -> None:
    def event(second: int, call: str, response: str, **fields: Any) -> dict[str, Any]:
        asked = {"tool_call_id": call, "function_name": "run", "model_response": {"id": response}}
        return {"timestamp": f"2026-04-30T16:32:0{second}.500000", "tool_call_metadata": asked, **fields}

    failed = {"metadata": {"exit_code": 2}}
    (turn,) = read(
        {
            "instance_id": "i",
            "history": [
                {"timestamp": "2026-04-30T16:32:00", "action": "system"},
                event(1, "a", "r", action="run", args={"command": "ls"}),
                event(1, "b", "r", action="run", args={"command": "false"}),
                event(2, "a", "r", observation="run", extras={"metadata": {"exit_code": 0}}),
                event(4, "b", "r", observation="run", extras=failed),
                event(5, "c", "last", action="finish", args={}),
            ],
        }
    )
    assert told(turn) == [("a", "run", "ok", S), ("b", "run", "error", 3 * S)]


def test_an_openhands_instance_that_stands_twice_is_read_once_and_another_may_use_its_ids(read: Read) -> None:
    """B094: a copy is one by its response and its call, though ids begin anew with each instance."""

    def instance(response: str) -> dict[str, Any]:
        asked = {"tool_call_id": "a", "function_name": "run", "model_response": {"id": response}}
        at = {"timestamp": "2026-04-30T16:32:00", "tool_call_metadata": asked}
        acts, answers = {"action": "run", "args": {"command": "ls"}}, {"observation": "run"}
        return {"instance_id": "i", "history": [at | acts, at | answers]}

    turns = read(instance("r"), instance("r"), instance("s"))
    assert [turn.message_id for turn in turns] == ["r", "s"]


def test_swe_agent_steps_last_what_they_say_they_last(read: Read) -> None:
    steps = [
        {"action": "ls -F", "observation": "x", "execution_time": 0.25},
        {"action": "submit", "observation": "done"},
        {"action": "", "observation": "nothing asked for"},
    ]
    turns = read({"trajectory": steps, "history": [], "info": {}})
    assert [told(turn) for turn in turns] == [
        [("step 1", "ls", "ok", 250_000_000)],
        [("step 2", "submit", "ok", None)],
    ]
    assert [turn.calls[0].arrived_ns for turn in turns] == [None, None]


def test_two_files_that_number_their_steps_alike_are_no_copies_of_each_other(tmp_path: Path) -> None:
    """B094 is about ids that no other file has."""
    paths = [tmp_path / "one.traj", tmp_path / "two.traj"]
    for path in paths:
        path.write_text(json.dumps({"trajectory": [{"action": "ls", "observation": "x"}], "history": []}))
    assert [len(list(reader)) for reader in read_traces(paths)] == [1, 1]
