"""What becomes of calls that are asked to stop: reasons, grace, stubborn bodies (A4–A6, A9, A12, X4)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from executor import (
    AbortController,
    CallHandle,
    Options,
    Recorder,
    Stopped,
    StreamingToolExecutor,
    ToolOutput,
    ToolSet,
    ToolUseBlock,
    Turn,
    tool,
)
from executor.events import Kind
from sim import clock

STOP = (0.2, lambda turn: turn.stop())


@pytest.mark.parametrize(
    ("ends", "says", "outcome", "content"),
    [
        ("ok", "text", "ok", "text"),
        ("error", "refused", "error", "refused"),
        ("raise", "refused", "error", "refused"),
        ("raise", "", "error", "OSError"),
        ("cancelled", "", "error", "CancelledError"),
    ],
)
def test_however_a_body_ends_its_call_has_one_result_that_says_so(shop, ends, says, outcome, content) -> None:
    """X4, A12: an empty message shows the type's name; a foreign CancelledError is a failure, siblings unharmed."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1, ends=ends, says=says)), (0.0, shop.block("b", takes=0.3)), cascade="any"
    )
    assert played.outcomes == {"a": outcome, "b": "ok"}
    assert played.results["a"].content == content
    assert played.results["a"].summary == ("" if outcome == "ok" else f"Error: {content}")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_of_the_whole_program_passes_through(shop, error) -> None:
    """X4."""

    @tool
    async def quit_all() -> None:
        raise error

    with pytest.raises(error):
        shop.play((0.0, ToolUseBlock("a", "quit_all", {})), tools=ToolSet([quit_all]))


def test_exceptions_that_are_broken_themselves_still_become_results(shop) -> None:
    """X4, A6."""

    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    class Odd(BaseException):
        pass

    @tool(concurrency_safe=True)
    async def fail(how: str) -> None:
        if how == "unspeakable":
            raise Unspeakable
        if how == "stop iteration":
            raise StopIteration
        if how == "generator exit":
            raise GeneratorExit
        if how == "group":
            raise ExceptionGroup("two", [ValueError("a"), ValueError("b")])
        raise Odd

    how = ["unspeakable", "stop iteration", "generator exit", "group", "odd"]
    played = shop.play(*((0.0, ToolUseBlock(h, "fail", {"how": h})) for h in how), tools=ToolSet([fail]))
    assert {call: (r.outcome.value, r.content) for call, r in played.results.items()} == {
        "unspeakable": ("error", "RuntimeError"),
        "stop iteration": ("error", "coroutine raised StopIteration"),
        "generator exit": ("error", "GeneratorExit"),
        "group": ("error", "two (2 sub-exceptions)"),
        "odd": ("error", "Odd"),
    }


def test_a_value_that_cannot_be_written_down_is_the_tool_s_error(shop) -> None:
    """X4."""

    @tool
    async def knot() -> list[Any]:
        itself: list[Any] = []
        itself.append(itself)
        return itself

    assert shop.play((0.0, ToolUseBlock("a", "knot", {})), tools=ToolSet([knot])).outcomes == {"a": "error"}


@pytest.mark.parametrize(
    ("at_signal", "left", "outcome", "content_end"),
    [
        ("finishes", (200, "left a ok"), "ok", "half"),
        ("stops", (200, "left a cancelled"), "user_interrupted", "(partial):\nhalf"),
        ("fails", (200, "left a raised"), "user_interrupted", "how to go on."),
        ("ignores", (700, "left a cancelled"), "user_interrupted", "how to go on."),
    ],
)
def test_a_body_that_is_signalled_keeps_its_result_only_if_it_returns_normally(
    shop, at_signal, left, outcome, content_end
) -> None:
    """A6, A9, A10: one that raises or says so was stopped; its partial output is kept."""
    block = shop.block("a", "Edit", takes=9.0, at_signal=at_signal, says="half")
    played = shop.play((0.0, block), acts=[STOP], grace_s=0.5)
    at_ms, row = left
    assert played.rows == [
        "0 entered a",
        "200 stop",
        "200 signalled a user_interrupted",
        f"{at_ms} {row}",
        f"{at_ms} emitted a {outcome}",
        f"{at_ms} turn_ended stopped",
    ]
    result = played.results["a"]
    assert str(result.content).endswith(content_end)
    assert (result.started, result.abandoned) == (True, False)
    assert result.effect_unknown is (outcome != "ok")


