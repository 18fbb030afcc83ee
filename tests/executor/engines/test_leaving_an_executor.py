"""Whoever leaves an executor leaves nothing behind (E10, B073, B074, B076)."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from executor import (
    AbortController,
    Background,
    CallHandle,
    Options,
    StreamingToolExecutor,
    ToolSet,
    ToolUseBlock,
    Turn,
    make_executor,
    tool,
)
from sim import clock
from sim.clock import SimLoop

ENGINES = ["streaming", "batch", "serial"]


def nothing_left(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine and require that it leaves no task and no timer on the loop."""

    async def watched() -> Any:
        value = await main()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        loop = asyncio.get_running_loop()
        if isinstance(loop, SimLoop):
            timers = [entry for entry in loop.env._queue if entry[3].callbacks is not None]
        else:
            timers = [timer for timer in loop._scheduled if not timer.cancelled()]
        assert timers == []
        return value

    return clock.run(watched())


@pytest.fixture
def busy(shop) -> list[ToolUseBlock]:
    """Calls of every kind: running, running and obedient, queued, unknown."""
    return [
        shop.block("a", takes=9.0),
        shop.block("b", takes=9.0, at_signal="stops"),
        shop.block("c", "Edit", takes=1.0),
        shop.block("d", "Nope"),
    ]


CLOSING = [("a", "user_interrupted"), ("b", "user_interrupted"), ("c", "user_interrupted"), ("d", "unknown_tool")]


def closing_of(executor: Any) -> list[tuple[str, str]]:
    return [(result.call_id, result.outcome.value) for result in executor.report.unclaimed]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_normal_exit_stops_what_is_open_and_lists_it(shop, busy, engine) -> None:
    """E10, P1."""

    async def main() -> None:
        async with make_executor(engine, shop.tools, options=Options(grace_s=0.5)) as executor:
            for block in busy:
                executor.add(block)
            await asyncio.sleep(0.1)
        assert asyncio.get_running_loop().time() == (0.6 if engine == "streaming" else 0.1)
        assert closing_of(executor) == CLOSING
        assert executor.in_progress == ()
        assert list(executor.completed_results()) == []
        assert [update async for update in executor.updates()] == []

    nothing_left(main)


def test_an_exception_in_the_body_of_the_with_passes_on_and_leaves_nothing(shop, busy) -> None:
    """E10."""

    made: list[StreamingToolExecutor] = []

    async def own() -> None:
        async with StreamingToolExecutor(shop.tools, options=Options(grace_s=0.5)) as executor:
            made.append(executor)
            for block in busy:
                executor.add(block)
            await asyncio.sleep(0.1)
            raise ZeroDivisionError

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await own()
        assert closing_of(made[0]) == CLOSING

    nothing_left(main)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("at_s", [0.0, 0.1])
def test_the_cancellation_of_its_task_passes_on_and_does_not_wait_for_the_grace(shop, busy, engine, at_s) -> None:
    """E10, B073: whoever is cancelled hurries."""

    async def main() -> None:
        made: list[Any] = []

        async def own() -> None:
            async with make_executor(engine, shop.tools, options=Options(grace_s=50)) as executor:
                made.append(executor)
                for block in busy:
                    executor.add(block)
                async for _ in executor.remaining_results():
                    pass

        owner = asyncio.create_task(own())
        await asyncio.sleep(at_s)
        owner.cancel()
        await asyncio.sleep(0.1)
        owner.cancel()
        await asyncio.wait([owner])
        assert owner.cancelled()
        assert asyncio.get_running_loop().time() <= at_s + 0.1
        if made:
            assert [call for call, _ in closing_of(made[0])] == list("abcd")

    nothing_left(main)


