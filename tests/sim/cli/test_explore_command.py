"""``interlock explore``, and ``interlock run`` with what it prints."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sim.cli.answers import answer_schema
from sim.cli.exploring import _print
from sim.explore import Exploration

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
        "interrupted": False,
        "summary": "all 11 schedules with <= 1 deviations hold",
        "confidence": "0 of 11: failure rate < 24 % at 95 %",
        "outcomes": {"a ok, b ok, c ok, d ok, e ok": 11},
        "violations": [],
    }


def test_one_outcome_more_than_are_shown_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {f"outcome {n}": 1 for n in range(9)}
    _print(Exploration(9, 0, False, "", 0, outcomes, ()), "a turn")
    assert "        … and 1 more outcome\n" in capsys.readouterr().out


def test_explore_prints_the_seed_first_and_ends_with_the_confidence(interlock) -> None:
    lines = interlock("explore", FIVE, "--seed", 7, "--schedules", 30).out.splitlines()
    assert lines[0] == "streaming · five safe calls at once · random · seed 7"
    assert lines[-1] == "0 of 30: failure rate < 9.5 % at 95 %"


HASTY = """
import asyncio

async def engine(stage):
    async def one(block):
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The present folder, with an executor in it that hands results on as they come, and a turn of three."""
    (tmp_path / "hasty.py").write_text(HASTY)
    (tmp_path / "turn.yaml").write_text("calls: [{id: a, takes: 1s}, {id: b, takes: 1s}, {id: c, takes: 1s}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_failure_is_told_with_the_line_that_shows_it_again_and_ends_with_one(interlock) -> None:
    """P4 breaks where a later call's end is taken before an earlier one's."""
    ended = interlock("explore", "turn.yaml", "--engine", "hasty:engine", "--scheduler", "exhaustive")
    assert ended.code == 1
    assert ended.out.splitlines()[-1] == "5 of all 6 schedules fail"
    (again,) = {line.split("again: ")[1] for line in ended.out.splitlines() if "again: " in line}
    assert again == "interlock run turn.yaml --engine hasty:engine --seed 0 --choices 1:1"
    shown = interlock(*again.split()[1:])
    assert shown.code == 1
    assert f"again: {again}" in shown.out


@pytest.mark.usefixtures("folder")
def test_run_checks_that_runs_repeat_themselves_and_shows_where_they_part(interlock) -> None:
    """D1"""
    same = interlock("run", "turn.yaml", "--check-determinism")
    assert same.code == 0
    assert "deterministic: the same again here, in another process" in same.out
    Path("odd.py").write_text(
        "import hasty, itertools\nruns = itertools.count()\n"
        "async def engine(stage):\n    if next(runs) % 2:\n        await hasty.engine(stage)\n"
    )
    ended = interlock("run", "turn.yaml", "--engine", "odd:engine", "--check-determinism", "--json")
    answer = json.loads(ended.out)
    Draft202012Validator(answer_schema("run")).validate(answer)
    (row,) = answer["runs"]
    assert (ended.code, row["deterministic"]) == (1, False)
    assert [one["twin"] for one in row["differences"]] == [
        "a second run in this process",
        "another process with a moved heap",
        "another hash seed",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["--choices", "1:1"],
        ["--choices", "0:2,2:1"],
        ["--jitter", "10ms", "--seed", 3],
        ["--cut", "cancel@2"],
        ["--cut", "submit@50ms", "--cut", "stop@60ms"],
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
        (["--engine", "steam"], "--engine: expected streaming, batch, serial or MODULE:FUNCTION, got 'steam'"),
        (["--cut", "wake@99"], "--cut wake@99: expected a point at which this run waits, of which it has "),
        (
            ["--cut", "leave"],
            "--cut: expected cancel@POINT, wake@POINT (from 1 on), stop@INSTANT or submit@INSTANT, got 'leave'",
        ),
    ],
)
def test_words_that_cannot_be_used_are_refused_in_one_line(interlock, words, said) -> None:
    ended = interlock("run", FIVE, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"interlock: {said}")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "explore"])
def test_a_turn_that_an_executor_cannot_be_told_of_is_refused_in_one_line(interlock, folder, command) -> None:
    (folder / "stopped.yaml").write_text("calls: [{id: a}]\nevents: [{at: 1s, do: stop}]\n")
    ended = interlock(command, "stopped.yaml", "--engine", "hasty:engine")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("interlock: stopped.yaml: engine does not declare stop, which the scenario has")
    assert ended.err.count("\n") == 1
    assert interlock("explore", "stopped.yaml", "--jitter", "x").err.startswith("interlock: --jitter: expected seconds")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--deviations", 2], "--deviations: expected --scheduler exhaustive with it, got random"),
        (["--scheduler", "exhaustive", "--depth", 1], "--depth: expected --scheduler sweep with it, got exhaustive"),
    ],
)
def test_a_bound_that_the_scheduler_does_not_know_is_refused(interlock, words, said) -> None:
    ended = interlock("explore", FIVE, *words)
    assert (ended.code, ended.out, ended.err) == (2, "", f"interlock: {said}\n")


def test_a_file_that_is_no_scenario_is_refused_by_explore(interlock, tmp_path) -> None:
    ended = interlock("explore", tmp_path / "none.yaml")
    assert ended.code == 2
    assert "expected a scenario file" in ended.err
