"""Garbage is collected at fixed steps of a simulation, whatever the process did before (D1)."""

import asyncio
import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from sim import clock
from sim.clock.collecting import EVERY

PROGRAM = """
import asyncio, gc, sys, weakref
from sim import clock
gc.set_threshold(int(sys.argv[1]))
ballast = [[n] for n in range(int(sys.argv[2]))]

class Ring:
    pass

async def main():
    died = []
    for n in range(2_000):
        ring = Ring()
        ring.itself = ring
        end = weakref.finalize(ring, lambda n=n: died.append((n, asyncio.get_running_loop().time())))
        end.atexit = False
        del ring
        await asyncio.sleep(0.001)
    return list(died)

died = clock.run(main())
print(len(died) > 1_000, died)
"""


@pytest.fixture
def collector() -> Iterator[None]:
    """Give the process back with its collector as it was."""
    was_on, thresholds = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    (gc.enable if was_on else gc.disable)()


def test_finalizers_run_at_the_same_instants_whatever_the_process_did_before() -> None:
    """D1: rings of garbage die at instants that neither thresholds nor other objects move."""
    seen = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, threshold, ballast], capture_output=True, text=True, check=True
        ).stdout
        for threshold, ballast in (("700", "0"), ("50", "12345"), ("100000", "777"))
    }
    assert len(seen) == 1
    assert seen.pop().startswith("True ")


def test_garbage_dies_every_so_many_instants_and_not_in_between(collector: None) -> None:
    gc.set_threshold(1)
    died: list[float] = []

    async def main() -> None:
        mine = type("Ring", (), {})()
        mine.itself = mine
        weakref.finalize(mine, lambda: died.append(asyncio.get_running_loop().time()))
        del mine
        for _ in range(2 * EVERY):
            await asyncio.sleep(1)

    clock.run(main())
    assert died == [float(EVERY)]


@pytest.mark.parametrize("on", [True, False])
def test_the_process_has_its_collector_back_afterwards(collector: None, on: bool) -> None:
    (gc.enable if on else gc.disable)()
    clock.run(asyncio.sleep(1))
    assert gc.isenabled() is on


def test_a_process_that_switched_its_collector_off_has_nothing_collected(collector: None) -> None:
    gc.disable()
    died: list[None] = []

    async def main() -> None:
        mine = type("Ring", (), {})()
        mine.itself = mine
        weakref.finalize(mine, died.append, None)
        del mine
        for _ in range(2 * EVERY):
            await asyncio.sleep(1)
        assert died == []

    clock.run(main())
    gc.collect()
