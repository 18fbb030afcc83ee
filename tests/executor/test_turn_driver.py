"""The standard driver of a turn: what it wakes on, how it ends, what it leaves (E13, W7)."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from executor import ToolContext, ToolSet, ToolUseBlock, Turn
from executor.wire.messages import STOPPED
from sim import clock

ENGINES = ["streaming", "batch", "serial"]


def test_the_driver_wakes_on_a_block_or_an_update_whichever_comes_first(shop) -> None:
    """E13: results go out while the response is silent, calls start while no result comes."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1)), (1.0, shop.block("b", takes=0.1)), (1.05, shop.block("c")), ends_s=3.0
    )
    assert played.started_ms == [(0, "a"), (1000, "b"), (1050, "c")]
    assert played.emitted_ms == [(100, "a"), (1100, "b"), (1100, "c")]
    assert played.all_rows[-1] == "3000 turn_ended completed"


def test_a_consumer_that_does_not_come_back_stops_no_block(shop) -> None:
    """E8, E13: blocks are taken in while the consumer is away."""

    async def away(message: Any) -> None:
        await asyncio.sleep(100)

    played = shop.play((0.0, shop.block("a")), (1.0, shop.block("b")), (2.0, shop.block("c")), consume=away)
    assert played.started_ms == [(0, "a"), (1000, "b"), (2000, "c")]
    assert [at for at, _ in played.taken] == [0, 100, 200]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_turn_that_ran_to_its_end_may_go_on_with_its_answer(shop, engine) -> None:
    """W7, B013."""
    played = shop.play(
        (0.0, shop.block("a", says="hi")), (0.0, shop.block("b", ends="error", says="no")), engine=engine
    )
    assert (played.turn.ended, played.turn.should_continue, played.turn.failure) == ("completed", True, None)
    assert played.turn.messages == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "Read", "input": {"says": "hi"}},
                {"type": "tool_use", "id": "b", "name": "Read", "input": {"ends": "error", "says": "no"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "hi"},
                {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": True},
            ],
        },
    ]


