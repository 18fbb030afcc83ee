"""Giving an attempt up: nothing goes out, nothing starts, what runs is stopped and awaited (A8)."""

import asyncio
from typing import Any

import pytest

from executor import BatchToolExecutor, Discarded, Effect, Options, Recorder, StreamingToolExecutor
from executor.events import Kind
from sim import clock


def test_a_discard_withdraws_what_was_taken_and_tells_what_may_have_happened(shop) -> None:
    """A8, B066: finished or stopped; only calls that can have changed something, and whose body had begun."""

    async def main() -> tuple[float, Discarded, list[str]]:
        recorder = Recorder()
        async with StreamingToolExecutor(shop.tools, announce=recorder, options=Options(grace_s=0.5)) as executor:
            executor.add(shop.block("a", "Edit", takes=0.1))
            executor.add(shop.block("b", takes=0.1))
            executor.add(shop.block("c", "Edit", takes=0.1))
            executor.add(shop.block("d", "Edit", takes=9.0))
            executor.add(shop.block("e", "Edit"))
            await asyncio.sleep(0.15)
            assert [update.result.call_id for update in executor.completed_results()] == ["a"]
            await asyncio.sleep(0.25)
            told = await executor.discard()
            ended_s = asyncio.get_running_loop().time()
        outside = [event for event in recorder.events if event.kind not in (Kind.BLOCK, Kind.QUEUED, Kind.ADMITTED)]
        return ended_s, told, [shop.words(event) for event in outside if event.t_ns >= 400_000_000]

    ended_s, told, rows = clock.run(main())
    assert ended_s == 0.9
    effects = (Effect("a", "Edit", "finished"), Effect("c", "Edit", "finished"), Effect("d", "Edit", "stopped"))
    assert told == Discarded(("a",), effects)
    assert rows == [
        "400 discard 0",
        "400 signalled d streaming_fallback",
        "400 completed e streaming_fallback",
        "900 left d cancelled",
        "900 completed d streaming_fallback",
    ]


@pytest.mark.parametrize("make", [StreamingToolExecutor, BatchToolExecutor])
def test_after_a_discard_nothing_is_emitted_or_started_and_the_consumer_is_let_go(shop, make) -> None:
    """A8, F6: also of what was finished and waited for its turn, and of blocks that still come."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        recorder = Recorder()
        async with make(shop.tools, announce=recorder) as executor:
            executor.add(shop.block("a", takes=0.5, at_signal="finishes", reports=[0.4]))
            executor.add(shop.block("b", takes=0.1))
            consumer = asyncio.create_task(collect(executor))
            await asyncio.sleep(0.2)
            discarding = asyncio.create_task(executor.discard())
            await asyncio.sleep(0)
            executor.add(shop.block("c"))
            assert await consumer == []
            assert loop.time() == 0.2
            await discarding
            assert list(executor.completed_results()) == []
            executor.add(shop.block("d"))
        assert executor.report.unclaimed == ()
        kinds = {(event.kind, event.call) for event in recorder.events if event.t_ns >= 200_000_000}
        assert not {kind for kind, _ in kinds} & {Kind.ENTERED, Kind.EMITTED, Kind.PROGRESSED, Kind.ADMITTED}

    async def collect(executor: Any) -> list[str]:
        return [update.message.call_id async for update in executor.updates()]

    clock.run(main())


def test_a_call_that_returns_normally_after_the_discard_has_happened(shop) -> None:
    """A6, A8."""

    async def main() -> Discarded:
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", "Edit", takes=9.0, at_signal="finishes"))
            await asyncio.sleep(0.1)
            return await executor.discard()

    assert clock.run(main()) == Discarded((), (Effect("a", "Edit", "finished"),))


def test_a_discard_waits_for_a_stubborn_body_no_longer_than_twice_the_grace(shop) -> None:
    """A8, A9."""

    async def main() -> tuple[float, tuple[str, ...], Discarded]:
        async with StreamingToolExecutor(shop.tools, options=Options(grace_s=0.5)) as executor:
            executor.add(shop.block("a", "Edit", takes=9.0, at_signal="swallows"))
            await asyncio.sleep(0.1)
            told = await executor.discard()
        return asyncio.get_running_loop().time(), executor.report.abandoned, told

    assert clock.run(main()) == (1.1, ("a",), Discarded((), (Effect("a", "Edit", "stopped"),)))


def test_a_cascading_error_after_the_discard_names_nobody(shop) -> None:
    """A5: the fallback is above the sibling error, and the culprit is told as nothing but an ended call."""

    async def main() -> list[tuple[str | None, str]]:
        recorder = Recorder()
        options = Options(cascade="any")
        async with StreamingToolExecutor(shop.tools, announce=recorder, options=options) as executor:
            executor.add(shop.block("a", "Bash", command="ls", takes=0.2, ends="error", at_signal="swallows"))
            executor.add(shop.block("b", takes=9.0))
            await asyncio.sleep(0.1)
            await executor.discard()
        return [(e.call, e.detail["outcome"]) for e in recorder.events if e.kind is Kind.COMPLETED]

    assert clock.run(main()) == [("a", "error"), ("b", "streaming_fallback")]


def test_a_cancelled_discard_hurries_and_still_leaves_nothing_running(shop) -> None:
    """A8, E10."""

    async def main() -> float:
        async with StreamingToolExecutor(shop.tools, options=Options(grace_s=50)) as executor:
            executor.add(shop.block("a", takes=99.0))
            await asyncio.sleep(0.1)
            discarding = asyncio.create_task(executor.discard())
            await asyncio.sleep(0.1)
            discarding.cancel()
            await asyncio.wait([discarding])
            assert discarding.cancelled()
            assert executor.in_progress == ()
        return asyncio.get_running_loop().time()

    assert clock.run(main()) == 0.2
