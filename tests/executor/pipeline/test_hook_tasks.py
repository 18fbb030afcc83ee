"""Hooks side by side: which task and which context each runs in (H6–H8, A9)."""

import asyncio
import sys
from contextvars import ContextVar
from typing import Any

import pytest

from executor import HookEvent, Hooks, ToolSet, tool

HOOK: ContextVar[str] = ContextVar("HOOK", default="nobody")


def test_a_hook_that_waits_keeps_one_task_which_is_nobody_elses(shop) -> None:
    """H8: libraries remember the task they were entered in; so it is the hook's own, before its first wait too."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def waits(event: HookEvent) -> None:
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0.1)
        tasks.append(asyncio.current_task())

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[waits, waits]))
    assert played.outcomes == {"a": "ok"}
    first, second, *later = tasks
    assert first is not second
    assert later == [first, second]
    assert [task.get_name() for task in (first, second) if task] == ["call a: hook waits"] * 2


def test_a_timeout_within_a_hook_ends_what_is_within_it_and_nothing_else(shop) -> None:
    """H8, H7."""

    async def patient(event: HookEvent) -> None:
        try:
            async with asyncio.timeout(0.2):
                await asyncio.sleep(9.0)
        except TimeoutError:
            await asyncio.sleep(0.1)

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[patient, patient]))
    assert played.guarded_rows[2:5] == [
        "300 hook_ended a pre patient done",
        "300 hook_ended a pre patient done",
        "300 permitted a by nobody",
    ]


def test_what_a_hook_sets_in_its_context_stays_there(shop) -> None:
    """H8: after a wait it is still there, and no other hook and no body meets it."""
    seen: list[str] = []

    async def sets(event: HookEvent) -> None:
        seen.append(HOOK.get())
        HOOK.set("first")
        if event.call_id == "b":
            await asyncio.sleep(0.1)
        seen.append(HOOK.get())

    async def looks(event: HookEvent) -> None:
        seen.append(HOOK.get())

    shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[sets, looks]))
    assert seen == ["nobody", "first", "nobody"]
    seen.clear()
    shop.play((0.0, shop.block("b")), hooks=Hooks(pre=[sets, looks]))
    assert seen == ["nobody", "nobody", "first"]


def test_only_a_hook_that_waits_costs_a_task(shop) -> None:
    """H8: it keeps the one it was begun in, where the call was; the call and what is still to be heard move on."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def at_once(event: HookEvent) -> None:
        tasks.append(asyncio.current_task())

    async def waits(event: HookEvent) -> None:
        await asyncio.sleep(0.1)
        tasks.append(asyncio.current_task())

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[at_once, at_once, waits, at_once], post=[at_once]))
    first, second, moved_on, kept, after = tasks
    assert first is second is kept
    assert moved_on is after is not kept
    assert [task.get_name() for task in (kept, after) if task is not None] == ["call a: hook waits", "call a"]
    assert played.guarded_rows[:9] == [
        "0 hook_started a pre at_once",
        "0 hook_ended a pre at_once done",
        "0 hook_started a pre at_once",
        "0 hook_ended a pre at_once done",
        "0 hook_started a pre waits",
        "0 hook_started a pre at_once",
        "0 hook_ended a pre at_once done",
        "100 hook_ended a pre waits done",
        "100 permitted a by nobody",
    ]


def test_a_hook_that_is_cancelled_by_itself_and_minds_it_not_harms_no_other(shop) -> None:
    """A12, H7: the cancellation was its own, whether it was met or not."""

    async def cancels(event: HookEvent) -> None:
        _cancel_this_task()

    async def waits(event: HookEvent) -> None:
        await asyncio.sleep(0.1)

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[cancels, waits]))
    assert played.outcomes == {"a": "ok"}
    assert [row for row in played.guarded_rows if "hook_ended" in row] == [
        "0 hook_ended a pre cancels done",
        "100 hook_ended a pre waits done",
    ]


@pytest.mark.parametrize("error", [None, OSError("no disk"), asyncio.CancelledError()])
def test_a_cancellation_that_a_hook_left_behind_does_not_meet_the_body(shop, error) -> None:
    """A12, H7: the hook is over without having waited; what it asked of its task was meant for itself."""

    async def cancels(event: HookEvent) -> None:
        _cancel_this_task()
        if error is not None:
            raise error

    played = shop.play((0.0, shop.block("a", takes=0.3)), hooks=Hooks(pre=[cancels]))
    assert played.outcomes == {"a": "ok"}
    ended = "raised" if error else "done"
    assert played.guarded_rows[1:] == [
        f"0 hook_ended a pre cancels {ended}",
        "0 permitted a by nobody",
        "0 entered a",
        "300 left a ok",
        "300 emitted a ok",
        "300 turn_ended completed",
    ]


def test_a_cancellation_that_a_body_left_behind_does_not_meet_the_hooks_after_it(shop) -> None:
    """A12, H5."""

    async def waits(event: HookEvent) -> None:
        await asyncio.sleep(0.1)

    async def cancels() -> None:
        _cancel_this_task()

    tools = ToolSet([tool(name="Read")(cancels)])
    played = shop.play((0.0, shop.block("a")), tools=tools, hooks=Hooks(post=[waits]))
    assert played.outcomes == {"a": "ok"}
    assert "100 hook_ended a post waits done" in played.guarded_rows


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with Python 3.12")
def test_calls_move_on_where_tasks_are_eager_too(shop) -> None:
    """H8: a task that begins at once may be left by its call before whoever made it knows of it."""

    async def waits(event: Any) -> None:
        await asyncio.sleep(0.1)

    eager = [(0.0, lambda turn: asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory))]
    turn = (0.1, shop.block("a", takes=0.3)), (0.1, shop.block("b"))
    played = shop.play(*turn, acts=eager, hooks=Hooks(pre=[waits, waits]))
    assert played.emitted_ms == [(500, "a"), (500, "b")]
    assert played.outcomes == {"a": "ok", "b": "ok"}


def _cancel_this_task() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def test_hooks_that_have_not_begun_when_the_turn_is_stopped_never_begin(shop) -> None:
    """H6: the stop comes from a hook before them, which does not wait."""
    begun: list[str] = []
    turns: list[Any] = []

    async def stops(event: HookEvent) -> None:
        turns[0].stop()

    async def begins(event: HookEvent) -> None:
        begun.append(event.call_id)

    played = shop.play((0.1, shop.block("a")), acts=[(0.0, turns.append)], hooks=Hooks(pre=[stops, begins]))
    assert (begun, played.outcomes) == ([], {"a": "user_interrupted"})
    assert "100 hook_ended a pre begins cut" in played.guarded_rows


@pytest.mark.parametrize("how", ["hook", "question"])
def test_a_call_that_others_cancel_just_as_it_moves_on_ends_when_what_it_left_behind_has_ended(shop, how) -> None:
    """A12, E10: its new task may not have begun; what it left keeps a task of its own, and nothing waits for ever."""
    ended: list[str] = []

    async def waits(event: Any) -> Any:
        asyncio.get_running_loop().call_soon(
            lambda: [task.cancel() for task in asyncio.all_tasks() if task.get_name() == "call a"]
        )
        try:
            await asyncio.sleep(9.0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
            ended.append(event.call_id)
            raise

    asked = {"hooks": Hooks(pre=[waits])} if how == "hook" else {"can_use_tool": waits}
    played = shop.play((0.0, shop.block("a")), **asked)
    assert (played.outcomes, ended, played.started_ms) == ({"a": "error"}, ["a"], [])
    assert played.emitted_ms == [(100, "a")]
