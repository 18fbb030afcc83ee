"""One contestant of the clock's benchmark, in its own process: `python clock_contestants.py NAME TASKS STEPS [SCALE]`.

Prints the seconds that TASKS tasks of STEPS sleeps of varied length took (of none with SCALE 0), or exits with 3 when
the contestant is not there, saying why. Each is used as its own documentation or source says. Unit: seconds of
processor time.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from itertools import count
from typing import Any

import simpy

SCALE = 1.0


def delay_s(task: int, step: int) -> float:
    return ((task * 7 + step * 13) % 97 + 1) / 1000 * SCALE


async def workload(tasks: int, steps: int) -> None:
    async def sleeper(task: int) -> None:
        for step in range(steps):
            await asyncio.sleep(delay_s(task, step))

    await asyncio.gather(*map(sleeper, range(tasks)))


def on_loop(loop: asyncio.AbstractEventLoop, tasks: int, steps: int) -> None:
    try:
        loop.run_until_complete(workload(tasks, steps))
    finally:
        loop.close()


def sim_loop(tasks: int, steps: int) -> None:
    from sim.clock import SimLoop

    on_loop(SimLoop(max_steps_per_instant=10 * tasks * steps), tasks, steps)


class StockLoop(asyncio.AbstractEventLoop):
    """The least that runs asyncio on virtual time: a deque, a heap, asyncio's own futures, tasks and handles."""

    def __init__(self) -> None:
        self._now = 0.0
        self._ready: deque[Any] = deque()
        self._heap: list[Any] = []
        self._count = count()

    def get_debug(self) -> bool:
        return False

    def time(self) -> float:
        return self._now

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **kwargs: Any) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=self, **kwargs)

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._heap, (when, next(self._count), handle))
        return handle

    def _timer_handle_cancelled(self, handle: Any) -> None:
        pass

    def run_until_complete(self, main: Any) -> Any:
        ready, heap = self._ready, self._heap
        asyncio._set_running_loop(self)
        try:
            task = self.create_task(main)
            while not task.done():
                while ready:
                    handle = ready.popleft()
                    if not handle._cancelled:
                        handle._run()
                if heap:
                    self._now, _, handle = heapq.heappop(heap)
                    ready.append(handle)
            return task.result()
        finally:
            asyncio._set_running_loop(None)

    def close(self) -> None:
        pass


class LeanHandle:
    __slots__ = ("args", "callback", "cancelled", "context")

    def __init__(self, callback: Any, args: Any, context: Any) -> None:
        self.callback = callback
        self.args = args
        self.context = copy_context() if context is None else context
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class LeanLoop(StockLoop):
    """The same with the leanest handles there can be: the floor."""

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = LeanHandle(callback, args, context)
        self._ready.append(handle)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = LeanHandle(callback, args, context)
        heapq.heappush(self._heap, (self._now + delay, next(self._count), handle))
        return handle

    def run_until_complete(self, main: Any) -> Any:
        ready, heap = self._ready, self._heap
        asyncio._set_running_loop(self)
        try:
            task = self.create_task(main)
            while not task.done():
                while ready:
                    handle = ready.popleft()
                    if not handle.cancelled:
                        handle.context.run(handle.callback, *handle.args)
                if heap:
                    self._now, _, handle = heapq.heappop(heap)
                    ready.append(handle)
            return task.result()
        finally:
            asyncio._set_running_loop(None)


def bare_stock(tasks: int, steps: int) -> None:
    on_loop(StockLoop(), tasks, steps)


def bare_lean(tasks: int, steps: int) -> None:
    on_loop(LeanLoop(), tasks, steps)


def bare_simpy(tasks: int, steps: int) -> None:
    env = simpy.Environment()

    def sleeper(task: int) -> Any:
        for step in range(steps):
            yield env.timeout(delay_s(task, step))

    for task in range(tasks):
        env.process(sleeper(task))
    env.run()


def looptime(tasks: int, steps: int) -> None:
    import looptime

    on_loop(looptime.new_event_loop(), tasks, steps)


def trio(tasks: int, steps: int) -> None:
    import trio
    import trio.testing

    async def sleeper(task: int) -> None:
        for step in range(steps):
            await trio.sleep(delay_s(task, step))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for task in range(tasks):
                nursery.start_soon(sleeper, task)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def aiotools(tasks: int, steps: int) -> None:
    import aiotools

    async def main() -> None:
        with aiotools.VirtualClock().patch_loop():
            await workload(tasks, steps)

    asyncio.run(main())


def asyncio_time_travel(tasks: int, steps: int) -> None:
    from asyncio_time_travel import TimeTravelLoop

    on_loop(TimeTravelLoop(), tasks, steps)


def seedloop(tasks: int, steps: int) -> None:
    import seedloop

    seedloop.replay(lambda world: workload(tasks, steps), seed=0)


def async_solipsism(tasks: int, steps: int) -> None:
    import async_solipsism

    on_loop(async_solipsism.EventLoop(), tasks, steps)


def detangle(tasks: int, steps: int) -> None:
    import detangle

    # Without reordering, and with room for all the steps: its defaults search schedules and stop at 200,000.
    config = detangle.SimConfig(reorder=False, max_steps=10 * tasks * steps)
    result = detangle.execute(workload, (tasks, steps), config=config)
    if result.failure is not None:
        raise RuntimeError(result.failure)


CONTESTANTS: dict[str, Callable[[int, int], None]] = {
    "SimLoop": sim_loop,
    "bare loop, lean handles": bare_lean,
    "bare loop, asyncio's handles": bare_stock,
    "seedloop": seedloop,
    "asyncio-time-travel": asyncio_time_travel,
    "async-solipsism": async_solipsism,
    "looptime": looptime,
    "aiotools VirtualClock": aiotools,
    "trio MockClock": trio,
    "detangle": detangle,
    "bare SimPy timeouts": bare_simpy,
}


def main(name: str, tasks: str, steps: str, scale: str = "1") -> None:
    global SCALE
    SCALE = float(scale)
    contestant = CONTESTANTS[name]
    try:
        contestant(10, 10)
    except ImportError as error:
        print(error)
        raise SystemExit(3) from None
    start = time.process_time()
    contestant(int(tasks), int(steps))
    print(time.process_time() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
