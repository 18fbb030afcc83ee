"""Work beside a call, alone: what ends it, in which order, and what is known of it then (H6, A9)."""

import asyncio
from typing import Any

import pytest

from executor import ToolUseBlock
from executor.calls.call import Call
from executor.pipeline.movable import Movable, current_task, leave_if_cancelled
from executor.pipeline.side_work import SideBySide, SideWork
from sim import clock


async def nap(takes_s: float, resists: bool = False) -> None:
    """Take so long; one that resists cannot be cancelled."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + takes_s
    while (rest_s := end_s - loop.time()) > 0:
        try:
            await asyncio.sleep(rest_s)
        except asyncio.CancelledError:
            if not resists:
                raise


class Beside:
    """Works of one call, run in a task of their own, and what was told of them."""

    def __init__(self, *works: SideWork[None], grace_s: float = 1.0) -> None:
        self.works = works
        self.tasks: list[asyncio.Task[None]] = []
        self.over: list[tuple[str, str, float]] = []
        self.strays: list[tuple[str, asyncio.Task[Any]]] = []
        call = Call(ToolUseBlock("a", "Read", {}), 0, None, 0.0)
        self._side = SideBySide[None](call, grace_s, self._on_over, lambda *stray: self.strays.append(stray[1:]))
        self._go_on(Movable(self._run(), self._go_on))

    async def _run(self) -> None:
        for work in self.works:
            await self._side.keep(work)
        await self._side.until_over()

    def _go_on(self, course: Movable[None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(course))

    def _on_over(self, work: SideWork[None]) -> None:
        self.over.append((work.name, work.how, asyncio.get_running_loop().time()))


def test_a_cancellation_that_no_signal_explains_cuts_the_work_off_and_is_passed_on() -> None:
    """H6."""

    async def main() -> Any:
        beside = Beside(SideWork("one", nap(9.0), 0.0, None), SideWork("two", nap(9.0), 0.0, None))
        await asyncio.sleep(0.5)
        *kept, course = beside.tasks
        course.cancel()
        await asyncio.wait([course])
        return course.cancelled(), [task.done() for task in kept], beside.over

    assert clock.run(main()) == (True, [True, True], [("one", "cut", 0.5), ("two", "cut", 0.5)])


def test_messages_and_debuggers_find_the_name_and_the_frame_of_what_runs() -> None:
    async def main() -> tuple[Any, ...]:
        course = Movable(nap(1.0), lambda moved: None)
        task = asyncio.get_running_loop().create_task(course)
        await asyncio.sleep(0.5)
        shown = repr(task)
        await task
        return course.__name__, course.cr_frame, "nap()" in shown

    assert clock.run(main()) == ("nap", None, True)


def test_nothing_but_a_task_awaits_what_can_move_to_another() -> None:
    """Awaited by a coroutine it could not leave that one's task."""

    async def main() -> None:
        course = Movable(nap(0.0), lambda moved: None)
        try:
            await course
        finally:
            course.close()

    with pytest.raises(TypeError, match=r"^a movable coroutine runs in a task, nothing else can await it$"):
        clock.run(main())


def test_what_leaves_a_task_that_was_cancelled_leaves_it_nothing_but_the_cancellation() -> None:
    """The call goes on elsewhere and ends well; the task it left is cancelled, without an error of its own."""

    async def main() -> Any:
        tasks: list[asyncio.Task[str]] = []

        async def course() -> str:
            current_task().cancel()
            await leave_if_cancelled()
            return "went on"

        def go_on(moved: Movable[str]) -> None:
            tasks.append(asyncio.get_running_loop().create_task(moved))

        go_on(Movable(course(), go_on))
        await asyncio.sleep(1.0)
        left, moved = tasks
        return left.cancelled(), moved.result()

    assert clock.run(main()) == (True, "went on")


def test_a_task_is_shown_by_the_coroutine_that_runs_in_it() -> None:
    """What debuggers and asyncio's own messages ask: its name and where it stands."""

    async def main() -> str:
        task = asyncio.get_running_loop().create_task(Movable(nap(1.0), lambda moved: None))
        await asyncio.sleep(0.5)
        shown = repr(task)
        await task
        return shown

    shown = clock.run(main())
    assert "coro=<nap() running at " in shown
    assert "test_side_work.py:" in shown


def test_work_that_was_left_running_is_over_when_it_was_left_and_its_own_end_changes_nothing() -> None:
    """A9."""

    async def main() -> Any:
        beside = Beside(SideWork("stubborn", nap(9.0, resists=True), 0.0, 1.0))
        while not beside.strays:
            await asyncio.sleep(0.5)
        ((name, stray),) = beside.strays
        await asyncio.wait([stray])
        return name, stray.exception(), beside.over, asyncio.get_running_loop().time()

    assert clock.run(main()) == ("stubborn", None, [("stubborn", "late", 2.0)], 9.0)
