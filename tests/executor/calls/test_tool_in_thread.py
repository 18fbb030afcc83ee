"""Synchronous tools run in a thread: real time here, in steps of some milliseconds."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest

from executor import CallHandle, Options, Progress, StreamingToolExecutor, ToolResult, ToolSet, ToolUseBlock, tool
from executor.engines.report import ClosingReport

WHO = contextvars.ContextVar("WHO", default="nobody")


def run(function: Callable[..., Any], *calls: str, **options: Any) -> tuple[list[Any], ClosingReport]:
    """Run calls of a safe tool made of the function on a real loop; tells the messages and the closing report."""

    async def main() -> tuple[list[Any], ClosingReport]:
        made = tool(name="Sync", concurrency_safe=True)(function)
        async with StreamingToolExecutor(ToolSet([made]), options=Options(**options)) as executor:
            for call in calls:
                executor.add(ToolUseBlock(call, "Sync", {}))
            messages = [update.message async for update in executor.remaining_results()]
        return messages, executor.report

    return asyncio.run(asyncio.wait_for(main(), 5))


def test_a_synchronous_function_runs_in_a_thread_and_sees_the_context_variables() -> None:
    seen: list[tuple[bool, str]] = []

    def look() -> str:
        seen.append((threading.current_thread() is threading.main_thread(), WHO.get()))
        return "looked"

    token = WHO.set("somebody")
    try:
        messages, _ = run(look, "a")
    finally:
        WHO.reset(token)
    assert seen == [(False, "somebody")]
    assert [(message.outcome.value, message.content) for message in messages] == [("ok", "looked")]


def test_safe_calls_in_threads_run_at_the_same_time() -> None:
    """E3: each waits for the other, so one after the other would never end."""
    meeting = threading.Barrier(2, timeout=3)

    def meet() -> str:
        meeting.wait()
        return "met"

    messages, _ = run(meet, "a", "b")
    assert [message.content for message in messages] == ["met", "met"]


def test_a_thread_s_progress_is_taken_in_order_before_its_result_and_none_is_lost() -> None:
    """E7."""

    def count(call: CallHandle) -> str:
        for n in range(100):
            call.progress(n)
        return "done"

    messages, _ = run(count, "a")
    assert messages[:-1] == [Progress("a", n, n) for n in range(100)]
    assert isinstance(messages[-1], ToolResult)


@pytest.mark.parametrize(
    ("error", "content"),
    [
        (OSError("disk full"), "disk full"),
        (ValueError(), "ValueError"),
        (StopIteration(), "StopIteration"),
        (StopIteration("no more"), "no more"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_whatever_a_thread_raises_becomes_an_error_result(error: BaseException, content: str) -> None:
    """X4, A12: `next(...)` in a tool must not hang the turn because no future takes a StopIteration."""

    def fail() -> None:
        raise error

    messages, _ = run(fail, "a")
    assert [(message.outcome.value, message.content) for message in messages] == [("error", content)]


def test_a_thread_that_asks_for_the_end_of_the_turn_is_heard() -> None:
    """A4."""
    refused = threading.Event()

    def refuse(call: CallHandle) -> str:
        call.signal.listen(lambda reason: refused.set())
        call.abort_turn()
        return str(refused.wait(3))

    messages, _ = run(refuse, "a", "b", max_concurrency=1)
    assert [(m.call_id, m.outcome.value, m.started) for m in messages] == [
        ("a", "ok", True),
        ("b", "user_interrupted", False),
    ]


def test_a_thread_that_cannot_be_stopped_is_abandoned_after_twice_the_grace_and_listed() -> None:
    """A9, E10: leaving does not wait for it, and what it brings afterwards is dropped and noted (A6)."""
    go_on = threading.Event()

    async def main() -> None:
        def stubborn() -> str:
            go_on.wait(5)
            return "late"

        made = tool(name="Sync", concurrency_safe=True)(stubborn)
        loop = asyncio.get_running_loop()
        async with StreamingToolExecutor(ToolSet([made]), options=Options(grace_s=0.02)) as executor:
            executor.add(ToolUseBlock("a", "Sync", {}))
            await asyncio.sleep(0.01)
            left_s = loop.time()
        assert 0.035 < loop.time() - left_s < 1
        assert executor.report.abandoned == ("a",)
        [result] = executor.report.unclaimed
        assert (result.outcome.value, result.started, result.abandoned) == ("user_interrupted", True, True)
        go_on.set()
        while executor.report.abandoned:
            await asyncio.sleep(0.001)
        assert executor.report.unclaimed == (result,)
        assert [fault.call_id for fault in executor.report.faults] == ["a"]

    try:
        asyncio.run(asyncio.wait_for(main(), 5))
    finally:
        go_on.set()


def test_an_ordinary_function_around_an_async_one_is_waited_for() -> None:
    """Its result is what the coroutine gives, never the coroutine."""

    async def inner() -> str:
        await asyncio.sleep(0)
        return "done"

    messages, _ = run(lambda: inner(), "a")
    assert [(message.outcome.value, message.content) for message in messages] == [("ok", "done")]