def test_an_error_that_a_signalled_body_returns_normally_stays_its_own(shop) -> None:
    """A6: it ran to its end, so nothing about its effect is unknown."""

    @tool
    async def edit(call: CallHandle) -> ToolOutput:
        await asyncio.sleep(0.3)
        return ToolOutput("disk full", is_error=True)

    played = shop.play((0.0, ToolUseBlock("a", "edit", {})), tools=ToolSet([edit]), acts=[STOP])
    result = played.results["a"]
    assert (result.outcome.value, result.content, result.effect_unknown) == ("error", "disk full", False)


def test_a_body_that_gives_up_unasked_has_failed(shop) -> None:
    """A6: ``Stopped`` without a signal is no abort."""

    @tool
    async def edit() -> Stopped:
        return Stopped("half")

    played = shop.play((0.0, ToolUseBlock("a", "edit", {})), tools=ToolSet([edit]))
    assert (played.results["a"].outcome.value, played.results["a"].content) == ("error", "half")


@pytest.mark.parametrize("name", ["Read", "Edit"])
def test_a_body_that_resists_the_cancellation_too_is_abandoned_after_the_same_time_again(shop, name) -> None:
    """A9: settled with the abort's outcome, marked, reported; a stubborn tool cannot hang a turn."""
    played = shop.play(
        (0.0, shop.block("a", name, takes=9.0, at_signal="swallows")),
        (0.0, shop.block("b", "Edit")),
        acts=[STOP],
        grace_s=0.5,
    )
    assert played.rows[:6] == [
        "0 entered a",
        "200 stop",
        "200 signalled a user_interrupted",
        "1200 emitted a user_interrupted",
        "1200 emitted b user_interrupted",
        "1200 turn_ended stopped",
    ]
    result = played.results["a"]
    assert (result.started, result.abandoned, result.effect_unknown) == (True, True, name == "Edit")
    assert played.turn.report.abandoned == ("a",)
    [closing] = [event for event in played.recorder.events if event.kind is Kind.TURN_ENDED]
    assert closing.detail["abandoned"] == ["a"]


def test_a_body_that_hangs_for_ever_does_not_hang_the_turn(shop) -> None:
    """A9, L1."""

    @tool
    async def hang() -> None:
        await asyncio.get_running_loop().create_future()

    played = shop.play((0.0, ToolUseBlock("a", "hang", {})), tools=ToolSet([hang]), acts=[STOP], grace_s=0.5)
    assert played.rows[-3:] == ["700 left a cancelled", "700 emitted a user_interrupted", "700 turn_ended stopped"]


def test_the_grace_is_two_seconds_unless_another_is_asked_for(shop) -> None:
    """A9."""
    played = shop.play((0.0, shop.block("a", takes=9.0)), acts=[STOP])
    assert played.emitted_ms == [(2200, "a")]


def test_without_grace_a_body_still_has_the_instant_of_its_signal(shop) -> None:
    """A9: asked first, cancelled afterwards, abandoned after that, all at once."""
    calls = [("a", "finishes"), ("b", "stops"), ("c", "ignores"), ("d", "swallows")]
    played = shop.play(
        *((0.0, shop.block(call, takes=9.0, at_signal=at_signal)) for call, at_signal in calls), acts=[STOP], grace_s=0
    )
    interrupted = "user_interrupted"
    assert played.outcomes == {"a": "ok", "b": interrupted, "c": interrupted, "d": interrupted}
    assert [result.abandoned for result in played.results.values()] == [False, False, False, True]
    assert {at for at, _ in played.emitted_ms} == {200}


