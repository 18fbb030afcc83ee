"""Exit codes: one table for every command, which the help and the documents tell (``MEANINGS``)."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from sim.cli.commands import COMMANDS

SAMPLES = Path(str(files("scenarios") / "samples"))
SESSION = str(SAMPLES / "batch_era.jsonl")
WELL, BROKEN, UNUSABLE = 0, 1, 2
ENDS = [
    ("demo", WELL),
    (f"replay {SESSION}", WELL),
    ("replay nowhere.jsonl", UNUSABLE),
    (f"check {SESSION}", WELL),
    ("check broken.json", BROKEN),
    ("check turn.yaml", UNUSABLE),
    ("repair broken.json -o valid.json", WELL),
    ("repair turn.yaml -o valid.json", UNUSABLE),
    ("formats", WELL),
    ("profiles", WELL),
    (f"import {SESSION} -o turns", WELL),
    ("import turn.yaml -o turns", UNUSABLE),
    ("run turn.yaml", WELL),
    ("run late.yaml", BROKEN),
    ("run hangs.yaml", BROKEN),
    ("run crooked.yaml", UNUSABLE),
    ("explore turn.yaml --schedules 2", WELL),
    ("explore hangs.yaml --schedules 1", BROKEN),
    ("explore crooked.yaml", UNUSABLE),
    ("fuzz --minutes 0", WELL),
    ("fuzz --minutes 0 --engine steam", UNUSABLE),
    ("conform one:engine --turns 1", BROKEN),
    ("conform streaming", UNUSABLE),
    ("export turn.yaml --to csv", WELL),
    ("export nowhere.yaml --to csv", UNUSABLE),
    ("compare turn.yaml", WELL),
    ("compare nowhere.yaml", UNUSABLE),
    ("plot turn.yaml -o turn.svg", WELL),
    ("plot nowhere.yaml -o turn.svg", UNUSABLE),
    ("shell ls", WELL),
    ("shell", UNUSABLE),
    ("schema", WELL),
    ("schema --of nothing", UNUSABLE),
    ("fmt --check turn.yaml", WELL),
    ("fmt --check late.yaml", BROKEN),
    ("fmt crooked.yaml", UNUSABLE),
    ("doctor --colour", UNUSABLE),
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("turn.yaml").write_text("calls:\n  - {id: a, takes: 1s}\n")
    Path("late.yaml").write_text("expect: {makespan: 2s}\ncalls:\n  - {id: a, takes: 1s}\n")
    Path("hangs.yaml").write_text("calls:\n  - {id: a, ends: hang}\n")
    Path("crooked.yaml").write_text("calls: 3\n")
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    unanswered = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "Go on."}]
    Path("broken.json").write_text(json.dumps(unanswered))
    Path("one.py").write_text("async def engine(stage):\n    async for block in stage.blocks(): pass\n")


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(("words", "code"), ENDS)
def test_a_command_ends_with_the_code_that_is_documented(interlock, words: str, code: int) -> None:
    ended = interlock(*words.split())
    assert ended.code == code, ended
    assert bool(ended.err) == (code == UNUSABLE)
    assert "Traceback" not in ended.err


def test_every_command_is_among_them() -> None:
    assert {words.split()[0] for words, _ in ENDS} == COMMANDS.keys()
