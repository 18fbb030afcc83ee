"""A push-to-pull channel: a callback on one side, an async iterator on the other (X3)."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Channel(Generic[T]):
    """Single use: one writer pushes and closes, one reader iterates.

    An item is handed straight to a reader that waits, else it is kept. Items pushed after the end are dropped. An
    error given to :meth:`close` reaches the reader after the items before it. A reader that cannot wait takes with
    :meth:`take_nowait`.
    """

    __slots__ = ("_closed", "_error", "_items", "_iterated", "_reader")

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._reader: asyncio.Future[tuple[T] | None] | None = None
        self._iterated = False
        self._closed = False
        self._error: BaseException | None = None

    @property
    def has_items(self) -> bool:
        """Whether an item waits to be taken."""
        return bool(self._items)

    def push(self, item: T) -> bool:
        """Give one item to the reader; tells whether it was taken, ``False`` after the end."""
        if self._closed:
            return False
        if self._reader is not None and not self._reader.done():
            self._reader.set_result((item,))
        else:
            self._items.append(item)
        return True

    def close(self, error: BaseException | None = None) -> None:
        """End the channel, with an error for the reader if there was one; a second end changes nothing."""
        if self._closed:
            return
        self._closed, self._error = True, error
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def take_nowait(self) -> T | None:
        """Take the oldest item that waits, ``None`` if none does."""
        return self._items.popleft() if self._items else None

    def __aiter__(self) -> AsyncIterator[T]:
        if self._iterated:
            raise RuntimeError("this channel has been iterated already: it has one reader, once")
        self._iterated = True
        return self._read()

    async def _read(self) -> AsyncIterator[T]:
        while True:
            while self._items:
                yield self._items.popleft()
            if self._closed:
                break
            self._reader = asyncio.get_running_loop().create_future()
            if (handed := await self._reader) is not None:
                yield handed[0]
        if self._error is not None:
            raise self._error
