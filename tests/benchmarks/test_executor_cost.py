"""What a call costs: no-op calls in one turn against a bare sliding window of tasks.

Processor time, and ratios within one run: absolute times are the machine's, and so is what else runs on it.
"""

import asyncio
import gc
import itertools
import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from executor import (
    Engine,
    Hook,
    HookEvent,
    Hooks,
    Options,
    PermissionRules,
    Recorder,
    ToolSet,
    ToolUseBlock,
    Turn,
    Update,
    make_executor,
    tool,
)

pytestmark = pytest.mark.bench

SIZES = (1_000, 10_000, 100_000)
WINDOW = 10
ROUNDS = {1_000: 9, 10_000: 5, 100_000: 3}


@tool(concurrency_safe=True)
async def nothing(path: str, limit: int = 10) -> str:
    return path


async def work(path: str, limit: int = 10) -> str:
    return path


def blocks(size: int) -> list[ToolUseBlock]:
    return [ToolUseBlock(f"c{n}", "nothing", {"path": "a.ts", "limit": 3}) for n in range(size)]


async def response(size: int) -> AsyncIterator[ToolUseBlock]:
    for block in blocks(size):
        yield block


async def sliding_window(size: int) -> int:
    """The floor: ten tasks at a time, no validation, no order, no abort, no events."""
    waiting: Iterator[ToolUseBlock] = iter(blocks(size))
    running: set[asyncio.Task[str]] = set()
    done = 0
    while True:
        while len(running) < WINDOW and (block := next(waiting, None)) is not None:
            running.add(asyncio.create_task(work(**block.input)))
        if not running:
            return done
        over, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        done += sum(task.result() == "a.ts" for task in over)


async def taken(updates: AsyncIterator[Update]) -> int:
    """Count the right results as they come, as the floor does; who keeps them pays for that."""
    done = 0
    async for update in updates:
        done += update.message.content == "a.ts"
    return done


def executor(engine: Engine) -> Callable[[int], Awaitable[int]]:
    """An executor alone: blocks added as they are there, then all that comes taken."""

    async def run(size: int) -> int:
        async with make_executor(engine, ToolSet([nothing]), options=Options(max_concurrency=WINDOW)) as running:
            for block in blocks(size):
                running.add(block)
            return await taken(running.remaining_results())

    return run


def turn(engine: Engine, *, recorded: bool = False) -> Callable[[int], Awaitable[int]]:
    """A whole turn with its standard driver, with or without its event log kept."""

    async def run(size: int) -> int:
        options = Options(max_concurrency=WINDOW)
        extra = {"announce": Recorder()} if recorded else {}
        done = Turn(ToolSet([nothing]), engine=engine, options=options, **extra)
        return await taken(done.run(response(size)))

    return run


def no_objection(event: HookEvent) -> None:
    """Say nothing, at once."""


async def slow_no_objection(event: HookEvent) -> None:
    """Say nothing, without waiting for anything."""


def guarded_turn(hooks: list[Any], *, others: int = 0) -> Callable[[int], Awaitable[int]]:
    """A whole turn with hooks before each call and ten rules, the last of which allows it.

    Args:
        others: how many more hooks and rules there are about other tools.
    """
    rules = PermissionRules(
        deny=("bash(rm:*)", "edit(/etc/**)", "nothing(secret/**)", *(f"other{n}(x*)" for n in range(others))),
        ask=("bash(git push:*)", "nothing(*.env)", "fetch"),
        allow=("bash(ls:*)", "bash(git log:*)", "nothing(lib/**)", "nothing(*.ts)"),
    )

    told = Hooks(pre=[*hooks, *(Hook(no_objection, tools=f"other{n}") for n in range(others))])

    async def run(size: int) -> int:
        options = Options(max_concurrency=WINDOW, permissions=rules, hooks=told)
        done = Turn(ToolSet([nothing]), options=options)
        return await taken(done.run(response(size)))

    return run


BARE = "bare sliding window"
CONTESTANTS: dict[str, Callable[[int], Awaitable[int]]] = {
    BARE: sliding_window,
    "streaming executor": executor("streaming"),
    "batch executor": executor("batch"),
    "streaming turn": turn("streaming"),
    "… recorded": turn("streaming", recorded=True),
    "… with 10 rules": guarded_turn([]),
    "… and 3 plain hooks": guarded_turn([no_objection] * 3),
    "… and 3 async hooks": guarded_turn([slow_no_objection] * 3),
}


AIMS = {"streaming executor": 2.5, "batch executor": 2.5, "… and 3 plain hooks": 6.0, "… and 3 async hooks": 6.0}
"""How many times the bare window a call may cost: the executor's own work, and a whole turn with its driver."""
MARGIN = 1.1
"""What a loaded machine may add before a measurement counts as a miss."""


def seconds_per_call(contestant: Callable[[int], Awaitable[int]], size: int) -> float:
    gc.collect()
    start = time.process_time()
    assert asyncio.run(contestant(size)) == size
    return (time.process_time() - start) / size


def test_cost_per_call() -> None:
    """Issue 3: 2.5 times the bare window, 6 times with three hooks and ten rules; flat from one size to the next."""
    medians: dict[tuple[str, int], float] = {}
    least: dict[tuple[str, int], float] = {}
    for size in SIZES:
        # Interleaved rounds, so that a slow minute of the machine meets every contestant.
        rounds = [{name: seconds_per_call(run, size) for name, run in CONTESTANTS.items()} for _ in range(ROUNDS[size])]
        medians |= {(name, size): statistics.median(row[name] for row in rounds) for name in CONTESTANTS}
        least |= {(name, size): min(row[name] / row[BARE] for row in rounds) for name in CONTESTANTS}
    lines = [f"{'µs per call':22}" + "".join(f"{size:>12,}" for size in SIZES) + f"{'flat':>16}{'× bare':>22}"]
    for name in CONTESTANTS:
        cost = [medians[name, size] for size in SIZES]
        flat = " ".join(f"{later / earlier:.2f}" for earlier, later in itertools.pairwise(cost))
        bare = " ".join(f"{medians[name, size] / medians[BARE, size]:.2f}" for size in SIZES)
        lines.append(f"{name:22}" + "".join(f"{1e6 * each:12.1f}" for each in cost) + f"{flat:>16}{bare:>22}")
    report("\n".join(lines))
    for name, aim in AIMS.items():
        assert all(least[name, size] <= aim * MARGIN for size in SIZES), f"{name}: the aim is {aim} × bare"
        growth = max(medians[name, later] / medians[name, earlier] for earlier, later in itertools.pairwise(SIZES))
        assert growth <= 1.25, f"{name}: the cost grows with the calls"


def test_a_call_costs_the_same_however_many_rules_and_hooks_speak_of_other_tools() -> None:
    """Issue 3: growth flat in rules and hooks; what is about another tool is sorted out once."""
    few, many = guarded_turn([no_objection], others=1), guarded_turn([no_objection], others=300)
    rounds = [(seconds_per_call(few, 1_000), seconds_per_call(many, 1_000)) for _ in range(9)]
    growth = statistics.median(more / less for less, more in rounds)
    report(f"300 hooks and rules about other tools instead of one: × {growth:.2f}")
    assert growth <= 1.25


def report(table: str) -> None:
    """Print a table, and add it to the file that ``BENCH_OUT`` names."""
    print(f"\n{table}\n")
    if out := os.environ.get("BENCH_OUT"):
        with Path(out).open("a", encoding="utf-8") as file:
            file.write(f"{table}\n\n")
