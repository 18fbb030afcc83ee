"""Futures and tasks that hash to a number of their loop instead of their address.

The rule: what asyncio keeps in sets (`TaskGroup`, `wait`, `gather`, `as_completed`) has one order, whatever the hash
seed and the memory layout. Tasks are numbered at birth, futures when first hashed; numbers are per loop because the
order of a set depends on the number modulo the size of its table. Two things cannot be pinned: a bare
`asyncio.Future()` (use `loop.create_future()`) and coroutines given to `as_completed`, which it puts into a set before
it makes tasks of them (give it tasks). No times here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .loop import SimLoop

T = TypeVar("T")


class Task(asyncio.Task[T]):
    """A task that hashes to its birth number, which is also the number in its default name, per loop."""

    __slots__ = ("number",)

    def __init__(self, coro: Coroutine[Any, Any, T], *, loop: SimLoop, name: str | None = None, **kwargs: Any) -> None:
        # Before asyncio's constructor, because that puts the task into a set.
        self.number = next(loop.task_numbers)
        super().__init__(coro, loop=loop, name=f"Task-{self.number}" if name is None else name, **kwargs)

    def __hash__(self) -> int:
        return self.number


def _hash_by_number(future: Any) -> int:
    try:
        number: int = future._number
    except AttributeError:
        numbers = getattr(future.get_loop(), "future_numbers", None)
        number = future._number = object.__hash__(future) if numbers is None else next(numbers)
    return number


class Future(asyncio.Future[T]):
    """A future that hashes to a number its loop gives it when it is first hashed."""

    __slots__ = ()
    __hash__ = _hash_by_number


# `gather` makes its future from this private class and leaves no other way in; on other loops the hash stays as it is.
asyncio.tasks._GatheringFuture.__hash__ = _hash_by_number  # type: ignore[attr-defined]
