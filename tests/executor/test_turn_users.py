"""What the user can do to a turn: stop it, and submit a new message (A7)."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from executor import CallHandle, StreamingToolExecutor, ToolSet, ToolUseBlock, Turn, tool
from executor.events import Kind
from executor.wire.messages import STOPPED
from sim import clock

ENGINES = ["streaming", "batch", "serial"]


def stop(turn: Turn) -> None:
    turn.stop()


def submit(turn: Turn) -> None:
    turn.submit()


def force(turn: Turn) -> None:
    turn.submit(force=True)


def ended(played: Any) -> list[tuple[str, str, bool]]:
    """How each call ended and whether it had started, in the order of emission."""
    return [(result.call_id, result.outcome.value, result.started) for result in played.results.values()]


def test_a_stop_stops_both_kinds_of_calls_and_answers_everything_else_at_once(shop) -> None:
    """A7: queued calls and blocks that still arrive have not started; each is emitted in its place."""
    played = shop.play(
        (0.0, shop.block("a", takes=9.0, at_signal="stops")),
        (0.0, shop.block("b", "Watch", takes=9.0, at_signal="stops")),
        (0.0, shop.block("c", "Edit")),
        (0.5, shop.block("d")),
        (0.5, shop.block("u", "Nope")),
        ends_s=0.6,
        acts=[(0.2, stop)],
    )
    assert played.rows == [
        "0 entered a",
        "0 entered b",
        "200 stop",
        "200 signalled a user_interrupted",
        "200 signalled b user_interrupted",
        "200 left a cancelled",
        "200 left b cancelled",
        "200 emitted a user_interrupted",
        "200 emitted b user_interrupted",
        "200 emitted c user_interrupted",
        "500 emitted d user_interrupted",
        "500 emitted u unknown_tool",
        "600 turn_ended stopped",
    ]
    assert ended(played) == [
        ("a", "user_interrupted", True),
        ("b", "user_interrupted", True),
        ("c", "user_interrupted", False),
        ("d", "user_interrupted", False),
        ("u", "unknown_tool", False),
    ]
    assert played.instants_ms(Kind.COMPLETED, outcome="user_interrupted")[0] == (200, "c")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stop_before_the_turn_lets_nothing_start(shop, engine) -> None:
    """A7, A1: the executor is born under an aborted turn."""

    async def main() -> tuple[Turn, list[str]]:
        turn = Turn(shop.tools, engine=engine)
        turn.stop()
        blocks = shop.response((0.0, shop.block("a")), (0.1, shop.block("b", "Edit")))
        return turn, [f"{update.result.outcome} {update.result.started}" async for update in turn.run(blocks)]

    turn, results = clock.run(main())
    assert results == ["user_interrupted False"] * 2
    assert turn.ended == "stopped"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stop_between_the_last_call_and_the_end_of_the_response_still_stops_the_turn(shop, engine) -> None:
    """A7, W7."""
    played = shop.play((0.0, shop.block("a")), ends_s=1.0, acts=[(0.5, stop)], engine=engine)
    assert played.outcomes == {"a": "ok" if engine == "streaming" else "user_interrupted"}
    assert (played.turn.ended, played.turn.should_continue) == ("stopped", False)
    assert played.turn.messages[1]["content"][-1]["text"] == STOPPED


def test_what_comes_after_the_turn_has_ended_changes_nothing_about_it(shop) -> None:
    """A7, W7: neither its messages nor its log."""

    async def main() -> None:
        turn = Turn(shop.tools)
        async for _ in turn.run(shop.response((0.0, shop.block("a")))):
            pass
        before = turn.messages
        turn.stop()
        assert turn.submit(force=True) is False
        turn.discard("too late")
        assert (turn.ended, turn.should_continue, turn.messages) == ("completed", True, before)

    clock.run(main())
    late = shop.play((0.0, shop.block("a")), acts=[(0.0, stop), (0.0, force)])
    assert late.all_rows[-1] == "0 turn_ended completed"


def test_a_second_stop_changes_nothing(shop) -> None:
    """A7."""
    timed = [(0.0, shop.block("a", takes=9.0)), (0.0, shop.block("b", "Edit"))]
    once = shop.play(*timed, acts=[(0.2, stop)])
    twice = shop.play(*timed, acts=[(0.2, stop), (1.0, stop)])
    assert [row for row in twice.rows if "stop" not in row] == [row for row in once.rows if "stop" not in row]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_while_only_cancellable_calls_run_stops_them_and_nothing_queued_starts(shop, engine) -> None:
    """A7."""
    played = shop.play(
        (0.0, shop.block("a", takes=9.0, at_signal="stops")),
        (0.0, shop.block("b", takes=9.0, at_signal="stops")),
        (0.0, shop.block("c", "Edit")),
        (0.0, shop.block("d")),
        acts=[(0.2, submit)],
        engine=engine,
    )
    ran = [True, True] if engine != "serial" else [True, False]
    assert ended(played) == [
        ("a", "user_interrupted", ran[0]),
        ("b", "user_interrupted", ran[1]),
        ("c", "user_interrupted", False),
        ("d", "user_interrupted", False),
    ]
    assert "200 submit took effect" in played.rows
    assert (played.rows[-1], played.turn.should_continue) == ("200 turn_ended stopped", False)


@pytest.mark.parametrize("act", [submit, force])
def test_a_message_while_a_call_must_not_be_stopped_waits_unless_it_is_forced(shop, act) -> None:
    """A7: forced, the signal of the call that must not be stopped does not fire and it runs on undisturbed."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.8, at_signal="stops")),
        (0.0, shop.block("b", "Watch", takes=0.5, says="kept", at_signal="stops")),
        (0.0, shop.block("c", "Edit")),
        (0.3, shop.block("d")),
        acts=[(0.2, act)],
    )
    if act is submit:
        assert played.rows[2] == "200 submit has to wait"
        assert ended(played) == [(call, "ok", True) for call in "abcd"]
        assert played.turn.ended == "completed"
        return
    assert played.rows == [
        "0 entered a",
        "0 entered b",
        "200 submit took effect",
        "200 signalled a user_interrupted",
        "200 left a cancelled",
        "200 emitted a user_interrupted",
        "500 left b ok",
        "500 emitted b ok",
        "500 emitted c user_interrupted",
        "500 emitted d user_interrupted",
        "500 turn_ended stopped",
    ]
    assert played.results["b"].content == "kept"


