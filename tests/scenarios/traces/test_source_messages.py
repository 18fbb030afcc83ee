"""Streams of the Messages API and of ``stream-json``: what has no time stays without, what is cut off is no call."""

import gzip
import json
from pathlib import Path
from typing import Any

import yaml

from scenarios.traces import RecordedTurn, TraceReader, read_trace
from sim.analysis.replay import judge_recorded


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def start(index: int, call_id: str, tool: str = "Read") -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": tool, "input": {}}
    return event("content_block_start", index=index, content_block=block)


def delta(index: int, text: str) -> dict[str, Any]:
    return event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": text})


BEGIN = event("message_start", message={"id": "m1", "role": "assistant", "content": []})
TWO_CALLS = (
    BEGIN,
    start(0, "a"),
    start(1, "b", "Bash"),
    delta(0, '{"pa'),
    event("ping"),
    delta(1, ""),
    delta(0, 'th": "x"}'),
    event("content_block_stop", index=1),
    event("content_block_stop", index=0),
    event("message_stop"),
)


def sse(*events: dict[str, Any]) -> str:
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)


def read(path: Path, content: str) -> tuple[TraceReader, list[RecordedTurn]]:
    path.write_text(content)
    reader = read_trace(path)
    return reader, list(reader)


def inputs(turn: RecordedTurn) -> list[tuple[str, Any]]:
    return [(call.id, call.input) for call in turn.calls]


def test_blocks_are_put_together_by_their_index_in_bytes_and_in_lines(tmp_path: Path) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in TWO_CALLS)
    for content in (sse(*TWO_CALLS), lines):
        reader, (turn,) = read(tmp_path / "stream", content)
        assert inputs(turn) == [("b", {}), ("a", {"path": "x"})]
        assert {call.arrived_ns for call in turn.calls} == {None}
        assert reader.damage == []


def test_a_block_that_the_end_cuts_off_is_no_call(tmp_path: Path) -> None:
    """W3."""
    reader, turns = read(tmp_path / "stream", sse(BEGIN, start(0, "a"), delta(0, '{"pa')))
    assert turns == []
    assert [one.what for one in reader.damage] == ["tool_use 'a' is cut off before its end, no call"]


def test_an_input_that_is_no_json_leaves_a_call_with_an_unknown_input(tmp_path: Path) -> None:
    """W4."""
    reader, (turn,) = read(
        tmp_path / "stream", sse(BEGIN, start(0, "a"), delta(0, "{nope"), event("content_block_stop", index=0))
    )
    assert inputs(turn) == [("a", None)]
    assert len(reader.damage) == 1


def test_a_stream_that_holds_no_results_leaves_none_out(tmp_path: Path) -> None:
    """P1 asks for a result where the source writes results."""
    _, (turn,) = read(tmp_path / "stream", sse(*TWO_CALLS))
    assert judge_recorded(turn) == ((), ())


def test_the_last_event_counts_though_the_blank_line_after_it_is_missing(tmp_path: Path) -> None:
    content = sse(BEGIN, start(0, "a"), event("content_block_stop", index=0)).removesuffix("\n\n")
    _, (turn,) = read(tmp_path / "stream", content)
    assert inputs(turn) == [("a", {})]


def exchange(request: dict[str, Any], response: str | bytes) -> dict[str, Any]:
    return {"request": {"body": json.dumps(request)}, "response": {"body": {"string": response}}}


def test_a_cassette_pairs_calls_with_the_results_in_the_next_request(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "go"}
    said = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "no such file", "is_error": True}
    first = exchange({"messages": [asked]}, sse(BEGIN, start(0, "a"), event("content_block_stop", index=0)))
    message = {"type": "message", "role": "assistant", "id": "m2", "content": [said["content"][0] | {"id": "b"}]}
    packed = gzip.compress(json.dumps(message).encode(), mtime=0)
    second = exchange({"messages": [asked, said, {"role": "user", "content": [answer]}]}, packed)
    _, turns = read(tmp_path / "cassette", yaml.dump({"interactions": [first, second], "version": 1}))
    assert [[(call.id, str(call.outcome)) for call in turn.calls] for turn in turns] == [
        [("a", "error")],
        [("b", "None")],
    ]


def test_an_exchange_that_is_no_yaml_any_more_costs_none_of_the_others(tmp_path: Path) -> None:
    stream = sse(BEGIN, start(0, "a"), event("content_block_stop", index=0))
    whole = yaml.dump({"interactions": [exchange({"messages": []}, stream)]})
    reader, turns = read(tmp_path / "cassette", f'{whole}- request: "broken\n')
    assert [turn.message_id for turn in turns] == ["m1"]
    assert [one.what for one in reader.damage] == ["a recorded exchange that is no whole YAML, skipped"]


def test_stream_json_has_the_times_its_lines_have_and_sub_agents_by_their_call(tmp_path: Path) -> None:
    def line(kind: str, content: list[dict[str, Any]], at: str | None, parent: str | None = None) -> dict[str, Any]:
        message = {"id": f"m {parent}", "role": kind, "content": content}
        stamp = {} if at is None else {"timestamp": f"2026-07-25T10:00:{at}Z"}
        return {"type": kind, "message": message, "session_id": "s", "parent_tool_use_id": parent, **stamp}

    task = {"type": "tool_use", "id": "t", "name": "Task", "input": {}}
    inner = {"type": "tool_use", "id": "i", "name": "Grep", "input": {}}
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2.1.220"},
        {"type": "stream_event", "event": BEGIN, "session_id": "s"},
        line("assistant", [task], "01.000"),
        line("assistant", [inner], None, "t"),
        line("user", [{"type": "tool_result", "tool_use_id": "i", "content": "x"}], "02.000", "t"),
        line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "y"}], "03.000"),
        {"type": "result", "subtype": "success", "session_id": "s"},
    ]
    reader, (outer, sub) = read(tmp_path / "log", "".join(json.dumps(one) + "\n" for one in lines))
    assert (outer.version, outer.choice.assumed.engine, reader.skipped) == ("2.1.220", "streaming", {})
    assert outer.calls[0].duration_ns == 2_000_000_000
    assert (sub.agent, sub.calls[0].arrived_ns, sub.calls[0].started_ns) == ("t", None, None)
    assert sub.calls[0].ended_ns is not None
