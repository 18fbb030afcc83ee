"""Work that goes on after its call was settled with a handle (X8, B084, E10, A8, A9)."""

import asyncio
from typing import Any

import pytest

from executor import Background, CallHandle, HookEvent, Hooks, ToolSet, UpdatedInput, tool

ENDED: list[str] = []


async def goes_on(name: str, takes: float, how: str = "") -> None:
    """Background work; ``how``: ``fails`` | ``resists`` its cancellation."""
    loop = asyncio.get_running_loop()
    end = loop.time() + takes
    while (rest := end - loop.time()) > 0:
        try:
            await asyncio.sleep(rest)
        except asyncio.CancelledError:
            ENDED.append(f"{name} cancelled")
            if how != "resists":
                raise
    if how == "fails":
        raise OSError("broke off")
    ENDED.append(name)


async def start(call: CallHandle, takes: float = 1.0, detached: bool = False, how: str = "", hard: bool = True) -> Any:
    await asyncio.sleep(0.1)
    return Background(f"runs as {call.call_id}", goes_on(call.call_id, takes, how), detached)


async def read(takes: float = 0.0) -> str:
    await asyncio.sleep(takes)
    return "read"


TOOLS = ToolSet(
    [
        tool(name="Bash", concurrency_safe=lambda given: given.get("hard") is False)(start),
        tool(name="Read", concurrency_safe=True, interrupt="cancel")(read),
    ]
)


@pytest.fixture(autouse=True)
def forget() -> None:
    ENDED.clear()


def play(shop: Any, *timed: Any, **options: Any) -> Any:
    return shop.play(*timed, tools=TOOLS, **options)


def test_an_exclusive_call_is_settled_at_once_and_stays_exclusive_until_its_work_ends(shop) -> None:
    """X8, B084: git add goes on, git commit waits for it; nothing executes meanwhile (E9)."""
    activity: list[Any] = []
    played = play(
        shop,
        (0.0, shop.block("a", "Bash")),
        (0.0, shop.block("b", "Bash", takes=0.0)),
        (0.5, shop.block("c")),
        on_activity=lambda executing, interruptible: activity.append(executing),
    )
    assert played.rows == [
        "0 entered a",
        "100 left a background",
        "100 emitted a ok",
        "1100 work_ended a",
        "1100 entered b",
        "1200 left b background",
        "1200 emitted b ok",
        "1200 work_ended b",
        "1200 entered c",
        "1200 left c ok",
        "1200 emitted c ok",
        "1200 turn_ended completed",
    ]
    assert played.results["a"].content == "runs as a"
    assert activity == [("a",), (), ("b",), (), ("c",), ()]
    assert ENDED == ["a", "b"]


def test_detached_work_keeps_nobody_out(shop) -> None:
    """X8: it is the executor's all the same and ends with it (E10)."""
    played = play(shop, (0.0, shop.block("a", "Bash", detached=True, takes=9.0)), (0.0, shop.block("c")))
    assert played.emitted_ms == [(100, "a"), (100, "c")]
    assert ENDED == ["a cancelled"]
    assert played.turn.report.background == ("a",)


def test_work_of_a_safe_call_keeps_nobody_out(shop) -> None:
    """X8."""
    played = play(shop, (0.0, shop.block("a", "Bash", hard=False)), (0.2, shop.block("b", "Bash", takes=0.0)))
    assert played.started_ms == [(0, "a"), (200, "b")]


def test_work_that_fails_frees_its_place_and_is_noted(shop) -> None:
    """X8: the call's result stands (A6)."""
    played = play(shop, (0.0, shop.block("a", "Bash", how="fails")), (0.0, shop.block("c", takes=0.1)))
    assert played.outcomes == {"a": "ok", "c": "ok"}
    assert played.started_ms[-1] == (1100, "c")
    assert [fault.what for fault in played.turn.report.faults] == ["its background work failed: broke off"]


def test_work_that_still_goes_on_at_the_end_is_ended_and_listed(shop) -> None:
    """E10: the turn does not wait for it."""
    played = play(shop, (0.0, shop.block("a", "Bash", takes=9.0)))
    assert played.recorder.events[-1].t_ns == 100_000_000
    assert (ENDED, played.turn.report.background) == (["a cancelled"], ("a",))


def test_a_stop_answers_what_waits_behind_background_work_at_once(shop) -> None:
    """A7, E10."""
    acts = [(0.5, lambda turn: turn.stop())]
    played = play(shop, (0.0, shop.block("a", "Bash", takes=9.0)), (0.0, shop.block("c")), acts=acts)
    assert played.emitted_ms == [(100, "a"), (500, "c")]
    assert played.outcomes == {"a": "ok", "c": "user_interrupted"}
    assert ENDED == ["a cancelled"]


