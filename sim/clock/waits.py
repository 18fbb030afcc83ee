"""The points at which a coroutine waits, and its cancellation at chosen ones.

The rule: points are counted from 1 and are the same in every run of the same program, so that a cancellation can be
repeated exactly. No times here.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable, Collection, Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")


class Waits:
    """Counts the points at which one coroutine waits, and cancels its task there.

    `cancel_at` are points at which it is cancelled at once; `wake_at` those at which it is cancelled at the moment it
    would go on, when what it waited for is there already. `on_cancel` is told of each.

    >>> async def main():
    ...     try:
    ...         await asyncio.sleep(1)
    ...         await asyncio.sleep(1)
    ...     except asyncio.CancelledError:
    ...         return asyncio.get_running_loop().time()
    >>> from sim.clock import run
    >>> waits = Waits(cancel_at=[2]), Waits(wake_at=[2])
    >>> [run(each.watch(main())) for each in waits], waits[0].count
    ([1.0, 2.0], 2)
    """

    def __init__(
        self,
        cancel_at: Collection[int] = (),
        wake_at: Collection[int] = (),
        on_cancel: Callable[[], None] = lambda: None,
    ) -> None:
        self.count = 0
        """How many points there were so far."""
        self.on_cancel = on_cancel
        self._cancel_at = frozenset(cancel_at)
        self._wake_at = frozenset(wake_at)

    async def watch(self, coro: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine in the present task."""
        return await self._step(coro)

    @types.coroutine
    def _step(self, coro: Coroutine[Any, Any, T]) -> Generator[Any, None, T]:
        """Do what `await coro` does, with a look at all that it waits for."""
        error: BaseException | None = None
        task = asyncio.current_task()
        assert task is not None, "what is watched runs in a task"
        while True:
            try:
                awaited = coro.send(None) if error is None else coro.throw(error)
            except StopIteration as end:
                value: T = end.value
                return value
            self.count += 1
            if self.count in self._cancel_at:
                task.get_loop().call_soon(self._cancel, task)
            elif self.count in self._wake_at:
                if awaited is None:
                    self._cancel(task)
                else:
                    # Heard before the task's own callback, which is added after this yield.
                    awaited.add_done_callback(lambda _: self._cancel(task))
            try:
                yield awaited
            except BaseException as thrown:
                error = thrown
            else:
                error = None

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        self.on_cancel()
        task.cancel()
