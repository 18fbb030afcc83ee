"""Whether a cancelled TaskGroup has one order: SimLoop and its seeded peers in 12 processes with moved heaps.

The same seed and hash seed everywhere; the table counts the orders in which the twelve tasks were cancelled.
"""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
CONTESTANTS = ("SimLoop", "seedloop", "simloom", "simloop", "detangle", "stock asyncio")
PROCESSES = 12
ABSENT = 3


def order(name: str) -> str | None:
    """Return the order of one process, None when the contestant is not there."""
    command = [sys.executable, str(HERE / "order_contestants.py"), name]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1]), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, ABSENT), done.stderr
    return None if done.returncode else done.stdout.splitlines()[-1]


@pytest.mark.bench
def test_a_cancelled_task_group_has_one_order_in_every_process():
    lines = [f"cancelled TaskGroup of 12, Python {sys.version.split()[0]}: orders in {PROCESSES} processes"]
    orders = {name: [order(name) for _ in range(PROCESSES)] for name in CONTESTANTS}
    for name, seen in orders.items():
        lines.append(f"{name:30}{'absent' if None in seen else len(set(seen)):>10}")
    text = "\n".join(lines)
    print(f"\n{text}")
    if path := os.environ.get("BENCH_OUT"):
        with open(path, "a") as out:
            out.write(f"{text}\n\n")
    assert set(orders["SimLoop"]) == {" ".join(map(str, range(12)))}
