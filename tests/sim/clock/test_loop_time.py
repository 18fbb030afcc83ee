"""The loop's time: exact instants (B108, B109, B111, B112), and the order of one instant (SPEC A11)."""

import asyncio
import math
import time

import pytest

from sim.clock import Deadlock, Environment, Rank, SimLoop


def run(main, loop=None):
    with asyncio.Runner(loop_factory=lambda: loop or SimLoop()) as runner:
        return runner.run(main)


def now():
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("start_s", [0, 1_709_591_365, 17_280_000, 2**53])
def test_a_sleep_is_exact_at_any_start(start_s):
    """B109."""

    async def main():
        loop = asyncio.get_running_loop()
        await asyncio.sleep(1)
        for _ in range(3):
            await asyncio.sleep(0.1)
        async with asyncio.timeout(0.3):
            await asyncio.sleep(0.2)
        await asyncio.sleep(1e-9)
        return loop.time().ns, loop.env.now_ns

    start_ns = start_s * 10**9
    assert run(main(), SimLoop(Environment(start_s))) == (start_ns + 1_500_000_001,) * 2


def test_call_at_with_the_loops_time_is_exact_late_in_time():
    """B108, B109: a float clock gives 299,999,743 ns."""

    async def main():
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        timer = loop.call_at(loop.time() + 0.3, done.set_result, None)
        await done
        assert timer.when() == loop.time()
        return loop.env.now_ns

    assert run(main(), SimLoop(Environment(1_700_000_000))) == 1_700_000_000_300_000_000


def test_time_stands_while_anything_is_ready():
    """B111: however many rounds it takes."""

    async def main():
        async with asyncio.timeout(9):
            for _ in range(1000):
                await asyncio.sleep(0)
            before = now()
            await asyncio.sleep(1)
        return before, now()

    assert run(main()) == (0, 1)


def test_a_timer_in_the_past_runs_now():
    """B112."""

    async def main():
        loop, log = asyncio.get_running_loop(), []
        await asyncio.sleep(5)
        loop.call_at(loop.time() - 5, lambda: log.append(("at", loop.time())))
        loop.call_later(-5, lambda: log.append(("later", loop.time())))
        await asyncio.sleep(1)
        return log

    assert run(main()) == [("at", 5), ("later", 5)]


def test_an_infinite_sleep_never_ends_and_can_be_cancelled():
    async def main():
        timer = asyncio.get_running_loop().call_later(math.inf, print)
        assert timer.when() == math.inf
        timer.cancel()
        async with asyncio.timeout(3):
            await asyncio.sleep(math.inf)

    with pytest.raises(TimeoutError):
        run(main())
    with pytest.raises(Deadlock):
        run(asyncio.sleep(math.inf))


def test_no_real_time_passes():
    start_s = time.perf_counter()
    run(asyncio.sleep(1e6))
    assert time.perf_counter() - start_s < 5


def test_a_frozen_wall_clock_changes_nothing(monkeypatch):
    """B116."""
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    monkeypatch.setattr(time, "time", lambda: 0.0)

    async def main():
        await asyncio.sleep(2)
        return now()

    assert run(main()) == 2


def test_all_consequences_of_one_event_run_before_the_next_of_the_same_instant():
    """A11: a chain of tasks, futures and callbacks set off by one event from outside ends before the next begins."""

    async def main():
        loop, log = asyncio.get_running_loop(), []

        async def chain(name, event):
            await loop.as_future(event)
            for step in range(3):
                log.append(f"{name}{step}")
                await asyncio.sleep(0)
            await asyncio.create_task(asyncio.sleep(0))
            loop.call_soon(log.append, f"{name}!")

        async with asyncio.TaskGroup() as group:
            for rank in reversed(Rank):
                for n in "12":
                    event = loop.env.at_ns(1_000, rank=rank)
                    group.create_task(chain(rank.name + n, event))
            await asyncio.sleep(1e-6)
            log.append("timer")
        return log

    expected = []
    for rank in Rank:
        expected += [f"{rank.name}{n}{step}" for n in "12" for step in "012!"]
        expected += ["timer"] * (rank is Rank.DEADLINE)
    assert run(main()) == expected


def test_two_timers_of_one_instant_are_taken_one_by_one():
    """A11: the first deadline's consequences withdraw the second."""

    async def main():
        deadline = now() + 1
        try:
            async with asyncio.timeout_at(deadline) as outer, asyncio.timeout_at(deadline) as inner:
                await asyncio.sleep(10)
        except TimeoutError:
            return outer.expired(), inner.expired(), now()

    assert run(main()) == (True, False, 1)


def test_what_an_end_sets_off_at_its_own_instant_precedes_the_next_arrival():
    """A11: a new SimPy event of rank NORMAL at the same instant is a consequence."""

    async def main():
        loop, log = asyncio.get_running_loop(), []

        async def body():
            await loop.as_future(loop.env.at_ns(5))
            log.append("first")
            await loop.as_future(loop.env.timeout_ns(0))
            log.append("second")

        async def arrival():
            await loop.as_future(loop.env.at_ns(5, rank=Rank.ARRIVAL))
            log.append("arrival")

        await asyncio.gather(arrival(), body())
        return log

    assert run(main()) == ["first", "second", "arrival"]


def test_ready_callbacks_run_first_in_first_out():
    async def main():
        loop, log = asyncio.get_running_loop(), []
        for n in range(50):
            loop.call_soon(log.append, n)
        loop.call_soon(log.append, "cancelled").cancel()
        await asyncio.sleep(0)
        return log

    assert run(main()) == list(range(50))
