"""Hooks side by side: which task and which context each runs in (H6–H8, A9)."""

import asyncio
from contextvars import ContextVar
from typing import Any

from executor import Attachment, HookEvent, Hooks

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


def test_hooks_that_never_wait_share_a_task_and_end_in_their_order(shop) -> None:
    """H8: a task for each would be most of what they cost."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def at_once(event: HookEvent) -> None:
        tasks.append(asyncio.current_task())

    async def waits(event: HookEvent) -> None:
        await asyncio.sleep(0.1)
        tasks.append(asyncio.current_task())

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[at_once, at_once, waits, at_once]))
    assert tasks[0] is tasks[1] is tasks[3]
    assert tasks[2] is not tasks[0]
    assert tasks[3] is not None
    assert tasks[3].get_name() == "call a: hook waits"
    assert played.guarded_rows[4:9] == [
        "0 hook_ended a pre at_once done",
        "0 hook_ended a pre at_once done",
        "0 hook_ended a pre at_once done",
        "100 hook_ended a pre waits done",
        "100 permitted a by nobody",
    ]


def test_a_hook_that_is_cancelled_by_itself_and_minds_it_not_harms_no_other(shop) -> None:
    """A12, H7: the cancellation was its own, whether it was met or not."""

    async def cancels(event: HookEvent) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    async def waits(event: HookEvent) -> None:
        await asyncio.sleep(0.1)

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[cancels, waits]))
    assert played.outcomes == {"a": "ok"}
    assert [row for row in played.guarded_rows if "hook_ended" in row] == [
        "0 hook_ended a pre cancels done",
        "100 hook_ended a pre waits done",
    ]


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


def test_hooks_whose_task_others_cancel_before_it_has_begun_have_failed(shop) -> None:
    """A12, H7: the call goes on, and nothing waits for ever."""

    def cancels_all(event: HookEvent) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(
            lambda: [task.cancel() for task in asyncio.all_tasks() if task.get_name() == "call a: hook late"]
        )

    async def late(event: HookEvent) -> None:
        raise AssertionError("it never begins")

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[cancels_all, late]))
    assert played.outcomes == {"a": "ok"}
    assert played.results["a"].attachments == (Attachment("hook_error", "late", "CancelledError"),)
