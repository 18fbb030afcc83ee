"""The pytest plugin, as a suite of somebody else uses it: each in a process of its own."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
Suite = Callable[..., str]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTHONPATH": str(ROOT), "CI": "true"}
"""No plugins but those that are named; ``CI`` makes Hypothesis take the same examples each time."""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Run files as a suite with only the named plugins, and give what pytest prints."""

    def run(files: dict[str, str], *words: str, plugins: tuple[str, ...] = ()) -> str:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        chosen = [word for plugin in ("pytest_interlock", *plugins) for word in ("-p", plugin)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *chosen, *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **ALONE},
            check=False,
        )
        return done.stdout + done.stderr

    return run


def summary(printed: str) -> str:
    """Give the line that counts."""
    return re.sub(r" in [\d.]+s.*", "", printed.splitlines()[-1]).strip("= ")


GOOD = """\
calls: [{id: a, takes: 1s}, {id: b, takes: 2s}]
expect: {results: [[a, ok], [b, ok]], makespan: {streaming: 2s, batch: 2s, serial: 3s}}
"""
WRONG = """\
scenario: two reads
calls: [{id: a, takes: 1s}, {id: b, takes: 2s}]
expect: {engines: [streaming, serial], makespan: 2s}
"""
MINE = """\
import asyncio

async def careless(stage):
    async def one(block):
        stage.emit(await stage.call(block))
    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])
"""


def test_scenario_files_are_tests_for_each_engine_of_which_they_speak(suite: Suite) -> None:
    printed = suite({"good.scenario.yaml": WRONG, "other.yaml": "no scenario"}, "-v")
    assert "good.scenario.yaml::streaming PASSED" in printed
    assert "good.scenario.yaml::serial FAILED" in printed
    assert summary(printed) == "1 failed, 1 passed"
    shown = printed[printed.index("two reads [serial]") :]
    assert "serial · two reads · seed 0 · completed at 3 s" in shown
    assert "not as expected: makespan: expected 2s, got 3s" in shown
    again = re.search(r"again: (interlock run .*good\.scenario\.yaml --engine serial --seed 0)$", shown, re.MULTILINE)
    assert again
    assert "Traceback" not in printed


@pytest.mark.parametrize(("terminal", "cells"), [(60, 55), (200, 120)])
def test_what_fails_is_drawn_as_wide_as_the_terminal_within_reason(suite: Suite, monkeypatch, terminal, cells) -> None:
    monkeypatch.setenv("COLUMNS", str(terminal))
    printed = suite({"good.scenario.yaml": WRONG})
    drawing = printed[printed.index("serial · two reads") : printed.index("not as expected")]
    assert cells - 10 < max(map(len, drawing.splitlines())) <= cells


def test_engines_seeds_and_schedules_are_chosen_by_options(suite: Suite) -> None:
    files = {"good.scenario.yaml": GOOD, "mine.py": MINE, "stop.scenario.yaml": "events: [{at: 1s, do: stop}]"}
    chosen = ["--interlock-engine", "batch", "--interlock-engine", "mine:careless", "--interlock-seeds", "2"]
    printed = suite(files, "-v", "-rs", *chosen, "--interlock-schedules", "3")
    names = re.findall(r"^(\S+::\S+) (PASSED|FAILED|SKIPPED)", printed, re.MULTILINE)
    assert names == [
        ("good.scenario.yaml::batch", "PASSED"),
        ("good.scenario.yaml::batch-1", "PASSED"),
        ("good.scenario.yaml::mine:careless", "PASSED"),
        ("good.scenario.yaml::mine:careless-1", "PASSED"),
        ("stop.scenario.yaml::batch", "PASSED"),
        ("stop.scenario.yaml::batch-1", "PASSED"),
        ("stop.scenario.yaml::mine:careless", "SKIPPED"),
        ("stop.scenario.yaml::mine:careless-1", "SKIPPED"),
    ]
    assert "mine:careless does not declare stop" in printed


