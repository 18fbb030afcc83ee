"""A deadline over the whole call: what it covers, how it ends a call, whom it leaves alone (X5, A2, A9, B044, B080)."""

import asyncio
from typing import Any

import pytest

from executor import Allow, CallHandle, Hook, HookEvent, Hooks, Stopped, StreamingToolExecutor, ToolSet, tool
from executor.calls.tool import Tool


async def act(
    call: CallHandle, takes: float = 0.0, command: str = "", at_signal: str = "ignores", says: str = ""
) -> Any:
    """``at_signal``: ``ignores`` | ``stops`` | ``finishes`` | ``swallows`` (its own cancellation, until it is done)."""
    loop = asyncio.get_running_loop()
    end, told = loop.time() + takes, loop.create_future()
    call.signal.listen(lambda reason: told.done() or told.set_result(reason))
    call.output(says)
    while (rest := end - loop.time()) > 0:
        try:
            if at_signal in ("stops", "finishes"):
                await asyncio.wait([told], timeout=rest)
            else:
                await asyncio.sleep(rest)
        except asyncio.CancelledError:
            if at_signal != "swallows":
                raise
        if told.done() and at_signal == "stops":
            return Stopped("half")
        if told.done() and at_signal == "finishes":
            return "whole"
    return "done"


def tools(**declared: Any) -> ToolSet:
    """A safe and an exclusive tool with a deadline of 1 s, and a safe one without."""
    limited: dict[str, Any] = {"timeout_s": 1.0} | declared
    return ToolSet(
        [
            tool(name="Read", concurrency_safe=True, interrupt="cancel", **limited)(act),
            tool(name="Edit", **limited)(act),
            tool(name="Free", concurrency_safe=True)(act),
        ]
    )


def play(shop: Any, *blocks: Any, declared: Any = None, **options: Any) -> Any:
    return shop.play(*((0.0, block) for block in blocks), tools=tools(**(declared or {})), **options)


async def hangs(event: HookEvent) -> None:
    await asyncio.sleep(100.0)


def test_a_body_that_takes_too_long_is_signalled_cancelled_and_answered(shop) -> None:
    """X5, A9, A4: it names the limit, says what is not known, and nothing rises."""
    played = play(shop, shop.block("a", "Edit", takes=9.0), shop.block("b", "Free"), grace_s=0.5)
    assert played.rows == [
        "0 entered a",
        "0 progressed a 0",
        "0 emitted a progress 0",
        "1000 signalled a timeout",
        "1500 left a cancelled",
        "1500 entered b",
        "1500 progressed b 0",
        "1500 left b ok",
        "1500 emitted b progress 0",
        "1500 emitted a timeout",
        "1500 emitted b ok",
        "1500 turn_ended completed",
    ]
    result = played.results["a"]
    assert result.content == (
        "<tool_use_error>Error: Timed out after 1 s, hooks and questions included. It was stopped in mid-run; what "
        "effect it had is unknown. It was not tried again.</tool_use_error>"
    )
    assert (result.summary, result.started, result.effect_unknown) == ("Error: Timed out after 1 s", True, True)
    assert played.turn.should_continue


def test_a_deadline_covers_a_hook_before_the_body(shop) -> None:
    """X5, B044: and the others go on; the body had not begun."""
    hooks = Hooks(pre=[Hook(hangs, tools="Read")])
    played = play(shop, shop.block("r", "Read"), shop.block("g", "Free"), hooks=hooks)
    assert played.outcomes == {"r": "timeout", "g": "ok"}
    assert played.emitted_ms == [(1000, "r"), (1000, "g")]
    result = played.results["r"]
    assert (result.started, result.effect_unknown) == (False, False)
    assert str(result.content).endswith("hooks and questions included. It had not begun.</tool_use_error>")


