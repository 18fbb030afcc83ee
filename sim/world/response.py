"""The responses of a scenario as they are played: blocks or bytes at their instants, then the end or the failure.

The rule: what arrives is played by SimPy processes and read by whoever runs the turn. Nanoseconds.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import simpy
from simpy.events import Event

from executor import BlockStream, ToolUseBlock
from executor.events import Announce, Kind
from executor.pipeline.channel import Channel
from executor.wire.assembler import Start
from scenarios.draws import Draws
from scenarios.model import Call, Scenario
from sim.clock import Environment, Rank

from .inputs import CallInput, block_of
from .wire import Plan, planned


class Responses:
    """The attempts at a scenario's response, each played when it is asked for.

    Args:
        scenario: what arrives when.
        draws: what the scenario leaves open.
        env: the world's clock.
        note: takes the responses' events.
        note_block: told of each call when its block may start, and of its attempt.
    """

    def __init__(
        self,
        scenario: Scenario,
        draws: Draws,
        env: Environment,
        note: Announce,
        note_block: Callable[[Call, int], None],
    ) -> None:
        self._attempts = scenario.responses
        self._stream = scenario.stream
        self._draws = draws
        self._env = env
        self._note = note
        self._note_block = note_block
        self._latest = -1
        self.on_discard: Callable[[], None] | None = None
        """Called when the client gives up the attempt that was asked for last, by the attempt's own events."""

    def ask(self, attempt: int) -> AsyncGenerator[ToolUseBlock, None] | BlockStream:
        """Ask for the response, the first time or again, and give its blocks as they come; bytes are read here."""
        self._latest = attempt
        spec = self._attempts[attempt]
        stream = spec.stream or self._stream
        plan = planned(spec, stream, self._draws, f"msg_{attempt}")
        if stream.level == "blocks":
            return self._arriving(attempt, plan, Channel[ToolUseBlock]())
        calls = {call.id: call for call in spec.calls}

        def known(block: ToolUseBlock) -> ToolUseBlock:
            call = calls[block.id]
            if not call.cut:
                self._note_block(call, attempt)
            return block if block.raw is not None else replace(block, input=CallInput(call, read=block.input))

        return _KnownBlocks(self._arriving(attempt, plan, Channel[bytes]()), stream.start, known)

    async def _arriving(self, attempt: int, plan: Plan, channel: Channel[Any]) -> AsyncGenerator[Any, None]:
        process = self._env.process(self._play(attempt, plan, channel))
        try:
            async for item in channel:
                yield item
            if plan.last and plan.told is None:
                # Not when the bytes are there: the blocks in them come first.
                self._note(Kind.RESPONSE_ENDED, None, attempt=attempt)
        finally:
            if process.is_alive:
                process.interrupt()

    def _play(self, attempt: int, plan: Plan, channel: Channel[Any]) -> Generator[Event, None, None]:
        """Play a response, a SimPy process; an interrupt says that nobody reads it any more."""
        pending: Event | None = None
        try:
            if after_ns := self._attempts[attempt].after_ns:
                pending = self._env.timeout_ns(after_ns, rank=Rank.ARRIVAL)
                yield pending
            self._note(Kind.RESPONSE_STARTED, None, attempt=attempt)
            start_ns = self._env.now_ns
            self._play_discards(attempt)
            for at_ns, item in plan.arrivals:
                pending = self._env.at_ns(start_ns + at_ns, rank=Rank.ARRIVAL)
                yield pending
                channel.push(item if isinstance(item, bytes) else self._whole(item, attempt))
            pending = self._env.at_ns(start_ns + plan.end_ns, rank=Rank.STREAM_END)
            yield pending
        except simpy.Interrupt:
            if pending is not None:
                self._env.cancel(pending)
            return
        if plan.told is not None:
            self._note(Kind.RESPONSE_FAILED, None, attempt=attempt, error=plan.told)
        elif not plan.last:
            self._note(Kind.RESPONSE_ENDED, None, attempt=attempt)
        if plan.last:
            channel.push(plan.last)
        channel.close(plan.failure)

    def _play_discards(self, attempt: int) -> None:
        """Let the client give the attempt up at the instants that it says."""

        def give_up(_: Event) -> None:
            if self._latest == attempt and self.on_discard is not None:
                self.on_discard()

        for event in self._attempts[attempt].events:
            if event.do == "discard":
                self._env.timeout_ns(event.at_ns, rank=Rank.STOP).callbacks.append(give_up)

    def _whole(self, call: Call, attempt: int) -> ToolUseBlock:
        self._note_block(call, attempt)
        return block_of(call)


class _KnownBlocks(BlockStream):
    """Blocks read from bytes, each with the call of the scenario that it belongs to."""

    def __init__(
        self, source: AsyncIterator[bytes], start: Start, known: Callable[[ToolUseBlock], ToolUseBlock]
    ) -> None:
        self._known = known
        super().__init__(source, start)

    async def _read(self) -> AsyncGenerator[ToolUseBlock, None]:
        async with aclosing(super()._read()) as blocks:
            async for block in blocks:
                yield self._known(block)
