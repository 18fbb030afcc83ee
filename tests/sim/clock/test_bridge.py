"""Coroutines wait for SimPy events and SimPy processes for coroutines; nothing is left behind (B107, B115)."""

import asyncio
import contextlib
import json

import pytest
import simpy

from sim.clock import Environment


def test_a_coroutine_awaits_a_timeout_a_process_and_a_condition(loop):
    env = loop.env

    def process():
        yield env.timeout(2)
        return "process"

    async def main():
        log = [(await loop.as_future(env.timeout(1, value="timeout")), env.now)]
        log.append((await loop.as_future(env.process(process())), env.now))
        slow, quick = env.timeout(9, value="slow"), env.timeout(1, value="quick")
        log.append((list((await loop.as_future(slow | quick)).values()), env.now))
        return log, slow.callbacks

    assert loop.run_until_complete(main()) == ([("timeout", 1), ("process", 3), (["quick"], 4)], [])


def test_a_coroutine_awaits_an_event_that_has_happened_already(loop):
    async def main():
        event = loop.env.event().succeed("early")
        failed = loop.env.event().fail(KeyError("x"))
        failed.defused = True
        await asyncio.sleep(1)
        with pytest.raises(KeyError):
            await loop.as_future(failed)
        return await loop.as_future(event), loop.env.now

    assert loop.run_until_complete(main()) == ("early", 1)


def test_a_failed_event_raises_its_error_in_the_coroutine_and_spares_the_simulation(loop):
    """B107: three tools, two of them fail, each is caught by who awaits it."""
    env = loop.env
    errors = {"a": ValueError("a"), "b": json.JSONDecodeError("b", "{", 0), "c": None}

    def tool(name, delay_s):
        yield env.timeout(delay_s)
        if errors[name] is not None:
            raise errors[name]
        return name

    async def main():
        tools = [loop.as_future(env.process(tool(name, n))) for n, name in enumerate("abc", start=1)]
        return await asyncio.gather(*tools, return_exceptions=True), env.now

    assert loop.run_until_complete(main()) == ([errors["a"], errors["b"], "c"], 3)


def test_one_event_that_outlives_ten_thousand_waits_keeps_no_callback(loop):
    """B115: after each wait, at once, whether the wait was cancelled or lost a race."""
    env = loop.env
    interrupt = env.event()

    async def main():
        for _ in range(10_000):
            waiting = loop.as_future(interrupt)
            assert len(interrupt.callbacks) == 1
            await asyncio.sleep(0.001)
            waiting.cancel()
            assert interrupt.callbacks == []
        task = asyncio.create_task(waits(interrupt))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        return interrupt.callbacks, waiting.cancel()

    async def waits(event):
        await loop.as_future(event)

    assert loop.run_until_complete(main()) == ([], False)


def test_a_request_that_lost_its_race_takes_nothing_from_the_next(loop):
    """B114: neither an item of a store nor a place in a resource; one that a process waits for too stays."""
    env = loop.env
    store, resource = simpy.Store(env), simpy.Resource(env)
    shared, got = store.get(), []

    def process():
        got.append((yield shared))

    async def main():
        for request in (store.get(), resource.request(), resource.request(), shared):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(loop.as_future(request), 1)
        waiting = asyncio.create_task(waits(store.get()))
        for item in ("first", "second"):
            await loop.as_future(store.put(item))
        return await waiting, resource.count, len(resource.queue), len(store.get_queue)

    async def waits(event):
        return await loop.as_future(event)

    env.process(process())
    assert (loop.run_until_complete(main()), got) == (("second", 1, 0, 0), ["first"])


def test_a_wait_can_be_cancelled_after_its_event_has_failed(loop):
    async def main():
        event = loop.env.event()
        future = loop.as_future(event)
        event.fail(KeyError("x"))
        task = asyncio.ensure_future(future)
        await asyncio.sleep(1)
        return task.cancel(), type(future.exception())

    assert loop.run_until_complete(main()) == (False, KeyError)


def test_an_event_of_another_environment_is_refused(loop):
    with pytest.raises(ValueError, match=r"belongs to another environment .* create it from loop\.env"):
        loop.as_future(Environment().timeout(1))


def test_a_process_yields_coroutines_tasks_and_futures(loop):
    env, log = loop.env, []

    async def work(delay_s):
        await asyncio.sleep(delay_s)
        return delay_s

    def process(future):
        log.append(((yield loop.as_event(work(1))), env.now))
        log.append(((yield loop.as_event(loop.create_task(work(2)))), env.now))
        both = yield loop.as_event(work(3)) & loop.as_event(future)
        log.append((sorted(both.values()), env.now))
        return "done"

    future = loop.create_future()
    loop.call_later(5, future.set_result, 5)
    ended = loop.as_future(env.process(process(future)))
    assert loop.run_until_complete(ended) == "done"
    assert log == [(1, 1), (2, 3), ([3, 5], 6)]


def test_the_error_of_a_coroutine_is_raised_in_the_process(loop):
    """Also one that SimPy could not rebuild from its arguments."""

    async def fails(error):
        await asyncio.sleep(1)
        raise error

    def process():
        heard = []
        for error in (KeyError("x"), json.JSONDecodeError("broken", "{", 0), asyncio.CancelledError()):
            try:
                yield loop.as_event(fails(error))
            except BaseException as caught:
                heard.append((type(caught), str(caught), loop.env.now))
        return heard

    assert loop.run_until_complete(loop.as_future(loop.env.process(process()))) == [
        (KeyError, "'x'", 1),
        (RuntimeError, "JSONDecodeError: broken: line 1 column 1 (char 0)", 2),
        (asyncio.CancelledError, "", 3),
    ]


def test_an_error_that_no_process_waits_for_goes_to_the_exception_handler(loop):
    """B107: the process was interrupted; the simulation goes on."""
    heard = []
    loop.set_exception_handler(lambda loop, context: heard.append((context["message"], str(context["exception"]))))

    async def fails():
        await asyncio.sleep(2)
        raise ValueError("late")

    def alone():
        try:
            yield loop.as_event(fails())
        except simpy.Interrupt:
            return

    process = loop.env.process(alone())
    loop.call_later(1, loop.env.interrupt, process)
    loop.run_until_complete(asyncio.sleep(3))
    assert heard == [("a coroutine failed and no SimPy process waits for it", "late")]