def test_a_deadline_covers_an_open_question(shop) -> None:
    """X5."""

    async def asked(question: Any) -> Allow:
        await asyncio.sleep(100.0)
        return Allow()

    played = play(shop, shop.block("a", "Read"), can_use_tool=asked)
    assert (played.outcomes, played.emitted_ms) == ({"a": "timeout"}, [(1000, "a")])
    assert "1000 question_answered a cut" in played.guarded_rows


@pytest.mark.parametrize(("question_s", "outcome", "at_ms"), [(0.4, "denied", 400), (3.0, "timeout", 1000)])
def test_of_a_question_s_deadline_and_the_call_s_the_earlier_one_wins(shop, question_s, outcome, at_ms) -> None:
    """X5."""

    async def asked(question: Any) -> Allow:
        await asyncio.sleep(100.0)
        return Allow()

    played = play(shop, shop.block("a", "Read"), can_use_tool=asked, question_timeout_s=question_s)
    assert (played.outcomes, played.emitted_ms) == ({"a": outcome}, [(at_ms, "a")])


def test_a_deadline_covers_hook_question_and_body_together(shop) -> None:
    """X5: 0.4 s and 0.4 s leave 0.2 s for the body."""

    async def slow(event: HookEvent) -> None:
        await asyncio.sleep(0.4)

    async def asked(question: Any) -> Allow:
        await asyncio.sleep(0.4)
        return Allow()

    played = play(shop, shop.block("a", "Edit", takes=0.5), hooks=Hooks(pre=[slow]), can_use_tool=asked, grace_s=0.0)
    assert (played.started_ms, played.emitted_ms) == ([(800, "a")], [(1000, "a")])
    assert played.outcomes == {"a": "timeout"}


def test_time_in_the_queue_does_not_count(shop) -> None:
    """X5, B044."""
    played = play(shop, shop.block("a", "Edit", takes=0.9), shop.block("b", "Edit", takes=0.9))
    assert played.outcomes == {"a": "ok", "b": "ok"}


def test_a_deadline_covers_the_wait_of_a_call_that_became_exclusive(shop) -> None:
    """X5, H8: admitted is admitted; whoever waits behind it goes on then."""
    from executor import UpdatedInput

    async def harden(event: HookEvent) -> Any:
        return UpdatedInput({"command": "write"}) if event.call_id == "b" else None

    kinds = ToolSet(
        [
            tool(name="Sh", concurrency_safe=lambda given: "command" not in given, timeout_s=1.0)(act),
            tool(name="Free", concurrency_safe=True)(act),
        ]
    )
    blocks = [(0.0, shop.block("a", "Free", takes=3.0)), (0.0, shop.block("b", "Sh")), (0.5, shop.block("c", "Free"))]
    played = shop.play(*blocks, tools=kinds, hooks=Hooks(pre=[harden]))
    assert (played.outcomes["b"], played.started_ms) == ("timeout", [(0, "a"), (1000, "c")])


def test_a_deadline_while_a_hook_runs_after_the_body_keeps_the_body_s_result(shop) -> None:
    """X5, A6: what ran to its end is not reported as timed out."""
    played = play(shop, shop.block("a", "Edit"), hooks=Hooks(post=[Hook(hangs, name="h")]))
    assert (played.outcomes, played.emitted_ms) == ({"a": "ok"}, [(1000, "a")])
    assert [attachment.kind for attachment in played.results["a"].attachments] == ["hook_cancelled"]
    assert "signalled" not in " ".join(played.rows)


@pytest.mark.parametrize(
    ("at_signal", "outcome", "content_end"),
    [("finishes", "ok", "whole"), ("stops", "timeout", "(partial):\nhalf"), ("ignores", "timeout", "(partial):\nsaid")],
)
def test_a_signalled_body_ends_as_with_every_other_stop(shop, at_signal, outcome, content_end) -> None:
    """X5, A6, A10: one that returns normally keeps its result; partial output is kept."""
    block = shop.block("a", "Edit", takes=9.0, at_signal=at_signal, says="said")
    result = play(shop, block, grace_s=0.5).results["a"]
    assert result.outcome == outcome
    assert str(result.content).endswith(content_end)


