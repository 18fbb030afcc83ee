"""A turn's messages made of its log again are those of the turn, byte for byte (B030)."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from executor import (
    AdditionalContext,
    CallHandle,
    HookEvent,
    Hooks,
    Options,
    Recorder,
    Stopped,
    ToolSet,
    ToolUseBlock,
    Turn,
    tool,
)
from executor.events import Event, Kind, dump_lines, load_lines
from executor.retelling import messages_of
from sim import clock

PARTS = [{"type": "text", "text": "b"}, {"type": "image", "source": {"z": 1, "data": "AA==", "a": [2, 1]}}]


@tool(concurrency_safe=True)
async def read(z: int = 0, a: int = 0) -> str:
    await asyncio.sleep(z)
    return f"text of {z}\udc80, {a}: ä\0"


@tool(concurrency_safe=True)
async def look() -> list[dict[str, Any]]:
    return PARTS


@tool(cascades=True)
async def bash(command: str, call: CallHandle) -> str | Stopped:
    call.output("so far\n")
    if command == "fail":
        raise RuntimeError("Exit code 1")
    while not call.signal.aborted:
        await asyncio.sleep(0.1)
    return Stopped("half")


def note(event: HookEvent) -> AdditionalContext:
    return AdditionalContext(f"a note about {event.tool}")


BLOCKS = [
    ToolUseBlock("slow", "read", {"z": 3, "a": 1}),
    ToolUseBlock("quick", "read", {"a": 2, "z": 1}),
    ToolUseBlock("parts", "look", {}),
    ToolUseBlock("odd", "read", [1, 2], raw="[1, 2]"),
    ToolUseBlock("wrong", "read", {"z": "long"}),
    ToolUseBlock("none", "dance", {"b": {"y": 1, "x": 2}}),
]
LIVE = {
    "order and kinds": BLOCKS,
    "a failing command": [*BLOCKS, ToolUseBlock("c", "bash", {"command": "fail"}), ToolUseBlock("d", "look", {})],
    "a stop": [*BLOCKS, ToolUseBlock("c", "bash", {"command": "wait"}), ToolUseBlock("d", "look", {})],
}


async def each(blocks: list[ToolUseBlock]) -> Any:
    for block in blocks:
        yield block


def same_again(turn: Turn, recorder: Recorder, path: Path) -> bool:
    """Whether the file, what was kept, and the turn itself tell the same messages, byte for byte."""
    lines = path.read_text(encoding="utf-8").splitlines()
    told = [messages_of(*load_lines(lines)), messages_of(*load_lines(dump_lines(recorder.header, recorder.events)))]
    return {json.dumps(messages) for messages in told} == {json.dumps(turn.messages)}


def record(path: Path, response: Any, *, retries: int = 0, **terms: Any) -> tuple[Turn, Recorder]:
    """Run a turn whose user presses stop after five seconds."""

    async def main() -> tuple[Turn, Recorder]:
        recorder = Recorder(path=path, contents=True)
        turn = Turn(ToolSet([read, look, bash]), announce=recorder, **terms)
        asyncio.get_running_loop().call_later(5, turn.stop)
        async for _ in turn.run(response, retries=retries):
            pass
        return turn, recorder

    return clock.run(main())


@pytest.mark.parametrize("blocks", LIVE.values(), ids=LIVE)
@pytest.mark.parametrize("emission", ["ordered", "eager"])
@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_the_messages_made_of_a_log_are_those_of_the_turn(
    blocks: list[ToolUseBlock], emission: Any, engine: Any, tmp_path: Path
) -> None:
    """B030: whatever order the results came in, and with it the rows."""
    options = Options(emission=emission, hooks=Hooks(post=[note]))
    turn, recorder = record(tmp_path / "log.jsonl", each(blocks), options=options, engine=engine)
    assert same_again(turn, recorder, tmp_path / "log.jsonl")
    assert [message["role"] for message in turn.messages] == ["assistant", "user"]
    assert [part["tool_use_id"] for part in turn.messages[1]["content"] if part["type"] == "tool_result"] == [
        block.id for block in blocks
    ]


def wire(*events: dict[str, Any]) -> Callable[[], Any]:
    async def chunks() -> Any:
        for event in events:
            yield f"data: {json.dumps(event)}\n\n".encode()

    return chunks


def started(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


STREAM = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
    started(0, {"type": "thinking", "thinking": "", "signature": "c2ln"}),
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
    {"type": "content_block_stop", "index": 0},
    started(1, {"type": "text", "text": "I look"}),
    {"type": "content_block_stop", "index": 1},
    started(2, {"type": "tool_use", "id": "a", "name": "read", "input": {}}),
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"z":2,"a":1}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    {"type": "message_stop"},
]


def test_text_and_thinking_beside_the_calls_are_kept_as_they_came(tmp_path: Path) -> None:
    """B030, from the bytes of the wire."""
    turn, recorder = record(tmp_path / "log.jsonl", wire(*STREAM)())
    assert same_again(turn, recorder, tmp_path / "log.jsonl")
    assert [part["type"] for part in turn.messages[0]["content"]] == ["thinking", "text", "tool_use"]


@pytest.mark.parametrize("retries", [0, 1])
def test_nothing_is_told_of_a_response_that_failed(retries: int, tmp_path: Path) -> None:
    """A8, B030."""
    attempts = [wire(*STREAM[:-2]), wire(*STREAM)]
    turn, recorder = record(tmp_path / "log.jsonl", lambda attempt: attempts[attempt](), retries=retries)
    assert same_again(turn, recorder, tmp_path / "log.jsonl")
    assert len(turn.messages) == 2 * retries


def test_a_log_that_breaks_off_tells_its_messages_as_far_as_it_goes(tmp_path: Path) -> None:
    _, recorder = record(tmp_path / "log.jsonl", each(BLOCKS[:2]))
    until = next(n for n, event in enumerate(recorder.events) if event.kind is Kind.COMPLETED)
    asked, answered = messages_of(recorder.header, recorder.events[: until + 1])
    assert [part["id"] for part in asked["content"]] == ["slow", "quick"]
    assert [part["tool_use_id"] for part in answered["content"]] == ["quick"]


def test_without_contents_a_log_holds_none_and_says_so(tmp_path: Path) -> None:
    async def main() -> Recorder:
        recorder = Recorder()
        async for _ in Turn(ToolSet([read]), announce=recorder).run(each(BLOCKS[:2])):
            pass
        return recorder

    recorder = clock.run(main())
    assert "contents" not in recorder.header
    assert not [event for event in recorder.events if {"input", "content", "asked"} & event.detail.keys()]
    with pytest.raises(ValueError, match=r"written without contents; write it with Recorder\(contents=True\)"):
        messages_of(recorder.header, recorder.events)


@pytest.mark.parametrize(
    "told", [{"content": "x"}, {"outcome": "fine", "content": "x"}, {"outcome": "ok", "content": 3}]
)
def test_a_result_that_is_none_is_named(told: dict[str, Any]) -> None:
    rows = [Event(0, Kind.BLOCK, "a", {"tool": "read"}), Event(1, Kind.COMPLETED, "a", told)]
    with pytest.raises(ValueError, match="call 'a': what the log tells of its result is none"):
        messages_of({"contents": True}, rows)
