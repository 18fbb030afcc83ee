"""`run` works from anywhere, also inside a running loop, and leaves nothing in either."""

import asyncio
import signal
import sys

import pytest

from sim.clock import Deadlock, Environment, SimLoop, run


async def simulated(delay_s=5):
    await asyncio.sleep(delay_s)
    return asyncio.get_running_loop().time(), asyncio.current_task().get_name()


def test_a_coroutine_runs_to_its_end():
    assert run(simulated()) == (5, "Task-1")
    assert run(simulated(), loop=SimLoop(Environment(10)), debug=True) == (15, "Task-1")


@pytest.mark.parametrize("factory", [None, SimLoop])
def test_inside_a_running_loop_the_outer_one_does_not_notice(factory):
    async def outer():
        loop, task, hooks = asyncio.get_running_loop(), asyncio.current_task(), sys.get_asyncgen_hooks()
        other = asyncio.create_task(asyncio.sleep(0, "other"))
        before = loop.time()
        result = run(simulated())
        assert asyncio.get_running_loop() is loop
        assert asyncio.current_task() is task
        assert sys.get_asyncgen_hooks() == hooks
        assert loop.time() - before < 5
        with pytest.raises(KeyError):
            run(failing())
        assert asyncio.current_task() is task
        async with asyncio.timeout(10):
            return result, await other

    async def failing():
        raise KeyError

    with asyncio.Runner(loop_factory=factory) as runner:
        assert runner.run(outer()) == ((5, "Task-1"), "other")


def test_inside_a_callback_of_a_running_loop_there_is_no_task_to_keep():
    async def outer():
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        loop.call_soon(lambda: done.set_result((run(simulated()), asyncio.current_task(loop))))
        return await done

    assert asyncio.run(outer()) == ((5, "Task-1"), None)


def test_leftovers_are_cancelled_in_the_order_of_their_birth_and_generators_closed():
    log = []

    async def numbers():
        try:
            yield 1
        finally:
            await asyncio.sleep(1)
            log.append("generator")

    async def leftover(name):
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(1)
            log.append((name, asyncio.get_running_loop().time()))

    async def main():
        global kept
        kept = numbers()
        await anext(kept)
        for name in range(100):
            task = asyncio.create_task(leftover(name))
        await asyncio.sleep(2)
        return task

    loop = SimLoop()
    assert run(main(), loop=loop).cancelled()
    assert log == [*((name, 3) for name in range(100)), "generator"]
    assert loop.is_closed()
    assert asyncio.all_tasks(loop) == set()


def test_a_leftover_that_fails_is_reported_and_one_that_will_not_end_is_a_deadlock():
    heard = []

    async def fails():
        try:
            await asyncio.sleep(9)
        finally:
            raise ValueError("leftover")

    async def stubborn():
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                heard.append("no")

    async def main(coroutine):
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: heard.append((context["message"], str(context["exception"])))
        )
        asyncio.create_task(coroutine)  # noqa: RUF006
        await asyncio.sleep(1)

    run(main(fails()))
    assert heard == [("unhandled exception during the end of run()", "leftover")]
    heard.clear()
    with pytest.raises(Deadlock):
        run(main(stubborn()))
    assert heard[0] == "no"


def test_an_interrupt_from_the_keyboard_ends_code_that_never_waits():
    went_on = []

    async def main():
        signal.raise_signal(signal.SIGINT)
        went_on.append("as if nothing had been")

    with pytest.raises(KeyboardInterrupt):
        run(main())
    assert went_on == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_somebody_elses_stays():
    met = []
    before = signal.signal(signal.SIGINT, lambda number, frame: met.append(number))
    try:

        async def main():
            signal.raise_signal(signal.SIGINT)
            return "went on"

        assert (run(main()), met) == ("went on", [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_from_the_keyboard_ends_a_run():
    async def main():
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(1)

    with pytest.raises(KeyboardInterrupt):
        run(main())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
