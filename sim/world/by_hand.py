"""A turn moved by hand: what arrives, how time passes, when somebody takes results, what the user does, step by step.

The rule: between two steps time stands still, and everything that was due has happened. Unit: nanoseconds.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import partial
from typing import Any

from simpy.events import Event

from executor import BlockStream, Engine, Progress, ToolResult, ToolUseBlock, Update
from executor.events import Event as Row
from executor.events import Kind
from executor.pipeline.channel import Channel
from scenarios.calls import Call
from scenarios.model import Happening, Scenario
from sim.clock import Deadlock, Livelock, Rank, SimLoop

from .inputs import block_of
from .own import AnyExecutor
from .own_stage import OwnStage
from .seat import seated
from .stage import Stage
from .wire import ResponseFailed


class StageByHand(Stage):
    """A stage whose response is fed, and whose consumer is sent, from outside."""

    tell: Callable[[Happening], None]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.feed: Channel[ToolUseBlock] | None = None
        """What is read of the response; ``None`` before it is asked for and once nobody reads it any more."""
        self.returns = asyncio.Event()
        """Whether the consumer comes back for more."""

    def arrive(self, call: Call) -> None:
        """Let a block arrive."""
        assert self.feed is not None, "nobody reads the response"
        self._index[call.id] = len(self._index)
        self._note_block(call, 0)
        self.feed.push(block_of(call))

    def end_response(self, failure: str | None = None) -> None:
        """Let the response end, or break off."""
        assert self.feed is not None, "nobody reads the response"
        feed, self.feed = self.feed, None
        if failure is None:
            self.note(Kind.RESPONSE_ENDED, None, attempt=0)
            feed.close()
        else:
            self.note(Kind.RESPONSE_FAILED, None, attempt=0, error=failure)
            feed.close(ResponseFailed(failure))

    def blocks(self, attempt: int = 0) -> AsyncGenerator[ToolUseBlock, None] | BlockStream:
        """Ask for the response and give its blocks as they are fed."""
        self.note(Kind.RESPONSE_STARTED, None, attempt=attempt)
        self.feed = Channel()
        return self._read(self.feed)

    async def hand_on(self, message: ToolResult | Progress | Update) -> bool:
        """Hand something to the consumer and wait until it comes back; tells whether it wants more."""
        self.emit(message)
        await self.returns.wait()
        return self.consumer_stays

    async def _read(self, feed: Channel[ToolUseBlock]) -> AsyncGenerator[ToolUseBlock, None]:
        try:
            async for block in feed:
                yield block
        finally:
            self.feed = None

    def _play_user(self, tell: Callable[[Happening], None]) -> Generator[Event, None, None]:
        self.tell = tell
        yield from ()


class OwnStageByHand(OwnStage, StageByHand):
    """The same for an executor that is not ours."""


class TurnByHand:
    """One turn under one executor, step by step; to be closed by :meth:`close`.

    Args:
        scenario: the tools and the options; its calls are added by hand.
        engine: as for :func:`sim.simulate`.

    >>> by_hand = TurnByHand(Scenario())
    >>> by_hand.add(Call(id="a", takes="1s"))
    >>> by_hand.pass_time(10**9)
    >>> [event.kind.value for event in by_hand.events][-2:]
    ['yielded', 'emitted']
    >>> by_hand.close()
    """

    def __init__(self, scenario: Scenario, engine: Engine | AnyExecutor = "streaming") -> None:
        self._runner = asyncio.Runner(loop_factory=SimLoop)
        loop = self._runner.get_loop()
        assert isinstance(loop, SimLoop), "it was made by SimLoop"
        self._loop = loop
        self._is_halted = False
        self._seat = seated(scenario, engine, 0, loop, ours=StageByHand, own=OwnStageByHand)
        assert isinstance(self._seat.stage, StageByHand), "both kinds are"
        self._stage = self._seat.stage
        self._playing = loop.create_task(self._seat.play())
        self.pass_time(0)

    @property
    def header(self) -> dict[str, Any]:
        """The log's header."""
        return dict(self._stage.recorder.header)

    @property
    def events(self) -> tuple[Row, ...]:
        """The log so far."""
        return tuple(self._stage.recorder.events)

    @property
    def is_read(self) -> bool:
        """Whether the response is read, so that a block can arrive."""
        return self._stage.feed is not None

    @property
    def is_over(self) -> bool:
        """Whether the turn has come to its end."""
        return self._is_halted or self._playing.done()

    def add(self, call: Call) -> None:
        """Let a call's block arrive, now; what the call says of its instant does not count."""
        self._do(partial(self._stage.arrive, call))

    def poll(self) -> None:
        """Let the consumer take what there is."""
        self._do(self._stage.returns.set)
        self._stage.returns.clear()

    def tell(self, happening: Happening) -> None:
        """Let the user do something, now: stop, submit, discard, or cancel the task that drives the turn."""
        self._do(partial(self._stage.tell, happening))

    def end_response(self, failure: str | None = None) -> None:
        """Let the response end, or break off."""
        self._do(partial(self._stage.end_response, failure))

    def pass_time(self, takes_ns: int) -> None:
        """Let time pass, and let everything happen that is due until then, the last instant included."""
        self._do(lambda: None, takes_ns)

    def finish(self) -> None:
        """Let the response end if it has not, the consumer take everything, and the turn come to its end."""
        if self.is_read:
            self.end_response()
        self._stage.returns.set()

        async def to_the_end() -> None:
            await asyncio.wait([self._playing])

        self._run(to_the_end())
        if self._playing.done() and not self._is_halted:
            try:
                self._playing.result()
            except (Exception, asyncio.CancelledError) as error:
                self._seat.halt(error)

    def close(self) -> None:
        """Take the world down, whatever still runs in it."""
        self._stage.close()
        self._playing.cancel()
        self._runner.close()

    def _do(self, act: Callable[[], object], takes_ns: int = 0) -> None:
        async def act_and_wait() -> None:
            act()
            await self._loop.as_future(self._loop.env.timeout_ns(takes_ns, rank=Rank.STOP))

        self._run(act_and_wait())

    def _run(self, until: Coroutine[Any, Any, None]) -> None:
        if self._is_halted:
            until.close()
            return
        try:
            self._runner.run(until)
        except (Deadlock, Livelock) as error:
            self._is_halted = True
            self._seat.halt(error)
