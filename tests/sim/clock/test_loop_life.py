"""The life of a loop: generators, stop and close, errors, debug mode, task factories."""

import asyncio
import contextvars
import functools
import gc
import logging
import sys

import pytest

from sim.clock import Instant, SimLoop


def run(main, loop=None):
    with asyncio.Runner(loop_factory=lambda: loop or SimLoop()) as runner:
        return runner.run(main)


def now():
    return asyncio.get_running_loop().time()


def test_async_generators_are_closed_in_the_order_of_their_beginning():
    async def main(log):
        async def numbers(name):
            try:
                while True:
                    yield name
            finally:
                await asyncio.sleep(1)
                log.append((name, now()))

        generators = [numbers(name) for name in range(40)]
        for generator in generators[::-1]:
            await anext(generator)
        finished = numbers("finished")
        await anext(finished)
        await finished.aclose()
        return generators

    log = []
    kept = run(main(log))
    assert log == [("finished", 1), *((name, 2) for name in reversed(range(40)))]
    assert len(kept) == 40


def test_a_dropped_async_generator_is_closed_by_a_task():
    async def main():
        log = []

        async def numbers():
            try:
                yield 1
            finally:
                log.append(now())

        async for _ in numbers():
            break
        gc.collect()
        await asyncio.sleep(1)
        return log

    assert run(main()) == [0]


def test_an_error_while_a_generator_is_closed_reaches_the_exception_handler(loop):
    heard = []
    loop.set_exception_handler(lambda loop, context: heard.append((context["message"][:45], context["exception"])))
    error = ValueError()

    async def numbers():
        try:
            yield 1
        finally:
            raise error

    async def begin(generator):
        await anext(generator)

    generator = numbers()
    loop.run_until_complete(begin(generator))
    loop.run_until_complete(loop.shutdown_asyncgens())
    assert heard == [("an error occurred during closing of asynchron", error)]


def test_a_generator_that_begins_after_the_shutdown_is_warned_of(loop):
    async def numbers():
        yield 1

    async def main():
        await loop.shutdown_asyncgens()
        with pytest.warns(ResourceWarning, match=r"after loop.shutdown_asyncgens\(\) call"):
            return [n async for n in numbers()]

    assert loop.run_until_complete(main()) == [1]


def test_stop_lets_what_is_ready_run_and_keeps_the_rest(loop):
    log = []

    def first():
        loop.stop()
        loop.call_soon(log.append, "next run")

    loop.call_soon(first)
    loop.call_soon(log.append, "this run")
    loop.run_forever()
    assert log == ["this run"]
    assert not loop.is_running()
    loop.stop()
    loop.run_forever()
    assert log == ["this run", "next run"]
    with pytest.raises(RuntimeError, match="stopped before Future completed"):
        loop.run_until_complete(stopping(loop))


async def stopping(loop):
    loop.stop()
    await asyncio.sleep(1)


def test_a_loop_refuses_to_run_twice_at_once_or_when_closed(loop):
    other = SimLoop()

    async def main():
        for runner in (loop, other):
            with pytest.raises(RuntimeError, match=r"already running|while another loop is running"):
                runner.run_forever()
        with pytest.raises(RuntimeError, match="Cannot close a running event loop"):
            loop.close()
        assert "running=True closed=False" in repr(loop)

    loop.run_until_complete(main())
    loop.close()
    other.close()
    assert loop.is_closed()
    coroutine = asyncio.sleep(0)
    for call in (
        loop.run_forever,
        functools.partial(loop.call_soon, print),
        functools.partial(loop.call_later, 1, print),
        functools.partial(loop.call_at, 1, print),
        functools.partial(loop.call_soon_threadsafe, print),
        functools.partial(loop.create_task, coroutine),
    ):
        with pytest.raises(RuntimeError, match="Event loop is closed"):
            call()
    coroutine.close()