@pytest.mark.parametrize(
    ("cancelled_s", "over_s"), [((0.1, 0.2), 1.2), ((0.1, 0.2, 0.7), 1.2), ((0.1, 1.5), 2.1)], ids=str
)
def test_a_further_cancellation_cuts_the_grace_short_but_not_a_stubborn_body_s_second_chance(
    shop, cancelled_s: tuple[float, ...], over_s: float
) -> None:
    """E10, A9: the owner waits until the body is abandoned, no longer; nor does that begin anew."""

    async def main() -> None:
        made: list[StreamingToolExecutor] = []

        async def own() -> None:
            async with StreamingToolExecutor(shop.tools, options=Options(grace_s=1.0)) as executor:
                made.append(executor)
                executor.add(shop.block("a", takes=4.0, at_signal="swallows"))
                await asyncio.sleep(99)

        owner = asyncio.create_task(own())
        for at_s in cancelled_s:
            asyncio.get_running_loop().call_at(at_s, owner.cancel)
        await asyncio.wait([owner])
        assert asyncio.get_running_loop().time() == over_s
        assert owner.cancelled()
        assert made[0].report.abandoned == ("a",)
        await asyncio.sleep(5)

    nothing_left(main)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_consumer_that_stops_iterating_leaves_nothing(shop, engine) -> None:
    """E10: here with the turn's driver; what was not taken is in the closing report and in the messages."""

    async def main() -> None:
        turn = Turn(shop.tools, engine=engine, options=Options(grace_s=0.5))
        blocks = shop.response(
            (0.0, shop.block("a", takes=0.1)),
            (0.0, shop.block("b", takes=9.0)),
            (0.05, shop.block("c", "Edit")),
            ends_s=60,
        )
        async with aclosing(turn.run(blocks)) as updates:
            if engine == "streaming":
                assert (await anext(updates)).message.call_id == "a"
            else:
                waiting = asyncio.ensure_future(anext(updates))
                await asyncio.sleep(0.2)
                waiting.cancel()
                await asyncio.wait([waiting])
        assert turn.ended == "left"
        assert asyncio.get_running_loop().time() == (0.6 if engine == "streaming" else 0.2)
        answered = [part["tool_use_id"] for part in turn.messages[-1]["content"]]
        assert answered == ["a", "b", "c"]
        assert not turn.should_continue

    nothing_left(main)


def test_a_finished_turn_leaves_nothing_either(shop) -> None:
    """E10: no timer of a call that was signalled and ended within its grace."""

    async def main() -> None:
        turn = Turn(shop.tools, options=Options(grace_s=100))
        asyncio.get_running_loop().call_later(0.1, turn.stop)
        blocks = shop.response(*((0.0, shop.block(call, takes=9.0, at_signal="stops")) for call in "abc"))
        async for _ in turn.run(blocks):
            pass
        assert asyncio.get_running_loop().time() == 0.1

    nothing_left(main)


def test_leaving_twice_is_no_harm(shop) -> None:
    """E10."""

    async def main() -> None:
        executor = StreamingToolExecutor(shop.tools)
        async with executor:
            executor.add(shop.block("a"))
        async with executor:
            pass
        assert closing_of(executor) == [("a", "user_interrupted")]

    nothing_left(main)


def test_a_block_that_comes_after_the_executor_was_left_never_runs(shop) -> None:
    """E1, E10."""

    async def main() -> None:
        async with StreamingToolExecutor(shop.tools) as executor:
            pass
        executor.add(shop.block("a"))
        assert executor.in_progress == ()
        assert closing_of(executor) == [("a", "user_interrupted")]

    nothing_left(main)


def test_an_executor_that_is_left_counts_the_changes_of_its_ok_calls(shop) -> None:
    """C3: the turn's end is a barrier, also when its consumer leaves."""

    async def main() -> None:
        turn = Turn(shop.tools)
        blocks = shop.response((0.0, shop.block("a", sets={"a": 1})), (0.0, shop.block("b", takes=9.0)), ends_s=60)
        async with aclosing(turn.run(blocks)) as updates:
            await anext(updates)
        assert (turn.ended, dict(turn.context)) == ("left", {"a": 1})

    nothing_left(main)


