"""``interlock conform``, and ``interlock run`` with what it prints."""

import json
import shlex
from pathlib import Path

import pytest

ENGINE = """
import asyncio

async def engine(stage):
    async def one(block):
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "examined_by_conform.py").write_text(ENGINE)
    monkeypatch.chdir(tmp_path)
    return "examined_by_conform:engine"


def test_conform_prints_a_mark_for_each_rule_and_lines_that_show_a_failure_again(interlock, engine: str) -> None:
    ended = interlock("conform", engine, "--turns", 30, "--save", "found")
    assert ended.code == 1
    assert "P1  holds" in ended.out
    assert "F6  not observable: discard not declared" in ended.out
    lines = [line.split("again: ")[1] for line in ended.out.splitlines() if "again: " in line]
    assert f"interlock run found/P4.yaml --engine {engine}" in lines
    for line in lines:
        again = interlock(*shlex.split(line)[1:])
        assert again.code == 1
        assert f"{Path(shlex.split(line)[2]).stem} broken at" in again.out


def test_conform_gives_its_documented_json(interlock, engine: str) -> None:
    ended = interlock("conform", engine, "--turns", 30, "--json")
    card = json.loads(ended.out)
    assert card["engine"] == "engine"
    assert card["rules"]["P1"] == {"mark": "holds"}
    assert card["rules"]["F6"] == {"mark": "not observable", "why": "discard not declared"}
    assert card["rules"]["P4"]["mark"] == "broken"
    assert card["rules"]["P4"]["violation"]["rule"] == "P4"


@pytest.mark.parametrize("name", ["streaming", "no_such_module:engine"])
def test_what_is_no_executor_of_ones_own_is_refused_in_one_line(interlock, name: str) -> None:
    ended = interlock("conform", name)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