def test_what_no_test_can_be_made_of_is_one_line(suite: Suite) -> None:
    printed = suite({"bad.scenario.yaml": "calls:\n  - {id: a, takes: long}\n", "good.scenario.yaml": GOOD})
    assert re.search(r"bad\.scenario\.yaml:2:13: calls\[0\]\.takes: expected .*, got 'long'", printed)
    assert "Traceback" not in printed
    printed = suite({"good.scenario.yaml": GOOD}, "--interlock-engine", "steam", "good.scenario.yaml")
    assert "--interlock-engine: expected streaming, batch, serial or MODULE:FUNCTION, got 'steam'" in printed


ASYNC = """\
import asyncio
import pytest
from hypothesis import given, settings, strategies as st

@pytest.mark.virtual_clock
async def test_an_hour_takes_no_time(sim_loop):
    assert asyncio.get_running_loop() is sim_loop
    await asyncio.sleep(3600)
    assert sim_loop.time() == 3600

@pytest.mark.virtual_clock
class TestMany:
    @pytest.mark.parametrize("hours", [1, 2])
    async def test_in_classes(self, hours):
        await asyncio.sleep(hours * 3600)
        assert asyncio.get_running_loop().time() == hours * 3600

    @settings(max_examples=5, database=None)
    @given(st.integers(0, 100_000))
    async def test_with_hypothesis(self, seconds):
        await asyncio.sleep(seconds)
        assert asyncio.get_running_loop().time() == seconds

def test_by_hand(sim_loop):
    sim_loop.create_task(asyncio.sleep(5))
    sim_loop.run_until_complete(asyncio.sleep(3))
    assert sim_loop.time() == 3
"""
ORDERS = """\
import asyncio
import pytest

@pytest.mark.virtual_clock(schedules=20)
async def test_updates():
    seen = []
    async def add(name, after_s):
        await asyncio.sleep(after_s)
        seen.append(name)
    await asyncio.gather(add("a", 2), add("b", 2))
    assert seen == ["a", "b"]
"""
REAL = """
@pytest.mark.{marker}
async def test_on_the_real_clock():
    await asyncio.sleep(0)
    assert "SimLoop" not in type(asyncio.get_running_loop()).__name__
"""


def test_marked_async_tests_run_on_the_virtual_clock(suite: Suite) -> None:
    printed = suite({"test_async.py": ASYNC}, "--strict-markers")
    assert summary(printed) == "5 passed"


def test_a_marked_test_is_run_in_other_orders_and_fails_with_its_own_error(suite: Suite) -> None:
    printed = suite({"test_orders.py": ORDERS})
    assert summary(printed) == "1 failed"
    assert "AssertionError: assert ['b', 'a'] == ['a', 'b']" in printed
    assert re.search(r"in the smallest, what ties is taken as \d+:1$", printed, re.MULTILINE)


@pytest.mark.parametrize(
    ("plugin", "module", "mode", "marker"),
    [
        ("pytest_asyncio", "pytest_asyncio.plugin", "asyncio_mode=strict", "asyncio"),
        ("pytest_asyncio", "pytest_asyncio.plugin", "asyncio_mode=auto", "asyncio"),
        ("anyio", "anyio.pytest_plugin", "anyio_mode=strict", "anyio"),
        ("anyio", "anyio.pytest_plugin", "anyio_mode=auto", "anyio"),
    ],
    ids=["asyncio strict", "asyncio auto", "anyio strict", "anyio auto"],
)
def test_other_plugins_for_async_tests_are_no_matter(
    suite: Suite, plugin: str, module: str, mode: str, marker: str
) -> None:
    if find_spec(plugin) is None:
        pytest.skip(f"{plugin} is not installed: pip install 'interlock[dev]'")
    backend = "\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n"
    options = ["-o", mode, *(["-o", "asyncio_default_fixture_loop_scope=function"] if marker == "asyncio" else [])]
    printed = suite({"test_async.py": ASYNC + REAL.format(marker=marker) + backend}, *options, plugins=(module,))
    assert summary(printed) == "6 passed", printed


