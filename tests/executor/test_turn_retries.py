"""A response that fails in mid-stream: discard, ask again, or give up (A8, E13)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest

from executor import Discarded, Effect, Options, ToolUseBlock, Turn
from executor.events import Kind
from sim import clock

ENGINES = ["streaming", "batch", "serial"]
GONE = ConnectionError("gone")


def test_a_failed_response_is_taken_back_and_asked_for_again(shop) -> None:
    """A8, B014: the whole log; the second attempt begins when the last call of the first has settled."""
    played = shop.play(
        attempts=[
            partial(
                shop.response,
                (0.0, shop.block("a", sets={"a": 1}, takes=0.1)),
                (0.0, shop.block("b", "Edit", takes=9.0)),
                ends_s=0.3,
                fails=GONE,
            ),
            partial(shop.response, (0.0, shop.block("c", "Edit", shows="a", takes=0.1))),
        ],
        grace_s=0.5,
    )
    assert played.all_rows == [
        "0 response_started 0",
        "0 block a",
        "0 queued a",
        "0 admitted a",
        "0 block b",
        "0 queued b",
        "0 entered a",
        "100 left a ok",
        "100 completed a ok",
        "100 context a=1",
        "100 admitted b",
        "100 entered b",
        "100 yielded a",
        "100 emitted a ok",
        "300 response_failed 0",
        "300 discard 0",
        "300 signalled b streaming_fallback",
        "800 left b cancelled",
        "800 completed b streaming_fallback",
        "800 response_started 1",
        "800 block c",
        "800 queued c",
        "800 admitted c",
        "800 response_ended 1",
        "800 entered c",
        "900 left c ok",
        "900 completed c ok",
        "900 yielded c",
        "900 emitted c ok",
        "900 turn_ended completed",
    ]
    turn = played.turn
    assert turn.discarded == [Discarded(("a",), (Effect("b", "Edit", "stopped"),))]
    assert (turn.failure, turn.ended, turn.should_continue) == (None, "completed", True)
    assert played.results["c"].content == "None"
    assert dict(turn.context) == {}
    assert [block["id"] for block in turn.messages[0]["content"]] == ["c"]
    assert [block["tool_use_id"] for block in turn.messages[1]["content"]] == ["c"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_next_attempt_starts_from_the_initial_context(shop, engine) -> None:
    """A8, B066: whatever the first one's exclusive calls changed."""
    first = partial(shop.response, (0.0, shop.block("a", "Edit", sets={"a": 1})), ends_s=0.3, fails=GONE)
    played = shop.play(attempts=[first, partial(shop.response, (0.0, shop.block("a", shows="a")))], engine=engine)
    assert (played.results["a"].content, dict(played.turn.context)) == ("None", {})


def test_no_body_of_the_next_attempt_begins_while_one_of_the_last_still_runs(shop) -> None:
    """A8, S1, SPEC 12.5: exclusivity holds across the fallback; a stubborn body is waited for up to twice the grace."""
    for at_signal, begins_ms in [("stops", 300), ("finishes", 300), ("ignores", 800), ("swallows", 1300)]:
        takes_s = 1.2 if at_signal == "swallows" else 9.0
        first = partial(
            shop.response,
            (0.0, shop.block("a", "Edit", takes=takes_s, at_signal=at_signal)),
            ends_s=0.3,
            fails=GONE,
        )
        again = partial(shop.response, (0.0, shop.block("b", "Edit")))
        played = shop.play(attempts=[first, again], grace_s=0.5)
        assert played.started_ms == [(0, "a"), (min(begins_ms, 1200), "b")]


@pytest.mark.parametrize("engine", ["streaming", "batch"])
@pytest.mark.parametrize(("name", "poisons"), [("Edit", True), ("Watch", False)])
def test_an_exclusive_call_that_nobody_can_stop_lets_nothing_start_in_any_retry(shop, engine, name, poisons) -> None:
    """A9, S1: each call is answered instead; the stubborn body is still listed when the turn ends (E10)."""

    def first() -> AsyncIterator[ToolUseBlock]:
        return shop.response((0.0, shop.block("a", name, takes=9.0, at_signal="swallows")), ends_s=0.1)

    def then(call: str, fails: BaseException | None) -> AsyncIterator[ToolUseBlock]:
        blocks = (0.0, shop.block(call)), (0.0, shop.block(f"{call} unknown", "Nope"))
        return shop.response(*blocks, ends_s=0.1, fails=fails)

    attempts = [first, partial(then, "b", GONE), partial(then, "c", None)]
    acts = [(0.2, lambda turn: turn.discard("it stalls"))]
    played = shop.play(attempts=attempts, acts=acts, grace_s=0.5, engine=engine)
    entered = [call for _, call in played.started_ms]
    if poisons:
        assert entered == ["a"]
        assert (played.results["c"].outcome.value, played.results["c"].started) == ("sibling_error", False)
    else:
        assert entered == (["a", "b", "c"] if engine == "streaming" else ["a", "c"])
        assert played.outcomes["c"] == "ok"
    assert played.outcomes["c unknown"] == "unknown_tool"
    assert played.turn.report.abandoned == ("a",)