def test_a_call_that_must_not_be_stopped_may_still_fail_by_itself_after_a_forced_message(shop) -> None:
    """A6, A7: its own error, not the user's interrupt."""
    played = shop.play((0.0, shop.block("a", "Watch", takes=0.5, ends="raise", says="disk full")), acts=[(0.2, force)])
    result = played.results["a"]
    assert (result.outcome.value, result.content, result.effect_unknown) == ("error", "disk full", False)


def test_a_queued_call_that_must_not_be_stopped_does_not_start_after_a_message_either(shop) -> None:
    """A7, F5, SPEC 12.4."""
    played = shop.play(
        (0.0, shop.block("a", takes=9.0, at_signal="stops")), (0.0, shop.block("b", "Edit")), acts=[(0.2, submit)]
    )
    assert ended(played) == [("a", "user_interrupted", True), ("b", "user_interrupted", False)]


def test_a_stop_after_a_message_stops_the_rest_too(shop) -> None:
    """A7."""
    played = shop.play(
        (0.0, shop.block("a", "Watch", takes=9.0, at_signal="stops")),
        (0.0, shop.block("b", takes=9.0, at_signal="stops")),
        acts=[(0.2, force), (0.4, stop)],
    )
    assert played.rows == [
        "0 entered a",
        "0 entered b",
        "200 submit took effect",
        "200 signalled b user_interrupted",
        "200 left b cancelled",
        "400 stop",
        "400 signalled a user_interrupted",
        "400 left a cancelled",
        "400 emitted a user_interrupted",
        "400 emitted b user_interrupted",
        "400 turn_ended stopped",
    ]


