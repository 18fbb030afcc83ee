"""Ordinary asyncio code on the loop, at exact instants."""

import asyncio
import contextvars
import math

from sim.clock import SimLoop


def run(main, loop=None):
    with asyncio.Runner(loop_factory=lambda: loop or SimLoop()) as runner:
        return runner.run(main)


def now():
    return asyncio.get_running_loop().time()


def test_structured_concurrency_locks_and_queues_work_at_exact_instants():
    async def main():
        log = []
        queue, lock, semaphore = asyncio.Queue(maxsize=2), asyncio.Lock(), asyncio.Semaphore(2)
        barrier, condition, event = asyncio.Barrier(3), asyncio.Condition(), asyncio.Event()

        async def producer():
            for item in range(4):
                await asyncio.sleep(1)
                await queue.put(item)
            await queue.join()
            log.append(("joined", now()))

        async def consumer():
            for _ in range(4):
                item = await queue.get()
                async with lock:
                    await asyncio.sleep(1.5)
                log.append(("got", item, now()))
                queue.task_done()

        async def meet(delay_s):
            async with semaphore:
                await asyncio.sleep(delay_s)
            await barrier.wait()
            async with condition:
                log.append(("met", now()))
                condition.notify_all()
            event.set()

        async with asyncio.TaskGroup() as group:
            group.create_task(producer())
            group.create_task(consumer())
            for delay_s in (1, 2, 4):
                group.create_task(meet(delay_s))
            async with condition:
                await condition.wait()
            await event.wait()
            log.append(("woken", now()))
        return log

    assert run(main()) == [
        ("got", 0, 2.5),
        ("got", 1, 4.0),
        ("met", 5),
        ("met", 5),
        ("met", 5),
        ("woken", 5),
        ("got", 2, 5.5),
        ("got", 3, 7.0),
        ("joined", 7.0),
    ]


def test_gather_wait_as_completed_shield_and_wait_for_work_at_exact_instants():
    async def main():
        async def after(delay_s):
            await asyncio.sleep(delay_s)
            return delay_s

        log = [(await asyncio.gather(after(0.3), after(0.1)), now())]
        done, pending = await asyncio.wait(
            [asyncio.create_task(after(delay_s)) for delay_s in (1, 2)], return_when=asyncio.FIRST_COMPLETED
        )
        log.append(([task.result() for task in done], len(pending), now()))
        log.append(([await first for first in asyncio.as_completed([after(3), after(1), after(2)])], now()))
        inner = asyncio.create_task(after(2))
        try:
            await asyncio.wait_for(asyncio.shield(inner), 0.5)
        except TimeoutError:
            log.append(("timeout", now(), await inner, now()))
        return log

    assert run(main()) == [([0.3, 0.1], 0.3), ([1], 1, 1.3), ([1, 2, 3], 4.3), ("timeout", 4.8, 2, 6.3)]


def test_a_task_group_cancels_the_siblings_of_a_failure_at_its_instant():
    async def main():
        log = []

        async def sibling():
            try:
                await asyncio.sleep(100)
            finally:
                log.append(("cancelled", now()))

        async def failing():
            await asyncio.sleep(2)
            raise ValueError

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(sibling())
                group.create_task(failing())
        except* ValueError:
            log.append(("failed", now()))
        return log, asyncio.get_running_loop().env.peek()

    assert run(main()) == ([("cancelled", 2), ("failed", 2)], math.inf)


def test_context_variables_follow_tasks_callbacks_and_timers():
    variable = contextvars.ContextVar("variable")

    async def main():
        loop, log = asyncio.get_running_loop(), []

        async def child(value):
            variable.set(value)
            await asyncio.sleep(1)
            loop.call_later(1, lambda: log.append(variable.get()))
            loop.call_soon(lambda: log.append(variable.get()))
            await asyncio.sleep(2)

        variable.set("outer")
        await asyncio.gather(child("a"), child("b"))
        own = contextvars.Context()
        own.run(variable.set, "own")
        loop.call_later(1, lambda: log.append(variable.get()), context=own)
        await asyncio.sleep(2)
        return [*log, variable.get()]

    assert run(main()) == ["a", "b", "a", "b", "own", "outer"]


def test_tasks_are_named_and_numbered_per_loop():
    async def main():
        tasks = [asyncio.create_task(asyncio.sleep(0)) for _ in range(2)]
        tasks.append(asyncio.create_task(asyncio.sleep(0), name="mine"))
        await asyncio.wait(tasks)
        return [task.get_name() for task in (asyncio.current_task(), *tasks)], [hash(task) for task in tasks]

    for _ in range(2):
        assert run(main()) == (["Task-1", "Task-2", "Task-3", "mine"], [2, 3, 4])


def test_cancelled_timeouts_leave_the_schedule():
    """B114, B115: 20,000 of them, and the run ends at the last meaningful event."""

    async def main():
        env = asyncio.get_running_loop().env
        for _ in range(20_000):
            async with asyncio.timeout(1000):
                await asyncio.sleep(0.001)
            assert len(env._queue) <= 2 * 64 + 3
        return now(), env.peek()

    assert run(main()) == (20, math.inf)


def test_a_timer_cancelled_twice_or_late_does_no_harm():
    async def main():
        loop, log = asyncio.get_running_loop(), []
        early, late = loop.call_later(1, log.append, "early"), loop.call_later(1, log.append, "late")
        early.cancel()
        early.cancel()
        await asyncio.sleep(2)
        late.cancel()
        return log, early.cancelled(), late.cancelled(), early.when(), early.env is loop.env, repr(early)

    assert run(main()) == (["late"], True, True, 1, True, "<Timer cancelled when=1.0>")
