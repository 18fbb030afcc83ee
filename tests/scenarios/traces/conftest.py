"""A hand to write small transcripts with: ``session`` gives lines in the real format, times in seconds."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, TraceReader, read_trace

SHARED = Path(__file__).parents[4] / "shared"
BEGINS = datetime(2026, 1, 5, 10, tzinfo=UTC)


class Lines:
    """Lines of a transcript; every method appends one and gives the session back."""

    def __init__(self, folder: Path, version: str | None = "2.1.63") -> None:
        self.path = folder / "session.jsonl"
        self.version = version
        self.lines: list[bytes] = []

    def add(self, kind: str, at_s: float | None, **fields: Any) -> "Lines":
        line = {"type": kind, "uuid": f"u{len(self.lines)}", "sessionId": "s", "isSidechain": False}
        if self.version is not None:
            line["version"] = self.version
        if at_s is not None:
            at = BEGINS + timedelta(milliseconds=round(at_s * 1000))
            line["timestamp"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.lines.append(json.dumps(line | fields).encode() + b"\n")
        return self

    def raw(self, data: bytes) -> "Lines":
        self.lines.append(data)
        return self

    def prompt(self, at_s: float, words: str = "go", **fields: Any) -> "Lines":
        return self.add("user", at_s, message={"role": "user", "content": words}, **fields)

    def say(self, at_s: float | None, message_id: str, *blocks: dict[str, Any], **fields: Any) -> "Lines":
        message = {"id": message_id, "role": "assistant", "model": "m", "content": list(blocks)}
        return self.add("assistant", at_s, message=message, **fields)

    def call(
        self, at_s: float | None, message_id: str, call_id: str, tool: str = "Read", given: Any = None, **fields: Any
    ) -> "Lines":
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": {} if given is None else given}
        return self.say(at_s, message_id, block, **fields)

    def result(
        self, at_s: float | None, *call_ids: str, content: Any = "done", error: bool = False, **fields: Any
    ) -> "Lines":
        blocks = [
            {"type": "tool_result", "tool_use_id": call_id, "content": content} | ({"is_error": True} if error else {})
            for call_id in call_ids
        ]
        return self.add("user", at_s, message={"role": "user", "content": blocks}, **fields)

    def progress(self, at_s: float, call_id: str, **data: Any) -> "Lines":
        return self.add("progress", at_s, data=data, parentToolUseID=call_id, toolUseID=call_id)

    def read(self, **options: Any) -> tuple[TraceReader, list[RecordedTurn]]:
        self.path.write_bytes(b"".join(self.lines))
        reader = read_trace(self.path, **options)
        return reader, list(reader)


@pytest.fixture
def session(tmp_path: Path) -> Lines:
    return Lines(tmp_path)


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[RecordedTurn]]:
    """Write values as lines, and give the turns."""

    def write(*values: Any) -> list[RecordedTurn]:
        path = tmp_path / "recording"
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
        return list(read_trace(path))

    return write


@pytest.fixture
def seconds() -> Callable[[int | None], float | None]:
    """Nanoseconds since 1970 as seconds since the sessions' beginning."""
    begins_ns = round(BEGINS.timestamp()) * 10**9
    return lambda at_ns: None if at_ns is None else (at_ns - begins_ns) / 10**9


@pytest.fixture
def field_case() -> Callable[[str], Path]:
    """The smallest input of a field case, where the shared folder is there."""

    def find(name: str) -> Path:
        path = SHARED / "bugs" / "inputs" / f"{name}.jsonl"
        if not path.exists():
            pytest.skip(f"{path.name} lies in the shared folder, which is not here")
        return path

    return find


@pytest.fixture
def recorded() -> Path:
    """The folder of recorded traces, where it is there."""
    if not (SHARED / "traces").is_dir():
        pytest.skip("the recorded traces lie in the shared folder, which is not here")
    return SHARED / "traces"
