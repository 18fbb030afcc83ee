"""What a turn tells of itself: before it runs, while it does, and of what went wrong (E10, E13, A7, A8, W6, X7)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from executor import CallHandle, StreamingToolExecutor, ToolContext, ToolSet, Turn, tool
from executor.engines.report import ClosingReport, Fault
from executor.events import Kind
from executor.turn import ResponseDiscarded
from sim import clock


def test_a_turn_that_has_not_run_has_its_first_context_and_nothing_to_report(shop) -> None:
    """E10, E13: giving up a response that nobody asked for changes nothing."""
    context = ToolContext(cwd="/src")
    turn = Turn(shop.tools, context)
    turn.discard("changed my mind")
    assert (turn.context, turn.report, turn.failure) == (context, ClosingReport(), None)


def test_the_context_is_that_of_the_update_in_hand(shop) -> None:
    """C1, E13."""

    async def main() -> list[Any]:
        turn = Turn(shop.tools, ToolContext(cwd="/"))
        blocks = [(0.0, shop.block("a")), (0.0, shop.block("b", "Edit", sets={"cwd": "/src"}))]
        return [turn.context async for _ in turn.run(shop.response(*blocks))]

    assert clock.run(main()) == [ToolContext(cwd="/"), ToolContext(cwd="/src")]


def test_a_turn_says_what_it_cannot_do_and_the_way_out(shop) -> None:
    """E13, A8."""

    async def main() -> list[str]:
        turn, said = Turn(shop.tools), []
        for retries in (1, 0, 0):
            try:
                async for _ in turn.run(shop.response((0.0, shop.block("a"))), retries=retries):
                    pass
            except (RuntimeError, ValueError) as error:
                said.append(str(error))
        return said

    assert clock.run(main()) == [
        "retries need a function that asks for the response again, got the response itself",
        "this turn has run already: make a new one for the next response",
    ]


@pytest.mark.parametrize("force", [False, True])
def test_a_message_of_the_user_is_told_with_whether_it_was_forced_and_took_effect(shop, force) -> None:
    """A7."""
    blocks = [(0.0, shop.block("a", "Watch", takes=2.0))]
    played = shop.play(*blocks, acts=[(1.0, lambda turn: turn.submit(force=force))])
    submits = [dict(event.detail) for event in played.recorder.events if event.kind is Kind.SUBMIT]
    assert submits == [{"force": force, "took_effect": force}]


def test_of_two_reasons_to_give_a_response_up_the_first_stays(shop) -> None:
    """A8: it is given up once."""

    def give_up_twice(turn: Turn) -> None:
        turn.discard("first")
        turn.discard("second")

    played = shop.play((0.0, shop.block("a", takes=9.0)), acts=[(1.0, give_up_twice)], grace_s=0.0)
    assert isinstance(played.turn.failure, ResponseDiscarded)
    assert (str(played.turn.failure), len(played.turn.discarded)) == ("first", 1)
    assert [event.kind for event in played.recorder.events].count(Kind.DISCARD) == 1


def test_a_fault_of_the_stream_is_one_of_the_turn_and_of_no_call(shop) -> None:
    """W6, E10."""

    async def response() -> AsyncIterator[dict[str, Any]]:
        yield {"type": "message_start", "message": {"id": "m"}}
        yield {"type": "content_block_stop", "index": 4}
        yield {"type": "message_stop"}

    async def main() -> tuple[Fault, ...]:
        turn = Turn(shop.tools)
        assert [update async for update in turn.run(response())] == []
        return turn.report.faults

    assert clock.run(main()) == (Fault("", "event 2, block 4: a stop without a start; it was left out"),)


def test_the_end_of_a_turn_is_told_with_the_results_that_nobody_took(shop) -> None:
    """E10, P1: to whoever listens without wanting contents, nothing of them."""
    told: list[dict[str, Any]] = []

    def listen(kind: Kind, call: str | None, /, **detail: Any) -> None:
        if kind is Kind.TURN_ENDED:
            told.append(detail)

    async def main() -> None:
        updates = Turn(shop.tools, announce=listen).run(
            shop.response((0.0, shop.block("a")), (0.0, shop.block("b", takes=1.0)), ends_s=2.0)
        )
        async for _ in updates:
            await asyncio.sleep(1.5)
            break
        await updates.aclose()

    clock.run(main())
    assert told == [{"how": "left", "closing": [["b", "ok"]], "abandoned": []}]


def test_a_signal_tells_its_listeners_why_it_fired(shop) -> None:
    """A1."""
    heard: list[str] = []

    async def listen(call: CallHandle) -> str:
        fired = asyncio.Event()
        call.signal.listen(lambda reason: (heard.append(str(reason)), fired.set()))
        await fired.wait()
        return "heard"

    tools = ToolSet([tool(name="Listen")(listen)])
    shop.play((0.0, shop.block("a", "Listen")), tools=tools, acts=[(1.0, Turn.stop)])
    assert heard == ["user_interrupted"]


def test_what_a_settled_call_ran_with_is_let_go(shop) -> None:
    """A1, X7: its input is empty then, as that of a call whose input did not fit is from the start."""

    async def main() -> list[Any]:
        async with StreamingToolExecutor(shop.tools) as running:
            running.add(shop.block("a", takes=0.0))
            running.add(shop.block("b", takes="long"))
            async for _ in running.remaining_results():
                pass
            return [call.input for call in running.calls]

    assert clock.run(main()) == [{}, {}]