def test_a_stubborn_safe_body_is_abandoned_and_the_turn_goes_on(shop) -> None:
    """X5, A9, B080: it is run once, and its answer says that it still runs."""
    played = play(shop, shop.block("a", "Read", takes=9.0, at_signal="swallows"), shop.block("b", "Edit"), grace_s=0.5)
    assert played.outcomes == {"a": "timeout", "b": "ok"}
    assert played.started_ms == [(0, "a"), (2000, "b")]
    result = played.results["a"]
    assert "It is still running and cannot be stopped; what effect it has is unknown." in str(result.content)
    assert result.abandoned
    assert played.turn.report.abandoned == ("a",)


def test_a_stubborn_exclusive_body_stops_the_turn_s_calls(shop) -> None:
    """X5, A9, B080: nothing starts beside it, though a deadline alone touches nobody else."""
    blocks = [shop.block("a", "Edit", takes=9.0, at_signal="swallows", command="make"), shop.block("b", "Free")]
    played = play(shop, *blocks, grace_s=0.5)
    assert played.outcomes == {"a": "timeout", "b": "sibling_error"}
    assert (played.started_ms, played.results["a"].effect_unknown) == ([(0, "a")], True)
    assert played.turn._executors[0].poisoned_by == "Edit(make)"


@pytest.mark.parametrize(
    ("policy", "of_tool", "cascades"),
    [("exclusive", "Edit", True), ("exclusive", "Read", False), ("any", "Read", True), ("never", "Edit", False)],
)
def test_a_timeout_of_a_cascading_tool_cascades_as_its_error_would(shop, policy, of_tool, cascades) -> None:
    """A2."""
    blocks = [shop.block("a", of_tool, takes=9.0, command="make"), shop.block("b", "Edit")]
    played = play(shop, *blocks, declared={"cascades": True}, cascade=policy, grace_s=0.0)
    assert played.outcomes == {"a": "timeout", "b": "sibling_error" if cascades else "ok"}


def test_a_timeout_before_the_body_cascades_never(shop) -> None:
    """A2, A3: the body had not started."""
    hooks = Hooks(pre=[Hook(hangs, tools="Edit")])
    blocks = [shop.block("a", "Edit"), shop.block("b", "Free")]
    played = play(shop, *blocks, declared={"cascades": True}, cascade="any", hooks=hooks)
    assert played.outcomes == {"a": "timeout", "b": "ok"}


@pytest.mark.parametrize(("stop_s", "outcome"), [(0.9, "user_interrupted"), (1.2, "timeout")])
def test_of_a_stop_and_a_deadline_the_first_one_names_the_outcome(shop, stop_s, outcome) -> None:
    """A6, X5: the deadline falls into the stop's grace, or the stop into the deadline's."""
    acts = [(stop_s, lambda turn: turn.stop())]
    played = play(shop, shop.block("a", "Edit", takes=9.0), acts=acts, grace_s=0.5)
    assert played.outcomes == {"a": outcome}


def test_a_finished_call_leaves_no_timer(shop) -> None:
    """A1, E10: on a real loop, which keeps its timers in a list."""

    async def main() -> int:
        async with StreamingToolExecutor(tools(timeout_s=3600.0)) as executor:
            executor.add(shop.block("a", "Edit"))
            assert [update.result async for update in executor.remaining_results() if update.result is not None]
            timers: Any = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
            return sum(not timer.cancelled() for timer in timers)

    assert asyncio.run(main()) == 0


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("nan")])
def test_a_deadline_must_be_above_zero(timeout_s) -> None:
    with pytest.raises(ValueError, match="tool Edit: timeout_s: expected seconds above 0, or None, got"):
        tool(name="Edit", timeout_s=timeout_s)(act)


def test_a_tool_has_no_deadline_unless_it_declares_one() -> None:
    """X5."""
    assert Tool.__dataclass_fields__["timeout_s"].default is None