def test_what_an_abandoned_body_brings_later_is_dropped_and_noted(shop) -> None:
    """A6, B005: the first final outcome wins; its progress and its change of the context are dropped too (E7, C1)."""

    async def main() -> None:
        recorder = Recorder()
        async with StreamingToolExecutor(shop.tools, options=Options(grace_s=0.1), announce=recorder) as executor:
            executor.add(shop.block("a", "Edit", takes=2.0, at_signal="swallows", says="late", sets={"late": 1}))
            await asyncio.sleep(0.1)
        [result] = executor.report.unclaimed
        assert (result.outcome.value, result.abandoned) == ("user_interrupted", True)
        assert executor.report.abandoned == ("a",)
        assert executor.report.faults == ()
        await asyncio.sleep(3)
        assert executor.report.unclaimed == (result,)
        assert executor.report.abandoned == ()
        assert [(fault.call_id, fault.what) for fault in executor.report.faults] == [
            ("a", "its body ended after it was abandoned; what it brought was dropped")
        ]
        assert executor.context == {}
        completions = [event for event in recorder.events if event.kind is Kind.COMPLETED]
        assert [(event.t_ns, event.call) for event in completions] == [(300_000_000, "a")]

    clock.run(main())


def test_progress_of_a_body_whose_call_is_settled_goes_nowhere(shop) -> None:
    """E7, G1: none after the result."""

    @tool
    async def chatter(call: CallHandle) -> str:
        asyncio.get_running_loop().call_later(0.1, call.progress, "late")
        call.progress("early")
        return "done"

    played = shop.play(
        (0.0, ToolUseBlock("a", "chatter", {})), (0.0, shop.block("b", takes=1)), tools=ToolSet([*shop.tools, chatter])
    )
    assert [message.data for _, message in played.taken if hasattr(message, "data")] == ["early"]


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_an_abort_that_a_tool_asks_for_rises_to_the_turn(shop, engine) -> None:
    """A4: as a person's refusal does; the culprit keeps its result, the rest is answered."""
    played = shop.play(
        (0.0, shop.block("a", "Edit", takes=0.1, ends="abort", says="refused")),
        (0.0, shop.block("b")),
        (0.3, shop.block("c", "Edit")),
        engine=engine,
    )
    interrupted = "user_interrupted"
    assert played.outcomes == {"a": "ok", "b": interrupted, "c": interrupted}
    assert [call for _, call in played.started_ms] == ["a"]
    assert (played.turn.ended, played.turn.should_continue) == ("stopped", False)


@pytest.mark.parametrize("what", ["sibling error", "error", "invalid", "submit", "closing", "discard"])
def test_nothing_else_rises_to_the_turn(shop, what) -> None:
    """A4: no sibling error, no failure, no submit; and leaving or discarding an executor leaves its turn alone."""

    async def main() -> None:
        turn = AbortController()
        async with StreamingToolExecutor(shop.tools, abort=turn) as executor:
            executor.add(shop.block("a", takes=9.0, at_signal="stops"))
            match what:
                case "sibling error":
                    executor.add(shop.block("b", "Bash", command="rm", ends="error"))
                case "error":
                    executor.add(shop.block("b", ends="raise"))
                case "invalid":
                    executor.add(shop.block("b", takes="?"))
                case "submit":
                    executor.submit(force=True)
                case "discard":
                    await asyncio.sleep(0.1)
                    await executor.discard()
            await asyncio.sleep(0.1)
            assert turn.signal.reason is None
        assert turn.signal.reason is None
        assert turn.child_count == 0

    clock.run(main())


def test_an_abort_asked_for_by_a_discarded_attempt_does_not_rise(shop) -> None:
    """A4: unless the executor was discarded."""

    @tool(name="Refuse")
    async def refuse(call: CallHandle) -> str:
        await asyncio.sleep(0.5)
        call.abort_turn()
        return "refused"

    async def main() -> None:
        turn = AbortController()
        async with StreamingToolExecutor(ToolSet([refuse]), abort=turn) as executor:
            executor.add(ToolUseBlock("a", "Refuse", {}))
            await asyncio.sleep(0.1)
            await executor.discard()
        assert turn.signal.reason is None

    clock.run(main())


