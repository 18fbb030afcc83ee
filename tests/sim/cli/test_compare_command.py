"""What ``interlock compare`` prints, and how it ends."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

SAMPLES = Path(str(files("scenarios") / "samples"))
FIGURE = Path(str(files("scenarios") / "library")) / "three_calls_in_a_stream.yaml"

HASTY = """
import asyncio

async def at_once(stage):
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(stage.call(block)) async for block in stage.blocks()]
    for task in running:
        stage.emit(task.result())
"""


def test_compare_tells_time_savings_and_which_call_waited_for_which(interlock) -> None:
    """B123."""
    ended = interlock("compare", FIGURE, "--limit", 1)
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["as", "given", "streaming", "2.6", "s", "300", "ms", "10", "%", "2.6", "s"] in lines
    assert ["limit", "1", "streaming", "2.6", "s", "300", "ms", "10", "%", "2.6", "s"] in lines
    assert "  as given, batch, 2.9 s: response 2.5 s → Read second 200 ms → Edit change 200 ms" in ended.out


def test_compare_gives_its_documented_json_and_tells_of_files_it_cannot_read(interlock, tmp_path) -> None:
    shutil.copy(FIGURE, tmp_path / "turn.yaml")
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\x00\xff no recording")
    ended = interlock("compare", tmp_path, "--jobs", 1, "--engine", "batch", "--json")
    row = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert list(row) == ["files", "turns", "interrupted", "left_out", "damaged", "unreadable", "totals", "rows"]
    assert list(row["unreadable"]) == [str(broken)]
    assert row["totals"] == [
        {
            "policy": "as given", "engine": "batch", "turns": 1, "makespan_s": 2.9, "lower_bound_s": 2.6,
            "saving_s": 0.0, "saving_per_turn_s": {"low": 0.0, "mean": 0.0, "high": 0.0}, "faster": 0, "slower": 0,
            "broken": {},
        }
    ]  # fmt: skip
    assert row["rows"] == [
        {
            "source": str(tmp_path / "turn.yaml"), "turn": 1, "line": None, "policy": "as given", "engine": "batch",
            "estimated": False, "broken": [],
            "makespan_s": 2.9, "recorded_s": None, "lower_bound_s": 2.6, "model_s": 2.5,
            "overlap_s": 0.0, "tools_s": 0.4, "waiting_s": 0.0,
            "critical": [
                {"call": None, "tool": None, "doing": "streams", "since_s": 0.0, "until_s": 2.5},
                {"call": "second", "tool": "Read", "doing": "runs", "since_s": 2.5, "until_s": 2.7},
                {"call": "change", "tool": "Edit", "doing": "runs", "since_s": 2.7, "until_s": 2.9},
            ],
        }
    ]  # fmt: skip
    told = interlock("compare", tmp_path, "--jobs", 1)
    assert told.err == "interlock: 1 file in folders cannot be read (--json says why)\n"
    named = interlock("compare", broken, FIGURE, "--jobs", 1)
    assert named.code == 2
    assert named.err.startswith(f"interlock: {broken}: ")
    assert "1 turn of 1 file compared" in named.out


def test_a_run_that_breaks_a_rule_is_said_to_beside_the_time_that_it_took(interlock, tmp_path, monkeypatch) -> None:
    """S1, S2: who runs an edit beside a read is faster than any engine that keeps the rules."""
    (tmp_path / "rash.py").write_text(HASTY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    turn = tmp_path / "turn.yaml"
    turn.write_text(
        "tools: {Read: {}, Edit: {safe: false}}\ncalls: [{id: a, takes: 2s}, {id: b, tool: Edit, takes: 1s}]\n",
        encoding="utf-8",
    )
    asked = ("compare", turn, "--engine", "rash:at_once", "--engine", "batch", "--jobs", 1)
    ended = interlock(*asked)
    assert ended.code == 0
    assert ended.out.splitlines()[1] == "  as given, your at_once breaks S1 in 1 turn, S2 in 1 turn"
    told = json.loads(interlock(*asked, "--json").out)
    assert [total["broken"] for total in told["totals"]] == [{"S1": 1, "S2": 1}, {}]
    assert [(row["makespan_s"], row["broken"]) for row in told["rows"]] == [(2.0, ["S1", "S2"]), (3.0, [])]


def test_an_empty_folder_is_refused(interlock, tmp_path) -> None:
    ended = interlock("compare", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"interlock: {tmp_path}: no file in it; name a recording, a scenario file, or a folder of them\n"
    )


def test_estimates_are_shown_as_such_and_a_narrow_terminal_gets_lines(interlock, monkeypatch) -> None:
    """B121."""
    monkeypatch.setattr("sim.cli.console.WIDTH_OF_A_FILE", 60)
    ended = interlock("compare", SAMPLES / "batch_era.jsonl", "--engine", "streaming", "--engine", "batch")
    assert ended.out.splitlines()[1] == "as given · streaming"
    assert "time ≈" in ended.out
    assert "response ≈1.7 s → Bash toolu_e1 ≈600 ms → " in ended.out
    assert ended.out.startswith("2 turns of 1 file compared, ≈7 s as recorded\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--limit", "x"], "--limit: expected a number from 1 on, or none for no limit, got 'x'"),
        (["--cascade", "al"], "--cascade: expected exclusive or any or never, got 'al'"),
        (["--engine", "bach"], "bach"),
    ],
)
def test_compare_refuses_options_that_do_not_exist_in_one_line(interlock, words, told) -> None:
    ended = interlock("compare", FIGURE, *words)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert len(ended.err.splitlines()) == 1
