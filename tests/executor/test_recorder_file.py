"""A log that is written while things happen (SPEC 10, DESIGN 5)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from executor import Options, Recorder, ToolSet, ToolUseBlock, Turn, tool
from executor.events import Kind, dump_lines, load_lines, load_logs
from sim import clock
from sim.oracle import check

ROOT = Path(__file__).parents[2]


@tool(concurrency_safe=True, timeout_s=2.0)
async def read(path: str) -> str:
    return path


@tool(cascades=True)
async def edit() -> str:
    return ""


async def response():
    yield ToolUseBlock("a", "read", {"path": "a.ts"})
    yield ToolUseBlock("b", "edit", {})


def record(path: Path, **told) -> Recorder:
    async def main() -> Recorder:
        recorder = Recorder(told or None, path=path)
        turn = Turn(ToolSet([read, edit]), options=Options(max_concurrency=3), announce=recorder)
        assert len([update async for update in turn.run(response())]) == 2
        return recorder

    return clock.run(main())


def test_the_file_holds_what_the_recorder_holds(tmp_path) -> None:
    """Each line as it happened; the end of the turn closes the file."""
    recorder = record(tmp_path / "log.jsonl")
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines == list(recorder.lines())
    header, events = load_lines(lines)
    assert events[-1].kind is Kind.TURN_ENDED
    assert check(header, events) == []


def test_the_turn_completes_the_header_and_what_it_said_before_stays(tmp_path) -> None:
    header = record(tmp_path / "log.jsonl", engine="mine", note="x").header
    assert header == {
        "engine": "mine",
        "note": "x",
        "tools": {
            "read": {"safe": True, "cascades": False, "interrupt": "block", "deadline_ns": 2_000_000_000},
            "edit": {"safe": False, "cascades": True, "interrupt": "block", "deadline_ns": None},
        },
        "options": {
            "max_concurrency": 3,
            "emission": "ordered",
            "cascade": "exclusive",
            "grace_ns": 2_000_000_000,
            "start": "block",
        },
    }


@pytest.mark.parametrize(("engine", "limit", "start"), [("serial", 1, "response_end"), ("batch", 3, "response_end")])
def test_the_header_tells_what_the_engine_makes_of_the_options(engine, limit, start) -> None:
    recorder = Recorder()
    Turn(ToolSet([]), engine=engine, options=Options(max_concurrency=3), announce=recorder)
    assert recorder.header["options"] | {"max_concurrency": limit, "start": start} == recorder.header["options"]


def test_the_log_of_a_process_that_dies_can_be_read(tmp_path) -> None:
    """Every line was out when it happened."""
    path = tmp_path / "log.jsonl"
    code = f"""
import asyncio, os
from executor import Recorder, ToolSet, ToolUseBlock, Turn, tool

@tool
async def edit(die: bool = False) -> str:
    if die:
        os._exit(9)
    return "done"

async def response():
    yield ToolUseBlock("a", "edit", {{}})
    yield ToolUseBlock("b", "edit", {{"die": True}})

async def main():
    async for _ in Turn(ToolSet([edit]), announce=Recorder(path={str(path)!r})).run(response()):
        pass

asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 9
    header, events = load_lines(path.read_text(encoding="utf-8").splitlines())
    assert list(header["tools"]) == ["edit"]
    assert [(event.kind.value, event.call) for event in events if event.kind in (Kind.ENTERED, Kind.LEFT)] == [
        ("entered", "a"),
        ("left", "a"),
        ("entered", "b"),
    ]


def test_values_that_json_cannot_hold_are_written_all_the_same(tmp_path) -> None:
    path = tmp_path / "log.jsonl"
    recorder = Recorder({"of": {1}}, clock_ns=iter(range(9)).__next__, path=path)
    recorder(Kind.CONTEXT, None, values={"lone": "\udc80", "odd": {1}})
    recorder.close()
    header, [event] = load_lines(path.read_text(encoding="utf-8").splitlines())
    assert (header, event.detail) == ({"of": "{1}"}, {"values": {"lone": "\udc80", "odd": "{1}"}})


def test_what_comes_after_the_end_is_appended(tmp_path) -> None:
    """A9: a call that was abandoned may still have something to say."""
    path = tmp_path / "log.jsonl"
    path.write_text("an earlier log")
    recorder = Recorder(clock_ns=iter(range(9)).__next__, path=path)
    recorder(Kind.TURN_ENDED, None, how="stopped")
    recorder(Kind.LEFT, "a", ended="ok")
    recorder.close()
    assert path.read_text().splitlines() == list(dump_lines({}, recorder.events))
    assert [json.loads(line).get("kind") for line in path.read_text().splitlines()] == [None, "turn_ended", "left"]


def test_a_file_that_cannot_be_written_is_told_at_once(tmp_path) -> None:
    with pytest.raises(OSError, match="No such file or directory"):
        Recorder(path=tmp_path / "none" / "log.jsonl")


def test_the_turns_of_a_session_may_lie_in_one_file(tmp_path) -> None:
    """DESIGN 5: also after a crash that cut the line before them off."""
    path = tmp_path / "log.jsonl"
    record(path)
    with path.open("a") as file:
        file.write('{"t":5,"ki')
    recorder = Recorder({"note": "second"}, clock_ns=iter(range(9)).__next__, path=path, append=True)
    recorder(Kind.TURN_ENDED, None, how="completed")
    *first, torn, header, row = path.read_text(encoding="utf-8").splitlines()
    assert (torn, [header, row]) == ('{"t":5,"ki', list(recorder.lines()))
    logs = list(load_logs([*first, header, row]))
    assert [told.get("note") for told, _ in logs] == [None, "second"]
    assert [events[-1].kind for _, events in logs] == [Kind.TURN_ENDED, Kind.TURN_ENDED]
    with pytest.raises(ValueError, match="expected the event log of one turn, got those of 2"):
        load_lines([*first, header, row])
