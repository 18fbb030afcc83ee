"""The executor's side towards its consumer: what can be taken now, and the sleep until there is something (E6–E8).

The rule: a consumer sleeps until something can be handed on; it never polls and never spins (B043).
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Protocol

from ..calls.call import Call
from ..calls.life import Status
from ..calls.progress import Progress
from ..calls.result import ToolResult, Update
from ..events import Announce, Kind, silent
from ..pipeline.channel import Channel
from .context_line import ContextLine
from .emission import EagerEmission, Emission, EmissionOrder


class Running(Protocol):
    """What the outlet must know of the calls that run."""

    @property
    def exclusive(self) -> Sequence[Call]:
        """The exclusive calls that hold their place."""

    @property
    def is_over(self) -> bool:
        """Whether no further result will be put in."""


class Outlet:
    """What goes out of one executor.

    Args:
        order: the order of results (E6).
        announce: told of everything that is handed on.
        line: the context as it stands.
        running: the calls the results come from.
    """

    def __init__(self, order: EmissionOrder, announce: Announce, line: ContextLine, running: Running) -> None:
        self._loop = asyncio.get_running_loop()
        self._announce = announce
        self._line = line
        self._running = running
        self._emission: Emission[Call] = Emission() if order == "ordered" else EagerEmission(self._first_exclusive)
        self._progress: Channel[Progress] = Channel()
        self._sleeper: asyncio.Future[None] | None = None
        self._closed = False

    def waiting(self) -> list[ToolResult]:
        """Results that are final but not handed on, in request order (E12)."""
        return [call.result for call in self._emission.waiting if call.result is not None]

    def put_progress(self, progress: Progress) -> None:
        """Offer progress."""
        self._progress.push(progress)
        self.wake()

    def put_result(self, call: Call) -> None:
        """Offer the result of a call that is completed."""
        self._emission.complete(call.index, call)

    def close(self) -> None:
        """Hand nothing on any more (F6)."""
        self._closed = True
        self._progress.close()
        self.wake()

    def take_all(self) -> Iterator[Update]:
        """Hand on what can be handed on now: progress first, it never comes after its result (G1)."""
        while not self._closed:
            if (progress := self._progress.take_nowait()) is not None:
                self._announce(Kind.EMITTED, progress.call_id, what="progress", n=progress.n)
                yield Update(progress, self._line.current)
            elif (call := self._emission.take()) is not None:
                yield self._hand_on(call)
            else:
                return

    async def wait(self) -> bool:
        """Sleep until something can be handed on; tells whether something can, ``False`` when nothing more will come.

        Raises:
            RuntimeError: somebody else waits already.
        """
        while not self._has_news():
            if self._is_over():
                return False
            if self._sleeper is not None:
                raise RuntimeError("updates are being waited for already: an executor has one consumer at a time")
            self._sleeper = self._loop.create_future()
            try:
                await self._sleeper
            finally:
                self._sleeper = None
        return True

    def wake(self) -> None:
        """Wake the consumer if there is something for it, or nothing more will come."""
        if self._sleeper is None or self._sleeper.done():
            return
        if self._has_news() or self._is_over():
            self._sleeper.set_result(None)

    def _has_news(self) -> bool:
        return not self._closed and (self._progress.has_items or self._emission.may_take())

    def _is_over(self) -> bool:
        return self._closed or (self._running.is_over and self._emission.is_empty)

    def _first_exclusive(self) -> int | None:
        """The exclusive call at which the eager walk stops."""
        executing = (call.index for call in self._running.exclusive if call.status is Status.EXECUTING)
        return min(executing, default=None)

    def _hand_on(self, call: Call) -> Update:
        result = call.result
        assert result is not None, "only a completed call is put in"
        call.advance(Status.YIELDED)
        call.emitted_s = self._loop.time()
        if self._announce is not silent:
            self._announce(Kind.YIELDED, call.id)
            self._announce(
                Kind.EMITTED,
                call.id,
                what="result",
                outcome=result.outcome,
                started=result.started,
                is_error=result.is_error,
                abandoned=result.abandoned,
            )
        return Update(result, self._line.current)
