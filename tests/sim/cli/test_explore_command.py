"""``interlock explore``, and ``interlock run`` with what it prints."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from sim import explore as explore_schedules
from sim.cli import exploring
from sim.world import Stage

FIVE = Path(str(files("scenarios") / "library")) / "five_safe_calls_at_once.yaml"


def test_explore_gives_its_documented_json(interlock) -> None:
    ended = interlock("explore", FIVE, "--scheduler", "exhaustive", "--deviations", 1, "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == {
        "scenario": "five safe calls at once",
        "engine": "streaming",
        "scheduler": "exhaustive",
        "seed": 0,
        "tried": 11,
        "failing": 0,
        "complete": True,
        "summary": "all 11 schedules with <= 1 deviations hold",
        "confidence": "0 of 11: failure rate < 24 % at 95 %",
        "outcomes": {"a ok, b ok, c ok, d ok, e ok": 11},
        "violations": [],
    }


def test_explore_prints_the_seed_first_and_ends_with_the_confidence(interlock) -> None:
    lines = interlock("explore", FIVE, "--seed", 7, "--schedules", 30).out.splitlines()
    assert lines[0] == "streaming · five safe calls at once · random · seed 7"
    assert lines[-1] == "0 of 30: failure rate < 9.5 % at 95 %"


async def hasty(stage: Stage) -> None:
    """An executor that hands results on as they come."""
    import asyncio

    async def one(block) -> None:
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])


def test_a_failure_is_told_with_the_smallest_plan_and_ends_with_one(interlock, monkeypatch, tmp_path) -> None:
    """P4 breaks where a later call's end is taken before an earlier one's."""
    path = tmp_path / "turn.yaml"
    path.write_text("calls:\n  - {id: a, takes: 1s}\n  - {id: b, takes: 1s}\n  - {id: c, takes: 1s}\n")
    monkeypatch.setattr(
        exploring, "explore_schedules", lambda *given, **words: explore_schedules(given[0], hasty, **words)
    )
    ended = interlock("explore", path, "--scheduler", "exhaustive")
    assert ended.code == 1
    assert "in 5 of 6 runs; the smallest: " in ended.out
    assert "--choices" in ended.out
    assert ended.out.splitlines()[-1] == "5 of all 6 schedules fail"


@pytest.mark.parametrize(
    "words",
    [
        ["--choices", "1:1"],
        ["--choices", "0:2,2:1"],
        ["--jitter", "10ms", "--seed", 3],
        ["--cut", "cancel@2"],
        ["--cut", "stop@50ms", "--cut", "stop@60ms"],
    ],
)
def test_a_run_is_shown_again_by_the_line_it_prints(interlock, tmp_path, words) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text("calls:\n" + "".join(f"  - {{id: {name}, takes: 100ms}}\n" for name in "abcde"))
    log, again = tmp_path / "log.jsonl", tmp_path / "again.jsonl"
    first = interlock("run", path, *words, "--log", log)
    line = json.loads(log.read_text(encoding="utf-8").splitlines()[0])["reproduce"]
    assert all(str(word) in line.split() for word in words)
    second = interlock(*line.split()[1:], "--log", again)
    assert (second.out, again.read_bytes()) == (first.out, log.read_bytes())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--choices", "3"], "--choices: expected STEP:PICK pairs such as 3:1,7:2, got '3'"),
        (["--choices", "1:1,1:2"], "--choices: expected each step once, got 1 twice"),
        (["--choices", "9:1"], "--choices 9:1: expected choices that this run has, of which it could make none"),
        (["--choices", "0:9"], "--choices 0:9: expected choices that this run has, of which it could make 0:4"),
        (["--jitter", "x"], "--jitter: expected seconds or a duration such as 200ms, got 'x'"),
        (["--cut", "leave"], "--cut: expected cancel@POINT, wake@POINT (from 1 on) or stop@INSTANT, got 'leave'"),
    ],
)
def test_words_that_cannot_be_used_are_refused_in_one_line(interlock, words, said) -> None:
    ended = interlock("run", FIVE, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"interlock: {said}")
    assert ended.err.count("\n") == 1


def test_a_file_that_is_no_scenario_is_refused_by_explore(interlock, tmp_path) -> None:
    ended = interlock("explore", tmp_path / "none.yaml")
    assert ended.code == 2
    assert "expected a scenario file" in ended.err
