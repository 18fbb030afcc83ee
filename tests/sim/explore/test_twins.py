"""The determinism watch: a run that repeats itself, and one that does not (D1)."""

import json
from pathlib import Path

import pytest

from scenarios import Call, Scenario, loads
from sim.explore import Plan
from sim.explore.plan import engine_named
from sim.explore.twins import differences, first_difference, rolling
from sim.world import OwnStage

TURN = loads("calls: [{id: a, takes: 1s}, {id: b, takes: 1s}, {id: c, takes: 1s}]")

ODD = '''
async def engine(stage):
    """Runs the calls in the order in which a set of their names has them."""
    blocks = {block.id: block async for block in stage.blocks()}
    for name in set(blocks):
        stage.emit(await stage.call(blocks[name]))

calls = 0

async def by_memory(stage):
    """Does something else the second time."""
    global calls
    calls += 1
    async for block in stage.blocks():
        if calls == 1 or block.id != "b":
            stage.emit(await stage.call(block))
'''


@pytest.fixture
def module(tmp_path, monkeypatch) -> str:
    (tmp_path / "odd_engines.py").write_text(ODD)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "odd_engines"


@pytest.mark.parametrize("words", ["--engine streaming", "--engine batch --seed 3 --choices 0:2 --jitter 5ms"])
def test_our_own_engines_repeat_themselves_to_the_byte(words: str) -> None:
    assert differences(TURN, Plan.parse(words)) == []


def test_an_engine_that_goes_by_the_hash_of_names_is_found_with_the_first_event_that_differs(module: str) -> None:
    names = [f"call-{n}" for n in range(9)]
    turn = Scenario(calls=[Call(id=name, takes="1s") for name in names])
    found = differences(turn, Plan(engine=f"{module}:engine"))
    assert "another hash seed" in {one.twin for one in found}
    for one in found:
        # The header, the start, nine blocks and the response's end are the same; then a body is entered.
        assert one.at >= 12
        here, there = (json.loads(lines[2]) for lines in (one.here, one.there))
        assert (here["kind"], there["kind"], here["call"] != there["call"]) == ("entered", "entered", True)
        assert one.here[:2] == one.there[:2]


def test_an_engine_that_remembers_is_found_in_this_very_process(module: str) -> None:
    found = differences(TURN, Plan(engine=f"{module}:by_memory"))
    assert [one.twin for one in found] == ["a second run in this process"]


def test_a_log_that_only_goes_on_differs_where_the_other_ends() -> None:
    found = first_difference("it", ["a", "b"], ["a", "b", "c"])
    assert found is not None
    assert (found.at, found.here, found.there) == (2, ("a", "b"), ("a", "b", "c"))
    assert first_difference("it", ["a"], ["a"]) is None


def test_a_rolling_digest_says_whether_all_before_was_the_same() -> None:
    one, other = rolling(["a", "b", "c"]), rolling(["a", "x", "c"])
    assert [first == second for first, second in zip(one, other, strict=True)] == [True, False, False]


def test_an_engine_that_another_process_cannot_find_is_said_so() -> None:
    async def in_order(stage: OwnStage) -> None:
        async for block in stage.blocks():
            stage.emit(await stage.call(block))

    with pytest.raises(RuntimeError, match=r"another process could not run it: .*MODULE:FUNCTION"):
        differences(TURN, Plan(engine=in_order))


@pytest.mark.parametrize("name", ["steam", "no_such_module:engine", "sim:no_such_name", ":", "sim:"])
def test_an_engine_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected streaming, batch, serial or MODULE:FUNCTION"):
        engine_named(name)


def test_words_that_are_no_plan_are_refused() -> None:
    for words in ("--frobnicate 3", "--seed x", "--choices 3", "3"):
        with pytest.raises(ValueError):
            Plan.parse(words)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("def drive(:", "SyntaxError: "),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_an_engine_whose_module_cannot_be_imported_is_told_in_one_line(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"unlucky_{len(text)}"
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=f"MODULE:FUNCTION, got '{name}:drive': {told}"):
        engine_named(f"{name}:drive")
