"""Ctrl-C during an exploration: never lost, and what was seen is kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.explore.interrupts import between_runs
from sim.explore.plan import Plan
from sim.explore.trial import Ended

ROOT = Path(__file__).parents[3]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
TURN = "calls: [{id: a, takes: 1s}, {id: b, takes: 1s}, {id: c, takes: 1s}, {id: d, takes: 1s}, {id: e, takes: 1s}]\n"
PRESSED_IN_THE_COLLECTOR = """
import gc, signal, sys
from scenarios import load
from sim import explore
from sim.explore import Interrupted

def press(phase, info):
    gc.callbacks.remove(press)
    signal.raise_signal(signal.SIGINT)

def look(tried):
    if tried == 20:
        gc.callbacks.append(press)
        gc.collect()

try:
    explore(load("turn.yaml"), scheduler=sys.argv[1], schedules=60, depth=3, on_progress=look)
except Interrupted as ended:
    print(ended.so_far.tried, ended.so_far.complete, ended)
"""
STARTED = """
import asyncio
from pathlib import Path

async def engine(stage):
    Path("started").touch()
    for task in [asyncio.create_task(stage.call(block)) async for block in stage.blocks()]:
        stage.emit(await task)
"""


@pytest.mark.parametrize("scheduler", ["random", "exhaustive", "sweep", "hypothesis"])
def test_ctrl_c_that_meets_the_garbage_collector_is_not_lost(tmp_path, scheduler: str) -> None:
    """What a signal's handler raises while the collector calls back is swallowed."""
    (tmp_path / "turn.yaml").write_text(TURN)
    words = [sys.executable, "-c", PRESSED_IN_THE_COLLECTOR, scheduler]
    done = subprocess.run(words, cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "20 False interrupted after 20 schedules\n"


@pytest.mark.parametrize("scheduler", ["random", "hypothesis"])
def test_an_interrupted_explore_prints_what_it_has_seen_and_exits_with_130(tmp_path, scheduler: str) -> None:
    (tmp_path / "turn.yaml").write_text(TURN)
    (tmp_path / "started_engine.py").write_text(STARTED)
    words = ["explore", "turn.yaml", "--engine", "started_engine:engine", "--scheduler", scheduler]
    running = subprocess.Popen(
        [sys.executable, "-c", "from sim.cli.app import main; main()", *words, "--schedules", "1000000"],
        cwd=tmp_path,
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    try:
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, err) == (130, "")
    first, *_, last = out.splitlines()
    assert first == f"started_engine:engine · turn.yaml · {scheduler} · seed 0 · interrupted"
    assert "failure rate" in last


def trial(plan: Plan) -> Ended:
    return Ended(plan, "", {}, (), 0)


@pytest.fixture
def _ordinary_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_between_two_runs(tried: list[Plan]) -> None:
    with between_runs(trial) as run:
        tried.append(run(Plan()).plan)
        signal.raise_signal(signal.SIGINT)
        tried.append(run(Plan()).plan)


def press_in_the_last_run() -> None:
    with between_runs(trial):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("_ordinary_ctrl_c")
def test_ctrl_c_ends_the_work_before_the_next_run_and_its_handler_is_put_back() -> None:
    tried: list[Plan] = []
    with pytest.raises(KeyboardInterrupt):
        press_between_two_runs(tried)
    assert tried == [Plan()]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_ordinary_ctrl_c")
def test_ctrl_c_in_the_last_run_counts() -> None:
    with pytest.raises(KeyboardInterrupt):
        press_in_the_last_run()


@pytest.mark.usefixtures("_ordinary_ctrl_c")
def test_ctrl_c_pressed_twice_ends_a_run_that_does_not_end() -> None:
    def endless(plan: Plan) -> Ended:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        raise AssertionError("the run went on")

    def work() -> None:
        with between_runs(endless) as run:
            run(Plan())

    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.mark.usefixtures("_ordinary_ctrl_c")
def test_a_handler_of_somebody_elses_is_left_alone() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with between_runs(trial) as run:
        assert run is trial
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
