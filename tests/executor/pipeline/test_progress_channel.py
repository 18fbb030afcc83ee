"""The push-to-pull channel and each of its promises (X3)."""

import asyncio

import pytest

from executor.pipeline.channel import Channel
from sim import clock


async def drained(channel: Channel[int]) -> list[int]:
    return [item async for item in channel]


def test_items_pushed_before_anybody_reads_are_kept_in_order() -> None:
    """X3."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        assert [channel.push(n) for n in range(5)] == [True] * 5
        channel.close()
        return await drained(channel)

    assert clock.run(main()) == [0, 1, 2, 3, 4]


def test_an_item_is_handed_straight_to_a_reader_that_waits() -> None:
    """X3: it never lies in the queue, and the reader has it at the same instant."""

    async def main() -> list[tuple[float, int]]:
        loop = asyncio.get_running_loop()
        channel: Channel[int] = Channel()

        async def read() -> list[tuple[float, int]]:
            return [(loop.time(), item) async for item in channel]

        reader = asyncio.create_task(read())
        await asyncio.sleep(1)
        channel.push(7)
        assert not channel.has_items
        channel.push(8)
        assert channel.has_items
        await asyncio.sleep(1)
        channel.push(9)
        channel.close()
        return await reader

    assert clock.run(main()) == [(1, 7), (1, 8), (2, 9)]


def test_items_after_the_end_are_dropped_and_the_writer_is_told() -> None:
    """X3."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        channel.push(1)
        channel.close()
        assert channel.push(2) is False
        return await drained(channel)

    assert clock.run(main()) == [1]


def test_an_error_reaches_the_reader_after_the_items_before_it() -> None:
    """X3."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        channel.push(1)
        channel.push(2)
        channel.close(OSError("gone"))
        items = aiter(channel)
        got = [await anext(items), await anext(items)]
        with pytest.raises(OSError, match="gone"):
            await anext(items)
        return got

    assert clock.run(main()) == [1, 2]


@pytest.mark.parametrize("error", [None, OSError("gone")])
def test_a_reader_that_waits_is_told_of_the_end(error: OSError | None) -> None:
    """X3: it does not wait for ever, and hears of the error."""

    async def main() -> object:
        channel: Channel[int] = Channel()
        reader = asyncio.create_task(drained(channel))
        await asyncio.sleep(1)
        channel.close(error)
        return (await asyncio.gather(reader, return_exceptions=True))[0]

    assert clock.run(main()) == (error or [])


def test_the_first_end_counts() -> None:
    """X3: a second one changes nothing, an error after the end reaches nobody."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        channel.close()
        channel.close(OSError("late"))
        return await drained(channel)

    assert clock.run(main()) == []


def test_a_channel_is_iterated_once() -> None:
    """X3: iterating it twice is an error, even when it is over."""

    async def main() -> None:
        channel: Channel[int] = Channel()
        channel.close()
        assert await drained(channel) == []
        with pytest.raises(RuntimeError, match="iterated already"):
            await drained(channel)

    clock.run(main())


def test_a_reader_that_cannot_wait_takes_the_oldest_or_nothing() -> None:
    """X3."""
    channel: Channel[int] = Channel()
    assert channel.take_nowait() is None
    channel.push(1)
    channel.push(2)
    assert (channel.take_nowait(), channel.take_nowait(), channel.take_nowait()) == (1, 2, None)
    channel.push(0)
    assert channel.take_nowait() == 0


def test_a_reader_that_gave_up_waiting_takes_nothing_with_it() -> None:
    """X3: what is pushed afterwards is kept."""

    async def main() -> int | None:
        channel: Channel[int] = Channel()
        reader = asyncio.create_task(drained(channel))
        await asyncio.sleep(1)
        reader.cancel()
        await asyncio.wait([reader])
        assert channel.push(1) is True
        return channel.take_nowait()

    assert clock.run(main()) == 1


def test_many_items_pass_through_a_slow_reader_in_order() -> None:
    """X3."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()

        async def write() -> None:
            for n in range(200):
                channel.push(n)
                await asyncio.sleep(0.001 * (n % 3))
            channel.close()

        writer = asyncio.create_task(write())
        got = []
        async for item in channel:
            got.append(item)
            await asyncio.sleep(0.002 * (item % 2))
        await writer
        return got

    assert clock.run(main()) == list(range(200))