@pytest.mark.parametrize("when", ["before", "idle"])
def test_a_message_with_nothing_to_interrupt_has_to_wait(shop, when) -> None:
    """A7: before the turn, and while nothing executes."""

    async def main() -> tuple[bool, str | None]:
        turn = Turn(shop.tools)
        if when == "before":
            took_effect = turn.submit(force=True)
            async for _ in turn.run(shop.response((0.0, shop.block("a")))):
                pass
            return took_effect, turn.ended
        async with aclosing(turn.run(shop.response((0.0, shop.block("a")), (1.0, shop.block("b"))))) as updates:
            await anext(updates)
            took_effect = turn.submit()
            async for _ in updates:
                pass
        return took_effect, turn.ended

    assert clock.run(main()) == (False, "completed")


@pytest.mark.parametrize("call", ["Read", "Watch"])
def test_an_executor_tells_whether_a_message_took_effect_and_does_nothing_if_it_did_not(shop, call) -> None:
    """A7."""

    async def main() -> tuple[bool, list[tuple[str, str]]]:
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", call, takes=1.0, at_signal="stops"))
            executor.add(shop.block("b", "Edit"))
            await asyncio.sleep(0.1)
            took_effect = executor.submit()
            results = [update.result async for update in executor.remaining_results()]
        return took_effect, [(result.call_id, result.outcome.value) for result in results]

    outcome = "user_interrupted" if call == "Read" else "ok"
    assert clock.run(main()) == (call == "Read", [("a", outcome), ("b", outcome)])


def test_a_forced_message_between_calls_keeps_later_ones_from_starting(shop) -> None:
    """A7."""
    played = shop.play((0.0, shop.block("a")), (1.0, shop.block("b")), acts=[(0.5, force)])
    assert ended(played) == [("a", "ok", True), ("b", "user_interrupted", False)]
    assert played.turn.ended == "stopped"


@pytest.mark.parametrize("act", [stop, submit])
def test_a_call_admitted_in_the_instant_of_the_stop_does_not_begin_or_is_signalled(shop, act) -> None:
    """A7, F4: no body is entered after it."""

    async def main() -> tuple[list[str], list[Any]]:
        entered: list[str] = []

        def announce(kind: Kind, call: str | None, /, **detail: Any) -> None:
            entered.append(f"{kind.value} {call or ''}".strip())
            if kind is Kind.ADMITTED:
                act(turn)

        turn = Turn(shop.tools, announce=announce)
        blocks = shop.response((0.0, shop.block("a", takes=0.1)), (0.0, shop.block("b", "Edit")))
        results = [(u.result.call_id, u.result.outcome.value, u.result.started) async for u in turn.run(blocks)]
        return entered, results

    log, results = clock.run(main())
    assert not [row for row in log if row.startswith(("entered", "signalled"))]
    assert results == [("a", "user_interrupted", False), ("b", "user_interrupted", False)]


def test_a_tool_s_broken_listener_does_not_save_its_siblings_from_a_stop(shop, caplog) -> None:
    """A1, A7."""

    @tool(name="Broken", concurrency_safe=True)
    async def broken(call: CallHandle) -> None:
        call.signal.listen(lambda reason: 1 / 0)
        await asyncio.sleep(9)

    played = shop.play(
        (0.0, ToolUseBlock("a", "Broken", {})),
        (0.0, shop.block("b", takes=9.0, at_signal="stops")),
        tools=ToolSet([*shop.tools, broken]),
        acts=[(0.2, stop)],
        grace_s=0.5,
    )
    assert "200 signalled b user_interrupted" in played.rows
    assert played.rows[-1] == "700 turn_ended stopped"
    assert "ZeroDivisionError" in caplog.text
