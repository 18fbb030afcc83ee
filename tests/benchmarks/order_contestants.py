"""A TaskGroup of twelve that is cancelled, on one contestant's loop: `python order_contestants.py NAME`.

Prints in which order the twelve were cancelled, under seed 0 and a heap that is laid out by chance; exits with 3 when
the contestant is not there, saying why. Each is used as its own documentation or source says. No times here.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Coroutine
from typing import Any

Main = Callable[[], Coroutine[Any, Any, None]]


# Drawn before the run, because some contestants make chance itself repeatable. Between two tasks the heap grows by one.
CHANCE = random.SystemRandom()
BALLASTS = [[CHANCE.randrange(2_000) for _ in range(CHANCE.randrange(2_000))] for _ in range(12)]


async def cancelled(order: list[int]) -> None:
    async def child(number: int) -> None:
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            order.append(number)
            raise

    kept = []
    try:
        async with asyncio.TaskGroup() as group:
            for number, sizes in enumerate(BALLASTS):
                group.create_task(child(number))
                kept.append([bytearray(size) for size in sizes])
            await asyncio.sleep(0.01)
            raise KeyError
    except* KeyError:
        pass


def sim_loop(main: Main) -> None:
    from sim.clock import run

    run(main())


def stock(main: Main) -> None:
    asyncio.run(main())


def simloom(main: Main) -> None:
    import simloom

    simloom.run(main, seed=0)


def simloop(main: Main) -> None:
    import simloop

    loop = simloop.SimLoop(seed=0)
    loop.run_until_complete(main())


def seedloop(main: Main) -> None:
    import seedloop

    seedloop.replay(lambda world: main(), seed=0)


def detangle(main: Main) -> None:
    import detangle

    result = detangle.execute(main, config=detangle.SimConfig(reorder=False))
    if result.failure is not None:
        raise RuntimeError(result.failure)


CONTESTANTS: dict[str, Callable[[Main], None]] = {
    "SimLoop": sim_loop,
    "stock asyncio": stock,
    "simloom": simloom,
    "simloop": simloop,
    "seedloop": seedloop,
    "detangle": detangle,
}


def main(name: str) -> None:
    order: list[int] = []
    try:
        CONTESTANTS[name](lambda: cancelled(order))
    except ImportError as error:
        print(error)
        raise SystemExit(3) from None
    print(*order)


if __name__ == "__main__":
    main(sys.argv[1])