def test_an_abandoned_body_cannot_abort_the_turn_afterwards(shop) -> None:
    """A4, A6: its call is settled; the turn may be over for long."""

    @tool(name="Refuse")
    async def refuse(call: CallHandle) -> None:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            await asyncio.sleep(1)
            call.abort_turn()

    async def main() -> None:
        turn = AbortController()
        options = Options(grace_s=0.1)
        async with StreamingToolExecutor(ToolSet([refuse]), abort=turn, options=options) as executor:
            executor.add(ToolUseBlock("a", "Refuse", {}))
            await asyncio.sleep(0.1)
        assert executor.report.abandoned == ("a",)
        await asyncio.sleep(3)
        assert executor.report.abandoned == ()
        assert turn.signal.reason is None

    clock.run(main())


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["stop"], "user_interrupted"),
        (["cascade"], "sibling_error"),
        (["stop", "cascade"], "sibling_error"),
        (["cascade", "stop"], "sibling_error"),
        (["submit", "cascade"], "sibling_error"),
        (["discard"], "streaming_fallback"),
        (["stop", "discard"], "streaming_fallback"),
        (["cascade", "discard"], "streaming_fallback"),
        (["stop", "cascade", "discard"], "streaming_fallback"),
    ],
)
def test_the_highest_reason_at_the_settlement_is_the_one_that_is_named(shop, asked, reason) -> None:
    """A5: fallback before sibling error before the user, judged when the call settles, whatever came first."""

    async def main() -> str:
        fails = asyncio.Event()

        @tool(name="Sh", concurrency_safe=True, cascades=True)
        async def shell() -> ToolOutput:
            while not fails.is_set():
                try:
                    await fails.wait()
                except asyncio.CancelledError:
                    continue
            return ToolOutput("exit 1", is_error=True)

        turn = AbortController()
        recorder = Recorder()
        tools = ToolSet([*shop.tools, shell])
        options = Options(cascade="any", grace_s=1.0)
        async with StreamingToolExecutor(tools, abort=turn, options=options, announce=recorder) as executor:
            executor.add(ToolUseBlock("sh", "Sh", {}))
            executor.add(shop.block("a", takes=9.0))
            for what in asked:
                await asyncio.sleep(0.1)
                match what:
                    case "stop":
                        turn.abort("user_interrupted")
                    case "submit":
                        executor.submit(force=True)
                    case "cascade":
                        fails.set()
                    case "discard":
                        await executor.discard()
            await asyncio.sleep(5)
            fails.set()
        [outcome] = [e.detail["outcome"] for e in recorder.events if e.kind is Kind.COMPLETED and e.call == "a"]
        return str(outcome)

    assert clock.run(main()) == reason


def test_a_completion_at_the_instant_of_a_stop_keeps_its_result_and_the_stop_takes_effect(shop) -> None:
    """A11, B026."""
    played = shop.play(
        (0.0, shop.block("a", "Edit", takes=0.2, says="done")), (0.0, shop.block("b", "Edit", takes=9.0)), acts=[STOP]
    )
    assert {call: (r.outcome.value, r.started) for call, r in played.results.items()} == {
        "a": ("ok", True),
        "b": ("user_interrupted", True),
    }


def test_ten_thousand_calls_leave_no_child_under_the_turn(shop) -> None:
    """A1."""

    @tool(concurrency_safe=True)
    async def noop() -> str:
        return ""

    async def main() -> None:
        turn = AbortController()
        async with StreamingToolExecutor(ToolSet([noop]), abort=turn) as executor:
            for number in range(10_000):
                executor.add(ToolUseBlock(str(number), "noop", {}))
            assert len([update async for update in executor.remaining_results()]) == 10_000
            assert executor._crew.stopping._siblings.child_count == 0
        assert (turn.child_count, turn.signal.listener_count) == (0, 0)

    clock.run(main())


def test_without_any_grace_a_body_that_obeys_at_once_is_not_abandoned_on_a_real_loop_either() -> None:
    """A9: a real loop runs both timers in one round; a body that is over by then has obeyed."""

    @tool
    async def endless() -> str:
        await asyncio.sleep(60)
        return "never"

    async def response() -> AsyncIterator[ToolUseBlock]:
        yield ToolUseBlock("a", "endless", {})
        await asyncio.sleep(0.01)
        turn.stop()

    async def main() -> list[Any]:
        return [update.result async for update in turn.run(response())]

    turn = Turn(ToolSet([endless]), options=Options(grace_s=0))
    (result,) = asyncio.run(main())
    assert (result.outcome, result.abandoned, turn.report.abandoned) == ("user_interrupted", False, ())
    assert turn.report.faults == ()
