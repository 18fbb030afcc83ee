"""What would reach the real world is refused by name, with the way to model it (B110)."""

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sim.clock import SimLoop, SimulationEscape

OUTSIDE = ("sock_", "create_", "connect_", "subprocess_", "add_", "remove_", "getaddrinfo", "getnameinfo", "sendfile")
NAMES = [name for name in vars(asyncio.AbstractEventLoop) if name.startswith((*OUTSIDE, "start_tls"))]
REFUSED = sorted({*NAMES, "run_in_executor", "set_default_executor"} - {"create_task", "create_future"})


@pytest.mark.parametrize("name", REFUSED)
def test_each_call_that_reaches_outside_is_refused_by_name(loop, name):
    with pytest.raises(SimulationEscape, match=rf"^loop\.{name} reaches outside the simulation: \w"):
        getattr(loop, name)(None, None)


def test_every_call_of_an_event_loop_is_either_answered_or_refused():
    assert len(REFUSED) == 31
    unanswered = [name for name, call in vars(asyncio.AbstractEventLoop).items() if getattr(SimLoop, name) is call]
    assert [name for name in unanswered if not name.startswith("_")] == []


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: asyncio.to_thread(print), "run_in_executor"),
        (lambda: asyncio.open_connection("localhost", 1), "create_connection"),
        (lambda: asyncio.start_server(print, "localhost", 1), "create_server"),
        (lambda: asyncio.create_subprocess_exec("true"), "subprocess_exec"),
        (lambda: asyncio.create_subprocess_shell("true"), "subprocess_shell"),
    ],
)
def test_asyncios_own_ways_out_are_refused(loop, call, named):
    async def main():
        await call()

    with pytest.raises(SimulationEscape, match=named):
        loop.run_until_complete(main())


def test_a_signal_handler_is_refused_with_the_modelled_alternative(loop):
    with pytest.raises(SimulationEscape, match=r"loop\.env\.at_ns\(t_ns, rank=Rank\.STOP\)"):
        loop.add_signal_handler(signal.SIGUSR1, print)


def test_another_thread_may_not_call_in(loop):
    heard, running = [], threading.Event()

    def outside():
        running.wait()
        try:
            loop.call_soon_threadsafe(heard.append, "never")
        except SimulationEscape as error:
            heard.append(str(error))

    async def main():
        loop.call_soon_threadsafe(heard.append, "own thread")
        running.set()
        thread.join()
        await asyncio.sleep(1)

    thread = threading.Thread(target=outside)
    thread.start()
    loop.call_soon_threadsafe(heard.append, "before the run")
    loop.run_until_complete(main())
    assert heard == [
        "before the run",
        "loop.call_soon_threadsafe from another thread reaches outside the simulation: "
        "threads run in real time, model a duration",
        "own thread",
    ]


def test_a_thread_that_the_program_starts_by_itself_is_refused_and_one_of_somebody_else_is_not(loop):
    """Pools and anyio ask no call of the loop for their threads."""
    start = threading.Thread.start

    def elsewhere():
        running.wait()
        thread = threading.Thread(target=heard.append, args=["elsewhere"])
        thread.start()
        thread.join()

    async def main():
        running.set()
        other.join()
        with ThreadPoolExecutor() as pool:
            await asyncio.wait_for(asyncio.wrap_future(pool.submit(heard.append, "never")), timeout=5)

    heard, running = [], threading.Event()
    other = threading.Thread(target=elsewhere)
    other.start()
    with pytest.raises(SimulationEscape, match=r"^threading\.Thread\.start reaches outside .* asyncio\.sleep\(2\.5\)$"):
        loop.run_until_complete(main())
    assert (heard, threading.Thread.start) == (["elsewhere"], start)


def test_a_worker_thread_of_anyio_is_refused(loop):
    to_thread = pytest.importorskip("anyio.to_thread", reason="the dev extra brings anyio")

    async def main():
        async with asyncio.timeout(5):
            await to_thread.run_sync(threading.get_ident)

    with pytest.raises(SimulationEscape, match=r"^threading\.Thread\.start"):
        loop.run_until_complete(main())


def test_an_inline_executor_calls_the_function_on_the_spot():
    async def main():
        thread = await asyncio.to_thread(threading.get_ident)
        with pytest.raises(ZeroDivisionError):
            await asyncio.get_running_loop().run_in_executor(None, divmod, 1, 0)
        return thread, asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=lambda: SimLoop(inline_executor=True)) as runner:
        assert runner.run(main()) == (threading.get_ident(), 0)
