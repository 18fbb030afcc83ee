"""Deadlock and livelock end a run with who waits for what (SPEC L1)."""

import asyncio
import gc
import pickle
import re

import pytest

from sim.clock import Deadlock, Livelock, SimLoop


def line_of(text):
    with open(__file__) as source:
        return next(number for number, line in enumerate(source, start=1) if line.rstrip().endswith(f"# {text}"))


def place(text, function):
    return f"{__file__}:{line_of(text)} in {function}"


async def takes(queue):
    await queue.get()  # takes


async def nested(lock):
    async with lock:  # nested
        pass


async def awaits(awaitable):
    await awaitable  # awaits


def test_a_deadlock_lists_every_waiting_task_with_what_it_waits_for_and_where():
    async def main():
        loop = asyncio.get_running_loop()
        lock = asyncio.Lock()
        await lock.acquire()
        await asyncio.sleep(1.5)
        tasks = [
            asyncio.create_task(takes(asyncio.Queue()), name="taker"),
            asyncio.create_task(nested(lock), name="locked"),
        ]
        tasks.append(asyncio.create_task(awaits(tasks[0]), name="follower"))
        tasks.append(asyncio.create_task(awaits(loop.as_future(loop.env.event())), name="of SimPy"))
        tasks.append(asyncio.create_task(awaits(loop.as_future(loop.env.process(process(loop)))), name="of process"))
        tasks.append(asyncio.create_task(awaits(loop.create_future()), name="of future"))
        await asyncio.gather(*tasks)  # main

    def process(loop):
        yield loop.env.event()

    with asyncio.Runner(loop_factory=SimLoop) as runner, pytest.raises(Deadlock) as caught:
        runner.run(main())
    assert caught.value.t_ns == 1_500_000_000
    where = place("main", main.__qualname__)
    assert caught.value.waiting == (
        f"Task-1 waits for all of taker, locked, follower, of SimPy, of process, of future at {where}",
        f"taker waits for Queue.get (a future) at {place('takes', 'takes')}",
        f"locked waits for Lock.acquire (a future) at {place('nested', 'nested')}",
        f"follower waits for task taker at {place('awaits', 'awaits')}",
        f"of SimPy waits for SimPy event Event at {place('awaits', 'awaits')}",
        f"of process waits for SimPy process process at {place('awaits', 'awaits')}",
        f"of future waits for a future at {place('awaits', 'awaits')}",
    )
    assert str(caught.value).splitlines()[0] == "deadlock at 1.5 s: nothing is ready or scheduled, yet somebody waits"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_loop_that_nobody_can_stop_any_more_is_a_deadlock():
    loop = SimLoop()
    loop.call_later(1, print, "")
    with pytest.raises(Deadlock) as caught:
        loop.run_forever()
    assert (caught.value.t_ns, caught.value.waiting) == (1_000_000_000, ())
    loop.close()


def test_a_cancelled_timer_does_not_hide_a_deadlock():
    async def main():
        asyncio.get_running_loop().call_later(100, print).cancel()
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=SimLoop) as runner, pytest.raises(Deadlock) as caught:
        runner.run(main())
    assert caught.value.t_ns == 0


def test_after_a_deadlock_the_tasks_are_cancelled_and_the_loop_is_closed():
    log = []

    async def stuck():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(1)
            log.append(asyncio.get_running_loop().time())

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(stuck())
            group.create_task(stuck())

    with asyncio.Runner(loop_factory=SimLoop) as runner:
        loop = runner.get_loop()
        with pytest.raises(Deadlock):
            runner.run(main())
    assert (log, loop.is_closed()) == ([1, 1], True)
    gc.collect()


async def spins():
    while True:
        await asyncio.sleep(0)  # spins


def test_a_task_that_spins_is_a_livelock_and_is_named():
    async def main():
        spinning = asyncio.create_task(spins(), name="spinner")
        await asyncio.sleep(1)
        await spinning

    with asyncio.Runner(loop_factory=lambda: SimLoop(max_steps_per_instant=5_000)) as runner:
        with pytest.raises(Livelock) as caught:
            runner.run(main())
        loop = runner.get_loop()
    assert caught.value.t_ns == 0
    assert caught.value.busiest == (f"1001 x spinner at {place('spins', 'spins')}",)
    assert str(caught.value).splitlines()[0] == (
        "livelock at 0 s: 5000 steps without time passing (max_steps_per_instant)"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert loop.is_closed()


@pytest.mark.parametrize("source", ["callback", "timer", "process"])
def test_whatever_keeps_the_time_from_passing_is_a_livelock(source):
    loop = SimLoop(max_steps_per_instant=1_000)

    def again():
        loop.call_soon(again)

    def timer():
        loop.call_later(0, timer)

    def process():
        while True:
            yield loop.env.timeout(0)

    start = {
        "callback": lambda: loop.call_at(2, again),
        "timer": lambda: loop.call_at(2, timer),
        "process": lambda: loop.env.at_ns(2 * 10**9).callbacks.append(lambda _: loop.env.process(process())),
    }
    start[source]()
    with pytest.raises(Livelock) as caught:
        loop.run_forever()
    assert caught.value.t_ns == 2 * 10**9
    expected = {
        "callback": r"501 x .*again\(\)",
        "timer": r"501 x .*timer\(\)",
        "process": "501 x SimPy process process",
    }
    assert re.match(expected[source], caught.value.busiest[0])
    loop.close()


def test_as_many_steps_as_are_allowed_are_no_livelock():
    loop, log = SimLoop(max_steps_per_instant=1_000), []
    for t_s in (1, 2):
        loop.call_later(t_s, lambda: [loop.call_soon(log.append, n) for n in range(999)])
    loop.call_later(3, loop.stop)
    loop.run_forever()
    assert (len(log), loop.time()) == (2 * 999, 3)
    loop.call_later(1, lambda: [loop.call_soon(log.append, n) for n in range(1_000)])
    with pytest.raises(Livelock):
        loop.run_forever()
    assert (len(log), loop.time()) == (3 * 999, 4)
    loop.close()