def test_a_fallback_ends_background_work_before_the_retry_starts(shop) -> None:
    """A8, S1: exclusivity holds across it."""

    def first() -> Any:
        return shop.response((0.0, shop.block("a", "Bash", takes=9.0)), ends_s=0.5, fails=OSError("cut"))

    def second() -> Any:
        return shop.response((0.0, shop.block("b", "Bash", takes=0.0)))

    played = play(shop, attempts=[first, second])
    assert played.outcomes == {"a": "ok", "b": "ok"}
    assert ENDED == ["a cancelled", "b"] or ENDED == ["a cancelled", "b cancelled"]
    assert played.started_ms == [(0, "a"), (500, "b")]


def test_work_that_resists_is_left_and_listed_and_an_exclusive_one_poisons_the_turn(shop) -> None:
    """A9, E10: nothing starts beside it, in the retry either."""

    def first() -> Any:
        block = shop.block("a", "Bash", takes=9.0, how="resists", hard=True)
        return shop.response((0.0, block), ends_s=0.5, fails=OSError("cut"))

    def second() -> Any:
        return shop.response((0.0, shop.block("b")))

    played = play(shop, attempts=[first, second], grace_s=1.0)
    assert played.outcomes == {"a": "ok", "b": "sibling_error"}
    assert played.emitted_ms[-1] == (1500, "b")
    assert played.turn.report.abandoned == ("a: background work",)


def test_work_that_was_left_is_told_of_when_it_is_over_after_all(shop) -> None:
    """X8, E10: the log says when, and what was listed stays listed."""

    def first() -> Any:
        block = shop.block("a", "Bash", takes=2.6, how="resists", hard=True)
        return shop.response((0.0, block), ends_s=0.5, fails=OSError("cut"))

    def second() -> Any:
        return shop.response((0.0, shop.block("b")), ends_s=2.0)

    played = play(shop, attempts=[first, second], grace_s=1.0)
    assert played.instants_ms("work_ended") == [(2700, "a")]
    assert played.rows[-1] == "3500 turn_ended completed"


def test_work_handed_over_while_the_executor_closes_is_ended_at_once(shop) -> None:
    """E10: a body that returns in spite of its signal."""

    @tool(name="Bash")
    async def stubborn(call: CallHandle) -> Background:
        try:
            await asyncio.sleep(9.0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
        return Background("handle", goes_on("late", 9.0))

    played = shop.play(
        (0.0, shop.block("a", "Bash")),
        tools=ToolSet([stubborn]),
        acts=[(0.2, lambda turn: turn.stop())],
        grace_s=0.5,
    )
    assert played.outcomes == {"a": "ok"}
    assert ENDED in ([], ["late cancelled"])
    assert played.turn.report.background == ("a",)


def test_work_of_a_body_that_comes_too_late_never_begins(shop) -> None:
    """A6, A9: it is closed, not left unawaited."""

    @tool(name="Read", concurrency_safe=True, timeout_s=0.1)
    async def stubborn(call: CallHandle) -> Background:
        await shop.resist(2.0)
        return Background("handle", goes_on("late", 9.0))

    blocks = [(0.0, shop.block("a")), (3.0, shop.block("b", "Slow"))]
    played = shop.play(*blocks, tools=ToolSet([stubborn]), grace_s=0.5)
    assert played.outcomes == {"a": "timeout", "b": "unknown_tool"}
    assert ENDED == []


def test_a_call_that_became_exclusive_keeps_those_behind_it_out_until_its_work_ends(shop) -> None:
    """H8, X8."""

    async def harden(event: HookEvent) -> Any:
        if event.call_id == "a":
            return UpdatedInput({**event.input, "hard": True})
        await asyncio.sleep(0.05)
        return None

    blocks = [(0.0, shop.block("a", "Bash", hard=False)), (0.0, shop.block("b"))]
    assert play(shop, *blocks, hooks=Hooks(pre=[harden])).started_ms == [(0, "a"), (1100, "b")]


def test_under_eager_emission_a_settled_call_with_work_holds_no_result_back(shop) -> None:
    """E6: it does not execute any more."""
    blocks = [(0.0, shop.block("a", "Bash")), (0.2, shop.block("x", "Nothing"))]
    assert play(shop, *blocks, emission="eager").emitted_ms == [(100, "a"), (200, "x")]