def test_running_bodies_survive_a_garbage_collection(shop) -> None:
    """E10, B076: the executor keeps every task it starts."""

    @tool(concurrency_safe=True)
    async def lonely() -> str:
        await asyncio.get_running_loop().as_future(wakes.pop())
        return "woken"

    wakes: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        wakes.extend(loop.env.timeout(0.5) for _ in range(3))
        async with StreamingToolExecutor(ToolSet([lonely])) as executor:
            for call in "abc":
                executor.add(ToolUseBlock(call, "lonely", {}))
            for _ in range(3):
                await asyncio.sleep(0.1)
                gc.collect()
            assert [update.result.content async for update in executor.remaining_results()] == ["woken"] * 3

    nothing_left(main)


def test_an_abandoned_body_is_kept_until_it_ends_even_if_its_executor_is_gone(shop) -> None:
    """A9, B076."""
    ended: list[str] = []
    waits_for: list[weakref.ref[asyncio.Future[None]]] = []

    @tool
    async def stubborn() -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.create_future()
        except asyncio.CancelledError:
            only_mine = loop.create_future()
            waits_for.append(weakref.ref(only_mine))
            await only_mine
        ended.append("ended")

    async def main() -> None:
        async def leave() -> None:
            async with StreamingToolExecutor(ToolSet([stubborn]), options=Options(grace_s=0.1)) as executor:
                executor.add(ToolUseBlock("a", "stubborn", {}))
                await asyncio.sleep(0.1)

        await leave()
        await asyncio.sleep(1)
        gc.collect()
        future = waits_for[0]()
        assert future is not None, "the body was collected in mid-run"
        future.set_result(None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert ended == ["ended"]

    nothing_left(main)


def test_a_finished_executor_is_not_kept_alive_by_its_turn(shop) -> None:
    """A1, E10: a session has one abort controller after the other, and many executors."""

    async def main() -> None:
        turn = AbortController()

        async def once() -> weakref.ref[StreamingToolExecutor]:
            async with StreamingToolExecutor(shop.tools, abort=turn) as executor:
                executor.add(shop.block("a"))
                async for _ in executor.remaining_results():
                    pass
            return weakref.ref(executor)

        gone = await once()
        gc.collect()
        assert gone() is None
        assert turn.child_count == turn.signal.listener_count == 0

    nothing_left(main)


def test_discarding_from_two_places_and_leaving_meanwhile_ends_for_all(shop) -> None:
    """A8, E10, L1: each waits until nothing runs, and none is forgotten."""

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        ended: list[float] = []

        async def discard(executor: StreamingToolExecutor) -> None:
            await executor.discard()
            ended.append(loop.time())

        async with StreamingToolExecutor(shop.tools, options=Options(grace_s=0.5)) as executor:
            executor.add(shop.block("a", takes=9.0))
            await asyncio.sleep(0.1)
            discards = [asyncio.create_task(discard(executor)) for _ in range(2)]
            await asyncio.sleep(0.1)
        await asyncio.gather(*discards)
        return ended

    assert nothing_left(main) == [0.6, 0.6]


@pytest.mark.parametrize("of_its_own", [True, False])
def test_work_that_is_handed_over_while_the_executor_is_left_is_over_too(shop, of_its_own: bool) -> None:
    """X8: whether the tool started it as a task of its own or leaves that to the executor."""

    @tool(name="Bash")
    async def handing_over(call: CallHandle) -> Background:
        try:
            await asyncio.sleep(9.0)
        except asyncio.CancelledError:
            work = asyncio.sleep(9.0)
            return Background("handle", asyncio.ensure_future(work) if of_its_own else work)
        return Background("never", asyncio.sleep(0))

    async def main() -> None:
        async with StreamingToolExecutor(ToolSet([handing_over]), options=Options(grace_s=0.1)) as executor:
            executor.add(shop.block("a", "Bash"))
            await asyncio.sleep(0.1)
        assert closing_of(executor) == [("a", "ok")]
        assert executor.report.background == ("a",)

    nothing_left(main)
