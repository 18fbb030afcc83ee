"""Where a scenario is played: SimPy processes for what comes from outside, and the log of what happens.

The rule: what can be seen from outside is written down by the world, never by the executor under test.
Unit: nanoseconds from the turn's start.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from simpy.events import Event

from executor import (
    BlockStream,
    Engine,
    Options,
    PermissionRules,
    Progress,
    Recorder,
    ToolResult,
    ToolSet,
    ToolUseBlock,
    Turn,
    Update,
)
from executor.events import INSIDE, LONGEST_TEXT, Kind
from scenarios.calls import Call
from scenarios.draws import Draws
from scenarios.model import Happening, Scenario
from sim.clock import NS_PER_S, Rank, SimLoop

from .header import gates_of
from .hooks import Hooking
from .passing import pass_time
from .person import asker_of
from .response import Responses
from .tools import Workshop

FROM_EXECUTOR = INSIDE | {Kind.CONTEXT, Kind.DISCARD, Kind.SUBMIT}
"""What only the executor can tell of: its inside view, its context, what it takes back, what a submit did."""

GIVEN_UP = "given up by its owner"


class Stage:
    """One turn of a scenario, for whatever executor drives it; what is not ours gets an ``OwnStage``.

    Args:
        scenario: what is played.
        seed: chooses what the scenario leaves open.
        header: the log's header.
        loop: the simulated loop it is played on.
    """

    def __init__(self, scenario: Scenario, seed: int, header: Mapping[str, Any], loop: SimLoop) -> None:
        self.scenario = scenario
        self.recorder = Recorder(header, clock_ns=lambda: loop.env.now_ns)
        self.results: list[ToolResult] = []
        """What was emitted, in order."""
        self.processes: tuple[str, ...] = ()
        """The modelled processes that were there when the turn was over, as ``CALL/NUMBER``."""
        self.consumer_stays = True
        self._closed = False
        self._taken = 0
        self._draws = Draws(seed)
        self._is_gated = gates_of(scenario)
        self._loop = loop
        self._start_ns = loop.env.now_ns
        self._index = {call.id: index for attempt in scenario.responses for index, call in enumerate(attempt.calls)}
        self._responses = Responses(scenario, self._draws, loop.env, self.note, self._note_block)
        self._workshop = Workshop(scenario, loop, self.note, self._draws)
        self.tools: ToolSet = self._workshop.tools()
        """The modelled tools: their class, what a submit does to them, whether they cascade, their bodies."""

    def note(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        """Write an event down, unless the turn is over: what the run's end tears down is no part of it."""
        if not self._closed:
            self.recorder(kind, call, **detail)

    # For any executor

    @property
    def options(self) -> Options:
        """What the executor has to keep to, hooks and permissions included."""
        options, permissions = self.scenario.options, self.scenario.permissions
        return Options(
            max_concurrency=options.max_concurrency,
            emission=options.emission,
            cascade=options.cascade,
            grace_s=options.grace_ns / NS_PER_S,
            max_output=options.max_output,
            hooks=Hooking(self.scenario, self._loop, self._draws, lambda: self._closed).hooks(),
            permissions=PermissionRules(permissions.deny, permissions.ask, permissions.allow),
            can_use_tool=asker_of(self.scenario, self._loop, self._draws, self.note),
            question_timeout_s=None if permissions.timeout_ns is None else permissions.timeout_ns / NS_PER_S,
        )

    def blocks(self, attempt: int = 0) -> AsyncGenerator[ToolUseBlock, None] | BlockStream:
        """Ask for the response and give its blocks, each at its instant.

        Iterating raises :class:`ResponseFailed` or :class:`executor.StreamFailure` if it breaks off.

        Args:
            attempt: which of the scenario's attempts, from 0 on.
        """
        return self._responses.ask(attempt)

    def emit(self, message: ToolResult | Progress | Update) -> None:
        """Hand a result or progress to the consumer, now.

        Raises:
            TypeError: it is neither.
        """
        if isinstance(message, Update):
            message = message.message
        if isinstance(message, Progress):
            self.note(Kind.EMITTED, message.call_id, what="progress", n=message.n)
            return
        if not isinstance(message, ToolResult):
            raise TypeError(
                f"emit: expected a ToolResult, as call() gives it, or Progress or an Update, got {message!r}"
            )
        self.results.append(message)
        content = message.content[:LONGEST_TEXT] if isinstance(message.content, str) else ""
        self.note(
            Kind.EMITTED,
            message.call_id,
            what="result",
            outcome=message.outcome.value,
            started=message.started,
            is_error=message.is_error,
            abandoned=message.abandoned,
            **({"content": content} if content else {}),
        )

    async def hand_on(self, message: ToolResult | Progress | Update) -> bool:
        """Hand something to the consumer and wait while it is busy with it; tells whether it wants more."""
        self.emit(message)
        self._taken += 1
        busy_ns = self.scenario.consumer.takes_ns
        if (leaves_at_ns := self.scenario.consumer.leaves_at_ns) is not None:
            busy_ns = min(busy_ns, max(0, leaves_at_ns - self._elapsed_ns))
        if busy_ns:
            await pass_time(self._loop, busy_ns)
        if self._taken == self.scenario.consumer.leaves_after or self._is_time_to_leave():
            self.consumer_left("left")
        return self.consumer_stays

    # For our own

    async def drive(self, turn: Turn) -> None:
        """Play the scenario with our own executor, by its standard driver (E13), to the end of the turn."""
        driver = asyncio.current_task()
        assert driver is not None, "a turn is driven by a task"
        self._loop.env.process(self._play_user(partial(self._tell, turn, driver)))
        if self.scenario.attempts:
            self._responses.on_discard = lambda: turn.discard(GIVEN_UP)
        async with aclosing(turn.run(self.blocks, retries=len(self.scenario.responses) - 1)) as updates:
            async for update in updates:
                if not await self.hand_on(update):
                    break

    def turn(self, engine: Engine) -> Turn:
        """Make the turn that :meth:`drive` is to play, with the scenario's tools and options."""
        start = self.scenario.stream.start
        return Turn(self.tools, engine=engine, options=self.options, start=start, announce=self._announce)

    def end(self, how: str, closing: Iterable[ToolResult] = (), abandoned: Iterable[str] = ()) -> None:
        """Write down that the turn is over, and what it left."""
        pairs = [[result.call_id, result.outcome.value] for result in closing]
        self.note(Kind.TURN_ENDED, None, how=how, closing=pairs, abandoned=list(abandoned))

    def consumer_left(self, how: str) -> None:
        """Write down, once, that nobody takes updates any more."""
        if self.consumer_stays:
            self.consumer_stays = False
            self.note(Kind.CONSUMER_LEFT, None, how=how)

    @property
    def running(self) -> list[str]:
        """The bodies that run, in words."""
        return [f"the body of {call} runs" for call in self._workshop.running]

    def close(self) -> None:
        """End the world: nothing is written down any more, and even a stubborn body obeys."""
        if not self._closed:
            self.processes = self._workshop.children.alive
        self._closed = self._workshop.closed = True

    def halt(self, why: str, waiting: Iterable[str]) -> None:
        """Write down that the run came to no end, as the log's last event."""
        self.recorder(Kind.HALTED, None, why=why, waiting=list(waiting))

    def _announce(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        if kind in FROM_EXECUTOR:
            self.note(kind, call, **detail)

    @property
    def _elapsed_ns(self) -> int:
        return self._loop.env.now_ns - self._start_ns

    def _is_time_to_leave(self) -> bool:
        leaves_at_ns = self.scenario.consumer.leaves_at_ns
        return leaves_at_ns is not None and self._elapsed_ns >= leaves_at_ns

    def _play_user(self, tell: Callable[[Happening], None]) -> Generator[Event, None, None]:
        for event in self.scenario.events:
            if event.do in ("stop", "submit", "discard", "cancel"):
                yield self._loop.env.at_ns(self._start_ns + event.at_ns, rank=Rank.STOP)
                tell(event)

    def _tell(self, turn: Turn, driver: "asyncio.Task[Any]", event: Happening) -> None:
        if turn.ended is not None:
            return
        if event.do == "stop":
            self.note(Kind.STOP, None)
            turn.stop()
        elif event.do == "submit":
            turn.submit(force=event.force)
        elif event.do == "cancel":
            self.consumer_left("cancelled")
            driver.cancel()
        else:
            turn.discard(GIVEN_UP)

    def _note_block(self, spec: Call, attempt: int) -> None:
        tool = self.scenario.tool_of(spec)
        self.note(
            Kind.BLOCK,
            spec.id,
            tool=spec.tool,
            index=self._index[spec.id],
            attempt=attempt,
            known=tool.available,
            valid=tool.available and spec.is_valid,
            safe=self.scenario.is_safe(spec),
            **({"gated": True} if self._is_gated(spec) else {}),
        )