@pytest.mark.parametrize("engine", ENGINES)
def test_when_the_retries_are_used_up_the_partial_message_is_dropped_whole_and_the_failure_told(shop, engine) -> None:
    """A8."""
    broken = [
        partial(shop.response, (0.0, shop.block(call, sets={"x": 1})), ends_s=0.1, fails=ConnectionError(call))
        for call in "abc"
    ]
    played = shop.play(attempts=broken, engine=engine)
    turn = played.turn
    assert (turn.ended, turn.should_continue, str(turn.failure)) == ("failed", False, "c")
    assert turn.messages == []
    assert (dict(turn.context), turn.report.unclaimed) == ({}, ())
    taken = ("a", "b", "c") if engine == "streaming" else ()
    assert [withdrawn for told in turn.discarded for withdrawn in told.withdrawn] == list(taken)
    assert len(turn.discarded) == 3
    failed = [(e.t_ns // 10**6, e.detail) for e in played.recorder.events if e.kind is Kind.RESPONSE_FAILED]
    assert failed == [(100 * (n + 1), {"attempt": n, "error": call}) for n, call in enumerate("abc")]
    assert played.all_rows[-1] == "300 turn_ended failed"


def test_without_retries_the_first_failure_ends_the_turn(shop) -> None:
    """A8: a failure without words is told by its type."""
    played = shop.play((0.0, shop.block("a")), ends_s=0.1, fails=TimeoutError())
    assert (played.turn.ended, type(played.turn.failure)) == ("failed", TimeoutError)
    [failed] = [event for event in played.recorder.events if event.kind is Kind.RESPONSE_FAILED]
    assert failed.detail["error"] == "TimeoutError"


def test_a_response_that_fails_before_its_first_block_is_asked_for_again(shop) -> None:
    """A8."""
    played = shop.play(attempts=[partial(shop.response, fails=GONE), partial(shop.response, (0.0, shop.block("a")))])
    assert (played.outcomes, played.turn.discarded) == ({"a": "ok"}, [Discarded()])


def test_a_response_that_is_cancelled_by_itself_has_failed(shop) -> None:
    """L1, as A12 for tools: nobody cancelled it, so the turn must not wait for its end for ever."""
    played = shop.play((0.0, shop.block("a")), ends_s=0.1, fails=asyncio.CancelledError())
    assert (played.turn.ended, type(played.turn.failure)) == ("failed", asyncio.CancelledError)
    assert played.all_rows[-1] == "100 turn_ended failed"


def test_nothing_of_a_failed_attempt_reaches_the_consumer_after_the_failure(shop) -> None:
    """A8, F6: neither results nor progress, however slow the consumer."""

    async def slowly(message: Any) -> None:
        await asyncio.sleep(1)

    first = partial(
        shop.response,
        (0.0, shop.block("a", takes=0.1)),
        (0.0, shop.block("b", takes=0.2, reports=[0.15])),
        ends_s=0.5,
        fails=GONE,
    )
    played = shop.play(attempts=[first, partial(shop.response, (0.0, shop.block("c")))], consume=slowly)
    assert [(at, message.call_id) for at, message in played.taken] == [(0.1, "a"), (1.1, "c")]
    assert played.turn.discarded[0].withdrawn == ("a",)


@pytest.mark.parametrize("act", ["stop", "submit"])
def test_a_stream_that_fails_after_the_user_has_stopped_the_turn_has_ended(shop, act) -> None:
    """A7, F4: who stops a turn closes its stream; nobody asks again, and every call that came is answered."""
    asked: list[str] = []

    def response(call: str) -> AsyncIterator[ToolUseBlock]:
        asked.append(call)
        return shop.response((0.0, shop.block(call, takes=9.0, at_signal="stops")), ends_s=0.5, fails=GONE)

    played = shop.play(
        attempts=[partial(response, "a"), partial(response, "b")], acts=[(0.2, lambda turn: getattr(turn, act)())]
    )
    assert asked == ["a"]
    assert played.started_ms == [(0, "a")]
    assert (played.turn.ended, played.turn.failure, played.turn.should_continue) == ("stopped", None, False)
    assert [block["id"] for block in played.turn.messages[0]["content"]] == ["a"]
    answer, marker = played.turn.messages[1]["content"]
    assert (answer["tool_use_id"], answer["is_error"], marker["type"]) == ("a", True, "text")
    assert played.results["a"].outcome == "user_interrupted"


def test_a_response_that_nobody_can_wait_for_is_refused(shop) -> None:
    """E13: a programming error is told, not taken for a stream that broke."""

    async def main() -> None:
        turn = Turn(shop.tools)
        with pytest.raises(TypeError, match="expected an async iterator or a function"):
            async for _ in turn.run([shop.block("a")]):  # type: ignore[arg-type]
                pass

    clock.run(main())


def test_a_stop_during_the_discard_ends_the_turn_there(shop) -> None:
    """A5, A7, A8: the calls keep the reason of the fallback."""
    attempts = [
        partial(shop.response, (0.0, shop.block("a", "Edit", takes=9.0)), ends_s=0.1, fails=GONE),
        partial(shop.response, (0.0, shop.block("b"))),
    ]
    played = shop.play(attempts=attempts, acts=[(0.3, lambda turn: turn.stop())], grace_s=0.5)
    assert played.rows == [
        "0 entered a",
        "100 response_failed 0",
        "100 discard 0",
        "100 signalled a streaming_fallback",
        "300 stop",
        "600 left a cancelled",
        "600 turn_ended failed",
    ]


def test_its_owner_may_give_a_response_up_and_ask_again(shop) -> None:
    """A8: as if it had failed; the response is not read on."""
    closed: list[float] = []

    async def endless() -> AsyncIterator[ToolUseBlock]:
        try:
            yield shop.block("a")
            yield shop.block("b", takes=9.0, at_signal="stops")
            await asyncio.sleep(1000)
        finally:
            closed.append(asyncio.get_running_loop().time())

    played = shop.play(
        attempts=[endless, partial(shop.response, (0.0, shop.block("c")))],
        acts=[(0.5, lambda turn: turn.discard("it stalls")), (0.5, lambda turn: turn.discard("twice"))],
    )
    assert closed == [0.5]
    assert played.turn.discarded == [Discarded(("a",), ())]
    assert list(played.outcomes) == ["a", "c"]
    assert played.emitted_ms == [(0, "a"), (500, "c")]
    assert played.turn.ended == "completed"


def test_a_response_given_up_without_retries_is_a_failure_that_says_why(shop) -> None:
    """A8."""
    played = shop.play((0.0, shop.block("a")), ends_s=9.0, acts=[(0.5, lambda turn: turn.discard("it stalls"))])
    assert (played.turn.ended, str(played.turn.failure), played.turn.messages) == ("failed", "it stalls", [])
    assert played.all_rows[-2:] == ["500 discard 0", "500 turn_ended failed"]


def test_retries_need_somebody_to_ask(shop) -> None:
    """A8."""

    async def main() -> None:
        response = shop.response()
        with pytest.raises(ValueError, match="retries need a function that asks for the response again"):
            await anext(Turn(shop.tools).run(response, retries=1))
        await response.aclose()

    clock.run(main())


def test_a_consumer_that_is_cancelled_while_a_response_is_given_up_leaves_nothing(shop) -> None:
    """A8, E10: even if the response takes its time to close."""

    async def slow_to_close() -> AsyncIterator[ToolUseBlock]:
        try:
            yield shop.block("a", takes=99.0)
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1)

    async def main() -> None:
        turn = Turn(shop.tools, options=Options(grace_s=50))

        async def consume() -> None:
            async with aclosing(turn.run(slow_to_close())) as updates:
                async for _ in updates:
                    pass

        consumer = asyncio.create_task(consume())
        await asyncio.sleep(0.1)
        turn.discard("it stalls")
        await asyncio.sleep(0.1)
        consumer.cancel()
        await asyncio.wait([consumer])
        assert consumer.cancelled()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert asyncio.get_running_loop().time() < 2
        assert turn.ended == "left"

    clock.run(main())


def test_a_response_that_cannot_even_be_asked_for_has_failed_and_may_be_asked_for_again(shop) -> None:
    """W3, A8: the request may raise before there is anything to iterate over."""

    def ask(attempt: int) -> AsyncIterator[ToolUseBlock]:
        if attempt == 0:
            raise GONE
        return shop.response((0.0, shop.block("a", takes=0.1)))

    async def main() -> tuple[list[str], Turn]:
        turn = Turn(shop.tools)
        return [update.result.call_id async for update in turn.run(ask, retries=1)], turn

    results, turn = clock.run(main())
    assert (results, turn.ended, turn.failure) == (["a"], "completed", None)
