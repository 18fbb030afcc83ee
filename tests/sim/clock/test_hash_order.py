"""What asyncio keeps in sets has one order in every process (SPEC D1): any hash seed, any layout of memory."""

import asyncio
import os
import pathlib
import subprocess
import sys

from sim.clock.futures import Future

PROGRAM = """
import asyncio, random, sys
ballast = [bytearray(random.randrange(10_000)) for _ in range(random.randrange(2_000))]
from sim.clock import run

async def child(log, name):
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        log.append(name)
        raise

async def quick(n):
    return n

async def main():
    log, loop = [], asyncio.get_running_loop()
    tasks = [asyncio.create_task(child(log, n)) for n in range(60)]
    kept = [object() for _ in range(random.randrange(2_000))]
    done, pending = await asyncio.wait(tasks)
    log.append([task.get_name() for task in done])
    futures = []
    for n in range(60):
        kept += [loop.create_future() for _ in range(random.randrange(9))]
        futures.append(loop.create_future() if n % 2 else asyncio.gather(loop.create_future()))
    places = {future: place for place, future in enumerate(futures)}
    log.append([places[future] for future in set(futures)])
    for future in futures:
        loop.call_later(1, future.cancel)
    done, pending = await asyncio.wait(futures)
    log.append([places[future] for future in done])
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(60):
                group.create_task(child(log, n))
            await asyncio.sleep(0.5)
            raise KeyError
    except* KeyError:
        pass
    log.append([await first for first in asyncio.as_completed(map(asyncio.create_task, map(quick, range(60))))])
    for n in range(60):
        asyncio.create_task(child(log, n))
    await asyncio.sleep(0.5)
    return log

print(run(main()))
"""


def test_asyncios_sets_have_one_order_in_every_process():
    root = pathlib.Path(__file__).parents[3]
    outputs = set()
    for seed in range(12):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("Task-") == 60


def test_only_the_future_that_a_sleep_keeps_to_itself_is_asyncios_own(loop):
    """D1: every future that a program can get hold of hashes to its number."""

    async def main():
        sleeping = asyncio.create_task(asyncio.sleep(1))
        getting = asyncio.create_task(asyncio.Queue().get())
        await asyncio.sleep(0.5)
        kinds = [type(task._fut_waiter) for task in (sleeping, getting)]
        getting.cancel()
        await asyncio.wait([sleeping, getting])
        return kinds, [hash(loop.create_future()) for _ in range(3)]

    assert loop.run_until_complete(main()) == ([asyncio.Future, Future], [1, 2, 3])
