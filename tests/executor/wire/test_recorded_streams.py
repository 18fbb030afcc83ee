"""Recorded streams of the Messages API, as they lie beside the project: cut anywhere, they tell the same (W1)."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import yaml

FOLDER = Path(__file__).parents[4] / "shared" / "traces" / "anthropic_sse"
FILES = sorted(FOLDER.glob("*.*"))
BODIES = {"anthropics": 7, "pydantic": 14, "traceloop": 8, "vercel": 39}
"""How many streamed responses each source's files hold."""

pytestmark = pytest.mark.skipif(not FILES, reason="the recorded streams are not beside the project")


def bodies(path: Path) -> Iterator[bytes]:
    """Give each streamed response of a file as the bytes that came over the wire."""
    if path.suffix == ".yaml":
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for interaction in yaml.load(path.read_text(encoding="utf-8"), loader)["interactions"]:
            body = interaction["response"].get("body", {}).get("string", "")
            data = body if isinstance(body, bytes) else body.encode()
            if data.startswith(b"event:"):
                yield data
    elif path.name.endswith(".chunks.txt"):
        # One event a line, and in some files one response after the other.
        for response in re.split(r'(?<={"type":"message_stop"})\n', path.read_text(encoding="utf-8")):
            if response.strip():
                yield "".join(f"data: {line}\n\n" for line in response.splitlines()).encode()
    else:
        yield path.read_bytes()


def randomly_cut(data: bytes, seed: int) -> Iterator[bytes]:
    random, at = Random(seed), 0
    while at < len(data):
        size = random.choice((1, 2, 3, 10, 100, 1_000))
        yield data[at : at + size]
        at += size


def expected_calls(data: bytes) -> list[tuple[str, str]]:
    """The calls of a response by a reading of its own: id and text of the input, of each block that was closed."""
    open_blocks: dict[int, list[str]] = {}
    calls = []
    for line in data.decode().split("\n"):
        if not line.startswith("data:"):
            continue
        event = json.loads(line[5:])
        match event["type"]:
            case "content_block_start" if event["content_block"]["type"] == "tool_use":
                given = event["content_block"]["input"]
                open_blocks[event["index"]] = [event["content_block"]["id"], json.dumps(given) if given else ""]
            case "content_block_delta" if event["index"] in open_blocks:
                open_blocks[event["index"]][1] += event["delta"].get("partial_json", "")
            case "content_block_stop" if event["index"] in open_blocks:
                calls.append(tuple(open_blocks.pop(event["index"])))
            case "message_start":
                open_blocks.clear()
                parts = event["message"]["content"]
                calls += [(part["id"], json.dumps(part["input"])) for part in parts if part["type"] == "tool_use"]
            case "message_stop":
                break
    return calls


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_recorded_response_tells_the_same_in_any_chunking_and_as_decoded_events(bench, path) -> None:
    """W1: blocks, message, faults, usage and failure; whole, byte by byte, cut at random."""
    for data in bodies(path):
        whole = bench.read([data])
        for chunks in (bench.cut(data, 1), randomly_cut(data, 0)):
            assert bench.read(chunks).told == whole.told
        events = [json.loads(line[5:]) for line in data.decode().split("\n") if line.startswith("data:")]
        if whole.failure is None:
            assert bench.read(events).told == whole.told
        assert [block.id for block in whole.blocks] == [call for call, _ in expected_calls(data)]
        wanted = [json.loads(text or "{}") for _, text in expected_calls(data)]
        assert [block.input for block in whole.blocks] == wanted
        assert [fault for fault in whole.stream.faults if fault.index is not None] == []


def test_the_recordings_are_all_read() -> None:
    counts: Counter[str] = Counter()
    for path in FILES:
        counts[path.name.partition("+")[0]] += len(list(bodies(path)))
    assert counts == BODIES


def test_what_a_recording_lacks_of_its_end_is_a_failure_and_nothing_else_is(bench) -> None:
    """W3, B064: some were saved without the blank line that ends the last event."""
    for path in FILES:
        for data in bodies(path):
            failure = bench.read([data]).failure
            assert (failure is None) == data.endswith(b"\n\n"), path.name