SMALLEST = """\
tools:
  Read: {}
  Edit: {safe: false}
calls:
  - {id: c0, takes: 100ms}
  - {id: c1, tool: Edit}
"""
PROPERTY = """\
from hypothesis import given, settings
from scenarios.strategies import FEATURES, turns
from mine import careless

@settings(derandomize=True, database=None, max_examples=200)
@given(turns(without=set(FEATURES) - {"classes"}))
def test_mine(simulate, turn):
    simulate(turn, careless)

@settings(derandomize=True, database=None, max_examples=200)
@given(turns(without=FEATURES))
def test_own_judgement(turn):
    assert len(turn.calls) < 2

def test_ours(simulate):
    from scenarios import Call, Scenario
    assert simulate(Scenario(calls=[Call(id="a", takes="1s")])).makespan_s == 1
"""


def test_a_failing_example_is_offered_as_a_scenario_file_that_shows_it_again(suite: Suite, tmp_path: Path) -> None:
    printed = suite({"test_mine.py": PROPERTY, "mine.py": MINE}, "--interlock-save", "found")
    assert summary(printed) == "2 failed, 1 passed"
    first, second = sorted((tmp_path / "found").glob("*.scenario.yaml"))
    assert first.name.startswith("test_mine-")
    assert second.name.startswith("test_own_judgement-")
    assert second.read_text(encoding="utf-8") == "calls:\n  - {id: c0}\n  - {id: c1}\n"
    assert f"written to {Path('found', first.name)}" in printed
    assert "raise BrokenRun(" not in printed, "where the test failed is shown, not the source of the plug-in"
    assert f"again: interlock run {Path('found', second.name)}\n" in printed
    line = re.search(r"again: interlock (run .*--engine mine:careless --seed 0)$", printed, re.MULTILINE)
    assert line
    again = subprocess.run(
        [Path(sys.executable).with_name("interlock"), *line[1].split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 1, again.stdout + again.stderr
    assert "S1 broken" in again.stdout or "P4 broken" in again.stdout


def test_what_the_guide_shows_is_what_happens(suite: Suite, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n# test_mine.py\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    printed = suite({"test_mine.py": block}, "--interlock-save", str(tmp_path))
    assert summary(printed) == "1 failed"
    told = block.partition("simulate(turn, mine)  # S1: ")[2].strip()
    assert re.search(rf"^E +S1 broken at 0 s: {re.escape(told)}$", printed, re.MULTILINE)
    (path,) = tmp_path.glob("*.scenario.yaml")
    assert path.read_text(encoding="utf-8") == SMALLEST


def test_it_works_in_several_processes(suite: Suite) -> None:
    files = {"good.scenario.yaml": GOOD, "wrong.scenario.yaml": WRONG, "test_async.py": ASYNC}
    printed = suite(files, "-n", "2", plugins=("xdist",))
    assert summary(printed) == "1 failed, 9 passed"
    assert "not as expected: makespan: expected 2s, got 3s" in printed


UNUSED = """\
import sys

async def simulate_nothing(): ...

def test_nothing_of_the_project_is_loaded():
    assert not {name.partition(".")[0] for name in sys.modules} & {"executor", "scenarios", "sim", "hypothesis"}

def test_that_fails():
    assert 0
"""


def test_a_suite_that_does_not_use_it_loads_nothing_of_it(suite: Suite) -> None:
    printed = suite({"test_own.py": UNUSED})
    assert summary(printed) == "1 failed, 1 passed"


def test_the_entry_point_is_named_as_its_module_so_that_naming_it_twice_is_no_fault() -> None:
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    assert entry == {"pytest_interlock": "pytest_interlock"}
