"""``interlock conform``, and ``interlock run`` with what it prints."""

import io
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


def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str) -> str:
    """Write a module of one's own into the present folder."""
    (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    return f"{name}:engine"


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        (
            "not_async",
            "def engine(stage): return 3",
            "expected async def engine(stage), got def engine: write one around it that awaits it",
        ),
        (
            "no_stage",
            "async def engine(): pass",
            "expected engine(stage), called with nothing else: too many positional arguments",
        ),
        (
            "a_generator",
            "async def engine(stage): yield 1",
            "expected async def engine(stage), got a generator engine: yield nothing in it",
        ),
        (
            "no_room_for_a_stage",
            "class engine:\n    def __init__(self): ...\n    def add(self, block): ...\n"
            "    def completed_results(self): ...\n    def remaining_results(self): ...",
            "expected engine(stage), called with nothing else: too many positional arguments",
        ),
        (
            "half_a_class",
            "class engine:\n    def add(self, block): pass",
            "expected a class with add, completed_results, remaining_results, got engine without completed_results()",
        ),
        ("no_function", "engine = 5", "expected async def engine(stage), a class with add(), or an OwnEngine, got 5"),
    ],
)
def test_what_cannot_be_an_executor_is_refused_before_it_is_played(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, told: str
) -> None:
    engine = own(tmp_path, monkeypatch, name, code)
    for command in (["conform", engine], ["run", "-", "--engine", engine]):
        ended = interlock(*command)
        where = "ENGINE" if command[0] == "conform" else "--engine"
        assert (ended.code, ended.out, ended.err) == (2, "", f"interlock: {where}: {engine}: {told}\n")


@pytest.mark.parametrize(
    ("name", "made", "told"),
    [
        ("c1", "from_coroutine(lambda stage: 3)", "expected async def <lambda>(stage), got def <lambda>: write one "),
        ("o1", "from_object(int)", "expected a class with add, completed_results, remaining_results, got int without "),
        ("o2", "from_object(5)", "expected a function of stage, got 5"),
        ("o3", "from_object(lambda: 5)", "expected <lambda>(stage), called with nothing else: too many "),
        ("t1", "from_turn(lambda stage, blocks: [])", "expected async def <lambda>(stage, blocks), got def <lambda>: "),
        ("t2", "from_turn(lambda stage: [])", "expected <lambda>(stage, blocks), called with nothing else: too many "),
        ("t3", "from_turn(5)", "expected a function of stage and blocks, got 5"),
    ],
)
def test_each_way_to_plug_in_refuses_what_it_cannot_take(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, made: str, told: str
) -> None:
    code = f"from sim import from_coroutine, from_object, from_turn\n\nengine = {made}\n"
    ended = interlock("conform", own(tmp_path, monkeypatch, f"plugged_{name}", code))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert f"TypeError: {told}" in ended.err


def test_a_function_that_makes_no_executor_is_told_what_it_should_make(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from sim import from_object\n\ndef make(stage):\n    return 5\n\nengine = from_object(make)\n"
    ended = interlock("conform", own(tmp_path, monkeypatch, "makes_five", code), "--turns", 2)
    told = "expected make() to make an object with add, completed_results, remaining_results, got int without add()"
    assert (ended.code, f"crash: TypeError: {told}" in ended.out) == (1, True)


def test_a_failure_is_shown_again_by_a_command_that_needs_no_file(
    interlock, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = interlock("conform", engine, "--turns", 30)
    lines = [line.split("again: ")[1] for line in ended.out.splitlines() if "again: " in line]
    assert len(lines) == 5
    for line in lines:
        given, _, command = line.partition(" | ")
        printf, form, scenario = shlex.split(given)
        assert (printf, form) == ("printf", "%s")
        monkeypatch.setattr("sys.stdin", io.StringIO(scenario))
        again = interlock(*shlex.split(command)[1:])
        assert again.code == 1
        assert " broken at" in again.out


def test_an_executor_that_spins_is_a_livelock_and_holds_nobody_up(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L1: bounded steps per instant, in proportion to the turn."""
    code = "import asyncio\n\nasync def engine(stage):\n    while True:\n        await asyncio.sleep(0)\n"
    ended = interlock("conform", own(tmp_path, monkeypatch, "spins", code), "--turns", 2)
    assert ended.code == 1
    assert "the run was given up, livelock: 1001 x Task-1 at spins.py:5 in engine" in ended.out


def test_an_executor_that_never_asks_for_the_response_keeps_no_rule_by_that(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L1: what returns without having asked has not run the turn."""
    ended = interlock("conform", own(tmp_path, monkeypatch, "idle", "async def engine(stage): pass"), "--turns", 2)
    assert ended.code == 1
    assert "it returned without asking for the response: take the blocks of stage.blocks()" in ended.out


def test_what_an_executor_prints_is_no_part_of_the_answer(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = ENGINE.replace(
        "async def engine(stage):", "print('imported')\n\nasync def engine(stage):\n    print('hello')"
    )
    engine = own(tmp_path, monkeypatch, "talks", code)
    (tmp_path / "turn.yaml").write_text("calls: [{id: a}]")
    for command in (["conform", engine, "--turns", 2], ["run", "turn.yaml", "--engine", engine]):
        ended = interlock(*command, "--json")
        json.loads(ended.out)
        assert "hello" in ended.err


def test_what_is_no_result_cannot_be_emitted_and_the_error_says_what_can(
    interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = own(tmp_path, monkeypatch, "emits_text", "async def engine(stage):\n    stage.emit('x')")
    ended = interlock("conform", engine, "--turns", 2)
    told = "TypeError: emit: expected a ToolResult, as call() gives it, or Progress or an Update, got 'x'"
    assert told in ended.out
