"""Programs whose timers never tie log the same on stock asyncio and on SimLoop, to the entry.

Stock asyncio is its own selector loop, unchanged but for a selector that moves a clock instead of waiting: real
durations would make 500 programs slow and, on a busy machine, make ties of what is none. Its tasks are numbered by a
task factory, because `TaskGroup` cancels in the order of a set: by address, stock asyncio differs from itself.
"""

import asyncio
import contextlib
import selectors
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.clock import SimLoop


class JumpingSelector(selectors.SelectSelector):
    """Takes no time to wait: it puts its clock forward."""

    now_s = 0.0

    def select(self, timeout=None):
        assert timeout is not None, "the program waits for ever"
        self.now_s += timeout
        return []


class NumberedTask(asyncio.Task):
    """A task that hashes to its number in its loop."""

    def __init__(self, coro, *, loop, **kwargs):
        self.number = next(loop.task_numbers)
        super().__init__(coro, loop=loop, **kwargs)

    def __hash__(self):
        return self.number


class StockLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop on the clock of its selector."""

    def __init__(self):
        super().__init__(JumpingSelector())
        self.task_numbers = count(1)
        self.set_task_factory(lambda loop, coro, **kwargs: NumberedTask(coro, loop=loop, **kwargs))

    def time(self):
        return self._selector.now_s


KEYS = st.integers(0, 3)
DURATIONS = st.integers(0, 5)
STEPS = st.one_of(
    st.tuples(st.just("sleep"), DURATIONS),
    st.tuples(st.sampled_from(["cancel", "join", "set", "wait", "put", "get"]), KEYS),
    st.tuples(st.just("later"), DURATIONS),
    st.sampled_from([("yield",), ("fail",)]),
)


def longer_steps(steps):
    body = st.lists(steps, max_size=3)
    bodies = st.lists(body, min_size=1, max_size=4)
    return st.one_of(
        st.tuples(st.just("spawn"), KEYS, body),
        st.tuples(st.sampled_from(["timeout", "wait_for", "first"]), DURATIONS, body),
        st.tuples(st.sampled_from(["lock", "caught", "shielded", "cleaned", "generated"]), body),
        st.tuples(st.sampled_from(["group", "gather", "completed"]), bodies),
    )


PROGRAMS = st.lists(st.recursive(STEPS, longer_steps, max_leaves=12), min_size=1, max_size=8)


class Player:
    """Plays a program, noting each step with its instant."""

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.log = []
        self.tasks = {}
        self.events = [asyncio.Event() for _ in range(4)]
        self.queues = [asyncio.Queue(maxsize=1) for _ in range(4)]
        self.locked = asyncio.Lock()
        self.bits = count(2)

    def note(self, *what):
        self.log.append((round(self.loop.time() * 1e9), *what))

    def duration_s(self, long):
        """Return a duration with a bit of its own, so that no two ends of durations fall on one instant."""
        bit = next(self.bits)
        assert bit < 60
        return long * 1000 + 2**bit / 1e9

    async def play(self, name, program):
        for number, (kind, *arguments) in enumerate(program):
            step = f"{name}.{number}"
            self.note(step, kind)
            try:
                await getattr(self, f"do_{kind}")(step, *arguments)
            except BaseException as error:
                self.note(step, type(error).__name__)
                raise
        return name

    def parts(self, step, bodies):
        return [self.play(f"{step}{letter}", body) for letter, body in zip("abcd", bodies, strict=False)]

    async def do_sleep(self, step, long):
        await asyncio.sleep(self.duration_s(long))

    async def do_yield(self, step):
        await asyncio.sleep(0)

    async def do_fail(self, step):
        raise ValueError(step)

    async def do_later(self, step, long):
        self.loop.call_later(self.duration_s(long), self.note, step, "later")

    async def do_spawn(self, step, key, body):
        self.tasks[key] = asyncio.create_task(self.play(step, body))

    async def do_cancel(self, step, key):
        if key in self.tasks:
            self.note(step, self.tasks[key].cancel())

    async def do_join(self, step, key):
        if key in self.tasks:
            await self.tasks[key]

    async def do_set(self, step, key):
        self.events[key].set()

    async def do_wait(self, step, key):
        await self.events[key].wait()

    async def do_put(self, step, key):
        await self.queues[key].put(step)

    async def do_get(self, step, key):
        self.note(step, await self.queues[key].get())

    async def do_lock(self, step, body):
        async with self.locked:
            await self.play(step, body)

    async def do_caught(self, step, body):
        with contextlib.suppress(Exception):
            await self.play(step, body)

    async def do_cleaned(self, step, body):
        try:
            await self.play(step, body)
        finally:
            await asyncio.sleep(self.duration_s(0))
            self.note(step, "cleaned")

    async def do_shielded(self, step, body):
        await asyncio.shield(self.play(step, body))

    async def do_generated(self, step, body):
        async def generator():
            try:
                yield await self.play(step, body)
                await asyncio.sleep(self.duration_s(1))
                yield "second"
            finally:
                self.note(step, "closed")

        async with contextlib.aclosing(generator()) as items:
            async for item in items:
                self.note(step, item)

    async def do_timeout(self, step, long, body):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.duration_s(long)):
                await self.play(step, body)

    async def do_wait_for(self, step, long, body):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.play(step, body), self.duration_s(long))

    async def do_first(self, step, long, body):
        sleep = asyncio.create_task(asyncio.sleep(self.duration_s(long)))
        other = asyncio.create_task(self.play(step, body))
        done, _ = await asyncio.wait([sleep, other], return_when=asyncio.FIRST_COMPLETED)
        self.note(step, [task is sleep for task in done])

    async def do_group(self, step, bodies):
        async with asyncio.TaskGroup() as group:
            for part in self.parts(step, bodies):
                group.create_task(part)

    async def do_gather(self, step, bodies):
        self.note(step, await asyncio.gather(*self.parts(step, bodies)))

    async def do_completed(self, step, bodies):
        for first in asyncio.as_completed([asyncio.create_task(part) for part in self.parts(step, bodies)]):
            self.note(step, await first)


def log_of(program, factory):
    players = []

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        players.append(Player())
        try:
            async with asyncio.timeout(10**6):
                await players[0].play("", program)
        finally:
            # Oldest first: Runner would cancel them in the order of a set that all loops share.
            left = sorted(asyncio.all_tasks() - {asyncio.current_task()}, key=hash)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            runner.run(main())
        except BaseException as error:
            players[0].note("ended", type(error).__name__)
    return players[0].log


@settings(max_examples=max(500, settings.default.max_examples))
@given(PROGRAMS)
def test_a_program_without_ties_logs_the_same_on_both_loops(program):
    assert log_of(program, SimLoop) == log_of(program, StockLoop)


def test_equal_sleeps_wake_first_come_as_on_stock_asyncio():
    """Stock asyncio runs in real time here: on a clock that stands still its heap keeps no order of ties."""

    async def main():
        woken = []

        async def sleeper(name):
            await asyncio.sleep(0.01)
            woken.append(name)

        await asyncio.gather(*map(sleeper, range(100)))
        return woken

    assert asyncio.run(main()) == list(range(100))
    with asyncio.Runner(loop_factory=SimLoop) as runner:
        assert runner.run(main()) == list(range(100))
