"""``interlock fuzz``."""

import json
from pathlib import Path

import pytest

PLANTED = """
async def backwards(stage):
    for block in reversed([block async for block in stage.blocks()]):
        stage.emit(await stage.call(block))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The present folder, with a known-bad executor in it."""
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_planted_executor_is_found_kept_shown_again_and_replayed_first(interlock, folder) -> None:
    words = ("fuzz", "--engine", "planted:backwards", "--jobs", 1, "--turns", 30)
    ended = interlock(*words, "--batches", 1)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith("from seed 0 · planted:backwards\n")
    again = next(line.split("again: ")[1] for line in ended.out.splitlines() if "again: " in line)
    (kept,) = (folder / "corpus").glob("*.yaml")
    assert again.startswith(f"interlock run corpus/{kept.name} --engine planted:backwards --seed 0")
    assert interlock(*again.split()[1:]).code == 1
    later = interlock(*words, "--batches", 0, "--json")
    row = json.loads(later.out)
    (rule,) = row.pop("replayed")[0]["broken"][:1]
    assert kept.name.startswith(f"{rule}-")
    assert (later.code, row.pop("spent_s")) == (1, 0)
    assert row == {
        "first_seed": 1,
        "next_seed": 1,
        "interrupted": False,
        "turns": 0,
        "failing": 0,
        "runs": 0,
        "confidence": "0 of 0: nothing is known of the failure rate",
        "situations": {},
        "simulated_s": 0,
        "kept": [],
    }
    assert f"corpus/{kept.name}: still breaks {rule}" in later.err


def test_a_corpus_that_cannot_be_used_is_refused_in_one_line(interlock, folder) -> None:
    (folder / "corpus").mkdir()
    (folder / "corpus" / "bad.yaml").write_text("calls: 3\n")
    ended = interlock("fuzz", "--batches", 0)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("interlock: corpus/bad.yaml:1:1: calls: expected a list")
    assert interlock("fuzz", "--engine", "steam").err.startswith("interlock: --engine: expected streaming")
    taken = interlock("fuzz", "--corpus", "planted.py", "--batches", 1, "--turns", 1, "--jobs", 1)
    assert taken.code == 2
    assert "planted.py" in taken.err