def test_errors_of_callbacks_reach_the_exception_handler_and_the_loop_goes_on(loop, caplog):
    heard = []

    async def main():
        loop.call_soon(int, "x")
        loop.call_later(1, int, "y")
        await asyncio.sleep(2)

    with caplog.at_level(logging.ERROR, "asyncio"):
        loop.run_until_complete(main())
    assert [record.message.splitlines()[0][:25] for record in caplog.records] == [
        "Exception in callback int",
        "Exception in callback int",
    ]
    loop.set_exception_handler(lambda loop, context: heard.append(str(context["exception"])))
    assert callable(loop.get_exception_handler())
    loop.run_until_complete(main())
    assert heard == [f"invalid literal for int() with base 10: '{text}'" for text in "xy"]
    with pytest.raises(TypeError, match="callable object or None is expected"):
        loop.set_exception_handler(3)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_of_the_program_leaves_the_loop_at_once(loop, error):
    """X4: from a callback, a timer and a task."""

    async def main():
        raise error

    def hit():
        raise error

    loop.call_soon(hit)
    with pytest.raises(error):
        loop.run_forever()
    loop.call_later(1, hit)
    with pytest.raises(error):
        loop.run_forever()
    with pytest.raises(error):
        loop.run_until_complete(main())
    assert not loop.is_running()


def test_debug_mode_checks_calls_and_keeps_their_origin(loop, caplog):
    loop.set_debug(True)
    assert loop.get_debug() is True

    async def main():
        assert sys.get_coroutine_origin_tracking_depth() > 0
        coroutine = asyncio.sleep(0)
        for wrong in (coroutine, asyncio.sleep, 3):
            with pytest.raises(TypeError, match=r"coroutines cannot be used|a callable object was expected"):
                loop.call_soon(wrong)
            with pytest.raises(TypeError, match=r"coroutines cannot be used|a callable object was expected"):
                loop.call_later(1, wrong)
        coroutine.close()
        assert "test_loop_life.py" in repr(loop.call_soon(print, ""))
        loop.call_later(1, int, "x")
        await asyncio.sleep(2)

    loop.run_until_complete(main())
    assert "Object created at" in caplog.text
    assert __file__ in caplog.text
    assert sys.get_coroutine_origin_tracking_depth() == 0


def test_calls_without_a_time_are_refused(loop):
    with pytest.raises(TypeError, match="delay must not be None"):
        loop.call_later(None, print)
    with pytest.raises(TypeError, match="when cannot be None"):
        loop.call_at(None, print)


def test_the_time_is_an_instant_of_the_environment(loop):
    assert isinstance(loop.time(), Instant)
    assert loop.time() is loop.time()
    loop.run_until_complete(asyncio.sleep(0.25))
    assert (repr(loop.time()), loop.env.now) == ("0.25", 0.25)


def test_a_task_factory_makes_the_tasks(loop):
    made = []

    def factory(loop, coro, **kwargs):
        made.append(sorted(kwargs))
        return asyncio.Task(coro, loop=loop, **kwargs)

    async def main():
        context = contextvars.copy_context()
        return (await asyncio.gather(loop.create_task(noop(), name="named", context=context))), noop_names

    noop_names = []

    async def noop():
        noop_names.append(asyncio.current_task().get_name())

    loop.set_task_factory(factory)
    assert loop.get_task_factory() is factory
    loop.run_until_complete(main())
    assert (made, noop_names) == ([[], ["context"]], ["named"])
    loop.set_task_factory(None)
    assert loop.get_task_factory() is None
    with pytest.raises(TypeError, match="task factory must be a callable or None"):
        loop.set_task_factory(3)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with Python 3.12")
def test_eager_tasks_run_at_once_and_are_numbered(loop):
    loop.set_task_factory(asyncio.eager_task_factory)
    assert loop.get_task_factory() is asyncio.eager_task_factory

    async def main():
        log = []

        async def child(n):
            log.append(n)
            await asyncio.sleep(n)
            log.append(n)

        tasks = [asyncio.create_task(child(n)) for n in (2, 1)]
        log.append("created")
        await asyncio.wait(tasks)
        return log, [hash(task) for task in tasks], [task.get_name() for task in tasks]

    assert loop.run_until_complete(main()) == ([2, 1, "created", 1, 2], [2, 3], ["Task-2", "Task-3"])


def test_a_failed_simpy_event_that_nobody_awaits_comes_out_of_the_run(loop):
    """B107: SimPy's own rule holds where no coroutine and no process takes the error."""

    def process():
        yield loop.env.timeout(1)
        raise KeyError("lost")

    loop.env.process(process())
    with pytest.raises(KeyError, match="lost"):
        loop.run_until_complete(asyncio.sleep(2))
    assert loop.time() == 1
    assert not loop.is_running()


def test_a_timer_stepped_from_outside_waits_for_the_loop(loop):
    log = []
    loop.call_later(1, log.append, "ran")
    loop.env.run()
    assert (log, loop.time()) == ([], 1)
    loop.stop()
    loop.run_forever()
    assert log == ["ran"]
