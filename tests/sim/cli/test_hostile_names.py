"""Names that would steer the terminal, or turn the direction of writing, are told as what they are."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

FIGURE = Path(str(files("scenarios") / "library" / "three_calls_in_a_stream.yaml"))
HOSTILE, TOLD = "t\x1b[31m\u202e1\x07", r"t\x1b[31m\u202e1\x07"


@pytest.fixture
def log(interlock, tmp_path) -> Path:
    """Write a log in which a call of such a name has no result."""
    file = tmp_path / "turn.jsonl"
    interlock("run", FIGURE, "--log", file)
    text = (
        file.read_text(encoding="utf-8").replace('"first"', json.dumps(HOSTILE)).replace('"Read"', json.dumps(HOSTILE))
    )
    rows = [line for line in text.splitlines() if '"kind":"emitted"' not in line or r"\u202e" not in line]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def history(tmp_path) -> Path:
    """Write a history in which a call of such a name has no result."""
    call = {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {}}
    messages = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "Go on."}]
    file = tmp_path / "history.json"
    file.write_text(json.dumps([{"role": "user", "content": "Begin."}, *messages]), encoding="utf-8")
    return file


def test_recorded_names_are_escaped_as_every_other_name(interlock, log) -> None:
    assert f"  assumed safe: {TOLD} 2\n" in interlock("replay", log).out


@pytest.mark.parametrize("command", ["check", "replay"])
def test_a_log_is_told_without_obeying_it(interlock, log, command) -> None:
    out = interlock(command, log).out
    assert f"{TOLD} ({TOLD}, safe) has no result" in out
    assert out.replace("\n", "").isprintable()


def test_a_table_on_the_terminal_steers_nothing(interlock, log) -> None:
    pytest.importorskip("pandas", reason="the analysis extra brings it")
    out = interlock("export", log, "--to", "csv").out
    assert f",{TOLD},{TOLD},True," in out
    assert out.replace("\n", "").isprintable()


def test_a_history_is_told_without_obeying_it(interlock, history, tmp_path) -> None:
    checked = interlock("check", history).out
    repaired = interlock("repair", history, "-o", tmp_path / "valid.json").out
    for out in (checked, repaired):
        assert f"{TOLD} has no result" in out
        assert out.replace("\n", "").isprintable()