def test_each_result_names_the_call_and_the_message_it_answers(shop) -> None:
    """W7."""
    played = shop.play(
        (0.0, ToolUseBlock("a", "Read", {}, message_id="m1")), (0.0, ToolUseBlock("b", "Nope", {}, message_id="m1"))
    )
    assert [(result.call_id, result.message_id) for result in played.results.values()] == [("a", "m1"), ("b", "m1")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_response_without_calls_ends_at_once_and_there_is_nothing_to_ask_again(shop, engine) -> None:
    """W7, B011."""
    played = shop.play(ends_s=0.5, engine=engine)
    assert played.all_rows == ["0 response_started 0", "500 response_ended 0", "500 turn_ended completed"]
    assert (played.turn.messages, played.turn.should_continue) == ([], False)


def test_before_and_during_a_turn_nothing_says_it_may_go_on(shop) -> None:
    """W7."""

    async def main() -> list[Any]:
        turn = Turn(shop.tools)
        seen: list[Any] = [(turn.ended, turn.should_continue, turn.messages)]
        async for _ in turn.run(shop.response((0.0, shop.block("a")), (0.0, shop.block("b", takes=1)))):
            answered = [part["tool_use_id"] for part in turn.messages[1]["content"]]
            seen.append((turn.ended, turn.should_continue, answered))
        return seen

    assert clock.run(main()) == [(None, False, []), (None, False, ["a"]), (None, False, ["a", "b"])]


def test_a_turn_runs_once(shop) -> None:
    """E13."""

    async def main() -> None:
        turn = Turn(shop.tools)
        assert [update async for update in turn.run(shop.response())] == []
        with pytest.raises(RuntimeError, match="this turn has run already: make a new one for the next response"):
            await anext(turn.run(shop.response()))
        assert turn.ended == "completed"

    clock.run(main())


def test_two_drivers_cannot_run_one_turn_at_a_time(shop) -> None:
    """E13."""

    async def main() -> None:
        turn = Turn(shop.tools)
        async with aclosing(turn.run(shop.response((0.0, shop.block("a", says="hi"))))) as updates:
            first = await anext(updates)
            with pytest.raises(RuntimeError, match="has run already"):
                await anext(turn.run(shop.response()))
            assert first.result is not None
            assert [update async for update in updates] == []
        assert turn.ended == "completed"

    clock.run(main())


def test_the_context_goes_in_and_comes_out(shop) -> None:
    """C1, E13."""
    played = shop.play(
        (0.0, shop.block("a", shows="cwd", sets={"seen": 1})), context=ToolContext(cwd="/src"), engine="batch"
    )
    assert played.results["a"].content == "'/src'"
    assert dict(played.turn.context) == {"cwd": "/src", "seen": 1}


def test_a_turn_that_is_left_early_answers_every_call_in_its_closing_report(shop) -> None:
    """E10, E13, P1: the response is not read on."""
    read: list[float] = []

    async def response() -> AsyncIterator[ToolUseBlock]:
        loop = asyncio.get_running_loop()
        try:
            for call in "abc":
                yield shop.block(call, takes=0.1 if call == "a" else 9.0, at_signal="stops", says="half")
            await asyncio.sleep(60)
        finally:
            read.append(loop.time())

    async def main() -> Turn:
        turn = Turn(shop.tools)
        async with aclosing(turn.run(response())) as updates:
            async for _ in updates:
                break
        return turn

    turn = clock.run(main())
    assert read == [0.1]
    assert (turn.ended, turn.should_continue) == ("left", False)
    assert [(r.call_id, r.outcome.value) for r in turn.report.unclaimed] == [
        ("b", "user_interrupted"),
        ("c", "user_interrupted"),
    ]
    assert [part["tool_use_id"] for part in turn.messages[1]["content"]] == ["a", "b", "c"]


def test_a_turn_whose_consumer_raises_is_left(shop) -> None:
    """E10."""

    async def main() -> Turn:
        turn = Turn(shop.tools)

        async def consume() -> None:
            async with aclosing(turn.run(shop.response((0.0, shop.block("a")), ends_s=60))) as updates:
                async for _ in updates:
                    raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await consume()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert asyncio.get_running_loop().time() == 0
        return turn

    assert clock.run(main()).ended == "left"


def test_a_turn_whose_task_is_cancelled_is_left(shop) -> None:
    """E10."""

    async def main() -> Turn:
        turn = Turn(shop.tools)

        async def consume() -> None:
            async for _ in turn.run(shop.response((0.0, shop.block("a", takes=9.0)), ends_s=60)):
                pass

        task = asyncio.create_task(consume())
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(5)
        assert task.cancelled()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return turn

    turn = clock.run(main())
    assert turn.ended == "left"
    assert [part["tool_use_id"] for part in turn.messages[1]["content"]] == ["a"]


def test_a_stopped_turn_says_so_last_in_its_answer(shop) -> None:
    """W7, B083, A7."""
    played = shop.play((0.0, shop.block("a", takes=9.0, at_signal="stops")), acts=[(0.1, lambda turn: turn.stop())])
    assert played.turn.messages[1]["content"][-1] == {"type": "text", "text": STOPPED}
    assert (played.turn.ended, played.turn.should_continue) == ("stopped", False)


def test_an_iterator_that_is_no_generator_may_be_the_response(shop) -> None:
    """E13."""

    class Blocks:
        def __init__(self) -> None:
            self.left = ["a", "b"]

        def __aiter__(self) -> "Blocks":
            return self

        async def __anext__(self) -> ToolUseBlock:
            await asyncio.sleep(0.1)
            if not self.left:
                raise StopAsyncIteration
            return ToolUseBlock(self.left.pop(0), "Read", {})

    async def main() -> list[str]:
        return [update.message.call_id async for update in Turn(ToolSet(shop.tools)).run(Blocks())]

    assert clock.run(main()) == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"engine": "steam"}, "engine: expected one of streaming, batch, serial, got 'steam'"),
        ({"start": "never"}, "start: expected one of block, confirmed, message_stop, got 'never'"),
    ],
)
def test_an_engine_or_a_start_that_does_not_exist_is_refused_before_anything_runs(words, fault) -> None:
    """E13, W5."""
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        Turn(ToolSet([]), **words)
