"""Small recordings in the formats of agents and of tools that watch them.

The rule: each has the fields that its source writes and an importer reads, and no others.
"""

import io
import json
import zipfile
from typing import Any

from executor.events import Event, Kind, dump_lines

from .story import CALLS, Json, document, epoch_ms, lines, stamp


def stream_json() -> bytes:
    """``claude -p --output-format stream-json``, with the events of partial messages."""
    written: list[Json] = [{"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2.1.220"}]
    for call, tool, given, begins, ends, well in CALLS:
        message = "msg_2" if call == "c" else "msg_1"
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": call, "content": "…", "is_error": not well}
        told = {"session_id": "s", "parent_tool_use_id": None}
        said = {"id": message, "role": "assistant", "content": [block]}
        start = {"type": "content_block_start", "index": 0, "content_block": block | {"input": {}}}
        written += [
            {"type": "stream_event", "event": start, **told},
            {"type": "assistant", "message": said, "timestamp": stamp(begins), **told},
            {"type": "user", "message": {"role": "user", "content": [result]}, "timestamp": stamp(ends), **told},
        ]
    return lines(*written, {"type": "result", "subtype": "success", "num_turns": 2, "session_id": "s"})


def codex_rollout() -> bytes:
    """A Codex session: calls are written together, results in order, durations stand in the outputs."""

    def line(at_s: float, kind: str, **payload: Any) -> Json:
        return {"timestamp": stamp(at_s), "type": kind, "payload": payload}

    def call(at_s: float, call_id: str, tool: str, given: Json) -> Json:
        arguments = json.dumps(given)
        return line(at_s, "response_item", type="function_call", name=tool, arguments=arguments, call_id=call_id)

    def output(at_s: float, call_id: str, took_s: float, code: int) -> Json:
        text = f"Wall time: {took_s:.4f} seconds\nProcess exited with code {code}\nOutput:\n…"
        return line(at_s, "response_item", type="function_call_output", call_id=call_id, output=text)

    (a, read, given_a, *_), (b, shell, given_b, *_), (c, edit, given_c, *_) = CALLS
    return lines(
        line(0, "session_meta", cli_version="0.142.4"),
        call(1.0, a, read, given_a),
        call(1.003, b, shell, given_b),
        output(3.1, a, 0.1, 0),
        output(3.101, b, 1.6, 1),
        line(3.2, "event_msg", type="token_count"),
        call(6.0, c, edit, given_c),
        output(6.4, c, 0.2, 0),
    )


def codex_exec() -> bytes:
    """``codex exec --json``."""

    def item(step: str, call: str, **fields: Any) -> Json:
        return {"type": f"item.{step}", "item": {"id": call, "type": "command_execution", **fields}}

    return lines(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        item("started", "a", command="cat totals.py"),
        item("started", "b", command="python -m pytest"),
        item("completed", "a", exit_code=0, status="completed"),
        item("completed", "b", exit_code=1, status="failed"),
        item("completed", "c", exit_code=0, status="completed"),
        {"type": "turn.completed", "usage": {}},
    )


def copilot() -> bytes:
    """A Copilot CLI session's events."""
    written: list[tuple[float, str, Json]] = [(0, "session.start", {"copilotVersion": "1.0.64"})]
    for message, at_s, calls in (("m1", 0.9, CALLS[:2]), ("m2", 5.9, CALLS[2:])):
        requests = [{"toolCallId": call, "name": tool, "arguments": given} for call, tool, given, *_ in calls]
        written.append((at_s, "assistant.message", {"messageId": message, "toolRequests": requests}))
        for call, tool, _, begins, ends, well in calls:
            written.append((begins, "tool.execution_start", {"toolCallId": call, "toolName": tool}))
            written.append((ends, "tool.execution_complete", {"toolCallId": call, "success": well}))
    in_order = enumerate(sorted(written, key=lambda event: event[0]))
    return lines(
        *({"type": kind, "data": data, "id": f"e{n}", "timestamp": stamp(at_s)} for n, (at_s, kind, data) in in_order)
    )


