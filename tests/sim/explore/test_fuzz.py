"""Campaigns: random turns, failures made small and kept, corpora replayed, interrupted and gone on with."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path

import pytest

from scenarios import Call, Scenario, ScenarioError, ToolSpec, dump, load
from sim.explore import Plan
from sim.explore.batch import Batch, Found, Tally, run_batch
from sim.explore.corpus import Corpus
from sim.explore.fuzz import fuzz
from sim.oracle import RULES, unreached
from sim.processes import workers

ROOT = Path(__file__).parents[3]
OURS = ("streaming", "batch", "serial")
PLANTED = """
import asyncio

async def hasty(stage):
    '''Runs everything at once and hands results on as they come.'''
    async def one(block):
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()], return_exceptions=True)
"""


@pytest.fixture
def hasty(tmp_path, monkeypatch) -> str:
    """A known-bad engine that processes started from here find too."""
    (tmp_path / "planted_engines.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "planted_engines:hasty"


def test_our_engines_keep_every_rule_in_a_batch_and_a_batch_repeats_itself() -> None:
    one, again, other = (run_batch(Batch(seed, 10, OURS)) for seed in (5, 5, 6))
    assert (one.found, one.failing, one.turns) == ([], 0, 10)
    assert one == again
    assert one.runs == 10 * 3 * 3
    assert other.simulated_ns != one.simulated_ns


def test_a_batch_says_which_situations_it_reached_and_which_never() -> None:
    one, other = run_batch(Batch(0, 10, OURS)), run_batch(Batch(1, 10, OURS))
    both = Tally()
    both.add(one)
    both.add(other)
    assert both.situations == one.situations + other.situations
    assert both.reached.startswith(f"{len(both.situations)} of ")
    missed = unreached(both.situations, both.features)
    assert both.reached.partition("; never: ")[2] == ", ".join(missed)


def test_a_planted_engine_is_found_and_its_turn_made_small(hasty: str) -> None:
    """S1, S2 or P4: two calls are enough for each."""
    known: set[tuple[str, str]] = set()
    smallest: dict[str, Scenario] = {}
    for seed in range(20):
        if {"P4", "S1"} <= smallest.keys():
            break
        for found in run_batch(Batch(seed, 20, (hasty,), frozenset(known))).found:
            assert found.kind not in smallest
            known.add((found.kind, hasty))
            smallest[found.kind] = found.scenario
    assert {"P4", "S1"} <= smallest.keys()
    assert {len(smallest[kind].calls) for kind in ("P4", "S1")} == {2}
    tools = [smallest["S1"].tool_of(call) for call in smallest["S1"].calls]
    ways = [
        (call.safe, tool.safe, tool.classifier_raises) for call, tool in zip(smallest["S1"].calls, tools, strict=True)
    ]
    assert any(by_itself is False or not by_tool or raises for by_itself, by_tool, raises in ways)


def test_an_executor_of_ones_own_is_given_turns_that_it_can_be_told_of(hasty: str) -> None:
    """One that declares nothing is played in every turn; ours beside it are played in the same."""
    known = frozenset((kind, hasty) for kind in (*(rule.id for rule in RULES), "trouble"))
    done = run_batch(Batch(0, 40, (hasty,), known))
    assert (done.found, done.turns, done.runs) == ([], 40, 40 * 3)
    assert done.simulated_ns > 0
    both = run_batch(Batch(0, 40, ("streaming", hasty), known))
    assert (both.found, both.turns, both.runs) == ([], 40, 40 * 6)


def test_what_is_kept_is_a_scenario_with_the_line_that_shows_it_again(hasty: str, tmp_path) -> None:
    turn = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s")])
    corpus = Corpus(tmp_path / "kept")
    kept = corpus.keep(Found("P4", hasty, turn, str(Plan.parse(f"--engine {hasty} --choices 0:1"))))
    assert load(kept.path) == turn
    assert kept.ended.broken.keys() == {"P4"}
    assert f"again: interlock run {kept.path} --engine {hasty} --seed 0 --choices 0:1" in kept.ended.broken["P4"]
    (again,) = corpus.replay()
    assert (again.path, again.ended.plan, again.ended.broken) == (kept.path, kept.ended.plan, kept.ended.broken)


def test_a_file_without_a_plan_is_replayed_first_come_and_a_bad_plan_is_refused(tmp_path) -> None:
    plain, bad = tmp_path / "a.yaml", tmp_path / "b.yaml"
    plain.write_text(dump(Scenario(calls=[Call(id="a")], tools={"Read": ToolSpec()})))
    (one,) = Corpus(tmp_path).replay()
    assert (one.path, one.ended.plan, one.ended.broken) == (plain, Plan(), {})
    bad.write_text("# plan: --engine steam\ncalls: [{id: a}]\n")
    with pytest.raises(ScenarioError, match=r"b\.yaml:1: the plan cannot be used: expected streaming"):
        list(Corpus(tmp_path).replay())


@pytest.mark.parametrize("content", ["", "[]", '{"next_seed": "x"}', "{"])
def test_progress_that_cannot_be_read_is_refused(tmp_path, content: str) -> None:
    (tmp_path / "progress.json").write_text(content)
    with pytest.raises(ScenarioError, match="remove the file to begin anew"):
        _ = Corpus(tmp_path).next_seed


def test_a_campaign_goes_on_where_it_stopped_and_keeps_each_kind_once(hasty: str, tmp_path) -> None:
    corpus = Corpus(tmp_path / "corpus")
    told: list[int] = []
    first = fuzz(
        [hasty], corpus=corpus, batches=2, jobs=2, turns=20, on_progress=lambda so_far: told.append(so_far.tally.turns)
    )
    assert (first.first_seed, first.next_seed, corpus.next_seed) == (0, 2, 2)
    assert told == sorted(told)
    assert told[-1] == first.tally.turns
    kinds = [found.kind for found in first.tally.found]
    assert kinds
    assert len(kinds) == len(set(kinds)) == len(list(corpus.replay()))
    second = fuzz(["streaming"], corpus=corpus, batches=1, jobs=1, turns=5)
    assert (second.first_seed, second.next_seed, str(second)) == (2, 3, "0 of 5: failure rate < 45 % at 95 %")


def test_ctrl_c_ends_a_campaign_in_order_and_the_next_one_goes_on(tmp_path) -> None:
    words = [sys.executable, "-c", "from sim.cli.app import main; main()", "fuzz", "--turns", "3", "--jobs", "1"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(1_200):
        if (tmp_path / "corpus" / "progress.json").exists():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, "")
    assert out.startswith("from seed 0 · streaming, batch, serial\n")
    assert "interrupted" in out
    reached = json.loads((tmp_path / "corpus" / "progress.json").read_text())["next_seed"]
    assert reached >= 1
    assert f"seeds 0 to {reached - 1} · " in out
    on = subprocess.run([*words, "--batches", "1"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert on.stdout.startswith(f"from seed {reached} · ")


def test_ctrl_c_waits_for_no_batch_that_was_begun() -> None:
    """Else a campaign of long batches goes on as long as they take."""
    with suppress(KeyboardInterrupt), workers(1) as pool:
        begun = pool.submit(time.sleep, 60)
        raise KeyboardInterrupt
    assert begun.cancelled() or isinstance(begun.exception(), BrokenProcessPool)


def test_ctrl_c_reaches_no_process_of_the_pool() -> None:
    """A terminal sends it to all of them, also to one that is just starting: that would end in a traceback."""
    with workers(1) as pool:
        blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result()
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_executor_that_is_cancelled_by_its_tool_is_a_crash_and_not_ours() -> None:
    """A12: the run is told to have crashed; the cancellation does not reach whoever simulates."""
    from sim import simulate

    async def naive(stage) -> None:
        async for block in stage.blocks():
            stage.emit(await stage.call(block))

    run = simulate(Scenario(calls=[Call(id="a", ends="cancelled")]), naive)
    assert run.trouble == "CancelledError: it was cancelled from within"
    assert asyncio.run(asyncio.sleep(0, "the test goes on")) == "the test goes on"
