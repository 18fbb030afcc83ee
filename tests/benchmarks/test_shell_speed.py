"""What it costs to class a shell command: 10,000 of them, and whether rules and listeners make each cost more.

Processor time; the growth is a ratio within one run.
"""

import asyncio
import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from executor import Options, PermissionRules, ToolSet, ToolUseBlock, Turn, tool
from executor.safety.shell import classify_command, shell_safety

pytestmark = pytest.mark.bench

EVERYDAY = Path(__file__).parents[1] / "executor" / "safety" / "everyday.yaml"
COMMANDS = 10_000


def commands() -> list[str]:
    """Give 10,000 commands, each its own text, so that no memory of earlier ones helps."""
    known = list(itertools.chain.from_iterable(yaml.safe_load(EVERYDAY.read_text(encoding="utf-8")).values()))
    return [f"{command} # {number}" for number, command in zip(range(COMMANDS), itertools.cycle(known), strict=False)]


def test_ten_thousand_commands_are_classed_quickly() -> None:
    took_us = []
    for command in commands():
        began_ns = time.process_time_ns()
        classify_command(command)
        took_us.append((time.process_time_ns() - began_ns) / 1_000)
    median, p99 = statistics.median(took_us), statistics.quantiles(took_us, n=100)[98]
    print(f"\nclassing a command: median {median:.0f} µs, p99 {p99:.0f} µs, longest {max(took_us):.0f} µs")
    assert median < 1_000


@tool(concurrency_safe=shell_safety())
async def bash(command: str) -> str:
    return ""


def per_call_us(asked: list[str], rules: int, listeners: int) -> float:
    """Run commands in one turn; microseconds of processor time for each."""
    heard: list[Any] = []
    each: list[Callable[..., None]] = [lambda *what, **more: heard.clear() for _ in range(listeners)]

    def announce(kind: Any, call: str | None, /, **detail: Any) -> None:
        for listener in each:
            listener(kind, call, **detail)

    async def response() -> Any:
        for number, command in enumerate(asked):
            yield ToolUseBlock(str(number), "bash", {"command": command})

    async def main() -> None:
        options = Options(permissions=PermissionRules(deny=tuple(f"bash(tool{n} sub:*)" for n in range(rules))))
        async for _ in Turn(ToolSet([bash]), options=options, announce=announce).run(response()):
            pass

    began_s = time.process_time()
    asyncio.run(main())
    return (time.process_time() - began_s) / len(asked) * 1e6


@pytest.mark.parametrize("what", ["rules", "listeners"])
def test_what_a_shell_call_costs_hardly_grows_with_rules_and_listeners(what) -> None:
    asked = commands()[:2_000]
    cost = {
        n: min(per_call_us(asked, **{"rules": 1, "listeners": 1} | {what: n}) for _ in range(3)) for n in (1, 10, 100)
    }
    print(f"\na shell call with {what}: " + ", ".join(f"{n}: {us:.0f} µs" for n, us in cost.items()))
    assert cost[10] < 1.5 * cost[1]