def gemini() -> bytes:
    """A Gemini CLI session: a document on many lines."""

    def message(name: str, *calls: Any) -> Json:
        told = [
            {"id": f"{tool}-{epoch_ms(begins)}-{call}", "name": tool, "args": given, "timestamp": stamp(ends)}
            | {"status": "success" if well else "error"}
            for call, tool, given, begins, ends, well in calls
        ]
        return {"id": name, "type": "gemini", "content": "", "timestamp": stamp(calls[-1][4]), "toolCalls": told}

    document = {
        "sessionId": "s",
        "startTime": stamp(0),
        "messages": [message("m1", *CALLS[:2]), message("m2", CALLS[2])],
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def opencode() -> bytes:
    """``opencode run --format json``."""
    written = []
    for call, tool, given, begins, ends, well in CALLS:
        state: Json = {"status": "completed" if well else "error", "input": given}
        state["time"] = {"start": epoch_ms(begins), "end": epoch_ms(ends)}
        part = {
            "type": "tool",
            "messageID": "m2" if call == "c" else "m1",
            "callID": call,
            "tool": tool,
            "state": state,
        }
        written.append({"type": "tool_use", "timestamp": epoch_ms(ends), "sessionID": "s", "part": part})
    return lines(*written)


def langfuse() -> bytes:
    """A Langfuse export: a document on one line."""
    seen = [("g1", "GENERATION", "model", 0.0, 0.9, True), ("g2", "GENERATION", "model", 3.5, 5.9, True)]
    seen += [(call, "TOOL", tool, begins, ends, well) for call, tool, _, begins, ends, well in CALLS]
    observations = [
        {"id": called, "type": kind, "name": name, "startTime": stamp(begins), "endTime": stamp(ends)}
        | {"level": "DEFAULT" if well else "ERROR"}
        for called, kind, name, begins, ends, well in seen
    ]
    return lines({"trace": {"id": "t"}, "observations": observations})


def inspect_sample() -> Json:
    """One sample of an Inspect log."""
    written: list[Json] = []
    for at_s, calls in ((0.9, CALLS[:2]), (5.9, CALLS[2:])):
        asked = [{"id": call, "function": tool, "arguments": given} for call, tool, given, *_ in calls]
        output = {"choices": [{"message": {"role": "assistant", "tool_calls": asked}}]}
        written.append({"event": "model", "completed": stamp(at_s), "output": output})
        for call, tool, given, begins, ends, well in calls:
            tool_event = {"event": "tool", "id": call, "function": tool, "arguments": given, "result": "…"}
            error = None if well else {"type": "unknown", "message": "failed"}
            written.append(tool_event | {"timestamp": stamp(begins), "completed": stamp(ends), "error": error})
    return {"id": 1, "epoch": 1, "events": written}


def inspect_log() -> bytes:
    """An Inspect log as a document."""
    return document({"version": 2, "status": "success", "eval": {"task": "ledger"}, "samples": [inspect_sample()]})


def inspect_archive() -> bytes:
    """An Inspect log as an archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, held in (("header.json", {"version": 2, "eval": {}}), ("samples/1_epoch_1.json", inspect_sample())):
            archive.writestr(zipfile.ZipInfo(name), json.dumps(held, ensure_ascii=False))
    return packed.getvalue()


def openhands() -> bytes:
    """An OpenHands output of one instance."""
    history: list[Json] = []
    for call, tool, given, begins, ends, well in CALLS:
        response = {"id": "r2" if call == "c" else "r1"}
        asked = {"tool_call_metadata": {"tool_call_id": call, "function_name": tool, "model_response": response}}
        code = {"metadata": {"exit_code": 0 if well else 1}}
        history.append(asked | {"timestamp": stamp(begins)[:-1], "action": "run", "args": given})
        history.append(asked | {"timestamp": stamp(ends)[:-1], "observation": "run", "extras": code})
    return lines({"instance_id": "ledger-1", "history": history})


def swe_agent() -> bytes:
    """A SWE-agent trajectory."""
    steps = [
        {"action": f"{tool} totals.py", "observation": "…", "execution_time": round(ends - begins, 3)}
        for _, tool, _, begins, ends, _ in CALLS
    ]
    return document({"trajectory": steps, "history": [], "info": {}})


def pi_session() -> bytes:
    """A session of the pi agent: one entry for each message."""

    def entry(at_s: float, begun_s: float, **message: Any) -> Json:
        told = message | {"timestamp": epoch_ms(begun_s)}
        return {"type": "message", "id": f"e{at_s}", "timestamp": stamp(at_s), "message": told}

    written = [{"type": "session", "version": 3, "id": "s", "timestamp": stamp(0), "cwd": "/home/ada/ledger"}]
    for at_s, calls in ((0.95, CALLS[:2]), (5.95, CALLS[2:])):
        asked = [{"type": "toolCall", "id": call, "name": tool, "arguments": given} for call, tool, given, *_ in calls]
        written.append(entry(at_s, at_s - 0.8, role="assistant", content=asked, stopReason="toolUse"))
        over_s = max(ends for *_, ends, _ in calls)
        for call, tool, _, _, _, well in calls:
            written.append(entry(over_s, over_s, role="toolResult", toolCallId=call, toolName=tool, isError=not well))
    return lines(*written)


def pi_events() -> bytes:
    """What ``pi --mode json`` prints."""
    written: list[Json] = [{"type": "agent_start"}]
    for calls in (CALLS[:2], CALLS[2:]):
        asked = [{"type": "toolCall", "id": call, "name": tool, "arguments": given} for call, tool, given, *_ in calls]
        written.append({"type": "turn_start"})
        written.append({"type": "message_end", "message": {"role": "assistant", "content": asked}})
        for call, tool, given, *_ in calls:
            written.append({"type": "tool_execution_start", "toolCallId": call, "toolName": tool, "args": given})
        written += [{"type": "tool_execution_end", "toolCallId": call, "isError": not well} for call, *_, well in calls]
    return lines(*written, {"type": "agent_end", "messages": []})


def tau_bench() -> bytes:
    """A tau-bench result of one task."""
    said: list[Json] = [{"role": "user", "content": "The totals are off by one cent."}]
    for calls in (CALLS[:2], CALLS[2:]):
        asked = [
            {"id": call, "function": {"name": tool, "arguments": json.dumps(given)}} for call, tool, given, *_ in calls
        ]
        said.append({"role": "assistant", "content": None, "tool_calls": asked})
        for call, *_, well in calls:
            said.append({"role": "tool", "tool_call_id": call, "content": "…" if well else "Error: the tests fail"})
    return json.dumps([{"task_id": 0, "reward": 1.0, "traj": said, "trial": 0}], indent=1).encode() + b"\n"


def tau2_bench() -> bytes:
    """A tau2-bench simulation in ticks."""
    ticks: list[Json] = []
    for at_s, calls in ((0.9, CALLS[:2]), (5.9, CALLS[2:])):
        asked = [{"id": call, "name": tool, "arguments": given} for call, tool, given, *_ in calls]
        results = [
            {"id": call, "role": "tool", "content": "…", "error": not well, "timestamp": stamp(ends)[:-1]}
            for call, _, _, _, ends, well in calls
        ]
        tick = {"tick_id": len(ticks), "timestamp": stamp(at_s)[:-1]}
        ticks.append(tick | {"agent_tool_calls": asked, "agent_tool_results": results})
    return lines({"id": "s", "task_id": "1", "termination_reason": "agent_stop", "ticks": ticks})


def event_log() -> bytes:
    """Our own event log, of two turns."""
    tools = {"read": {"safe": True}, "shell": {"safe": False, "cascades": True}, "edit": {"safe": False}}
    options = {"max_concurrency": 10, "emission": "ordered", "cascade": "exclusive", "grace_ns": 0, "start": "block"}
    written: list[str] = []
    for begun_s, calls in ((0.0, CALLS[:2]), (5.0, CALLS[2:])):
        rows: list[tuple[float, Kind, str | None, Json]] = [(begun_s, Kind.RESPONSE_STARTED, None, {"attempt": 0})]
        for index, (call, tool, given, begins, ends, well) in enumerate(calls):
            block = {"tool": tool, "index": index, "attempt": 0, "known": True, "valid": True, "input": given}
            result = {"what": "result", "outcome": "ok" if well else "error", "is_error": not well, "started": True}
            rows += [
                (begins, Kind.BLOCK, call, block | {"safe": tools[tool]["safe"]}),
                (begins, Kind.ENTERED, call, {}),
                (ends, Kind.LEFT, call, {"ended": "ok" if well else "error"}),
                (ends, Kind.EMITTED, call, result | {"abandoned": False}),
            ]
        rows.append((max(begins for _, _, _, begins, _, _ in calls), Kind.RESPONSE_ENDED, None, {"attempt": 0}))
        rows.sort(key=lambda row: row[0])
        rows.append((rows[-1][0], Kind.TURN_ENDED, None, {"how": "completed", "closing": [], "abandoned": []}))
        events = [Event(round((at_s - begun_s) * 1e9), kind, call, detail) for at_s, kind, call, detail in rows]
        written += dump_lines({"engine": "streaming", "tools": tools, "options": options}, events)
    return "".join(f"{line}\n" for line in written).encode()
