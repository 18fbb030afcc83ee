"""A workshop for the executor's tests: tools that do what their input says, responses by the clock, logs in words.

A log's row reads ``<ms> <kind> [<call>] [<words>]``, such as ``200 left a ok``; instants must be whole milliseconds.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import pytest

from executor import CallHandle, Options, Recorder, Stopped, ToolOutput, ToolResult, ToolSet, ToolUseBlock, Turn, tool
from executor.events import INSIDE, Event, Kind
from sim import clock

Timed = tuple[float, ToolUseBlock]
Act = tuple[float, Callable[[Turn], Any]]
NS_PER_MS = 1_000_000


async def work(
    call: CallHandle,
    command: str = "",
    takes: float = 0.0,
    ends: str = "ok",
    says: str = "",
    reports: tuple[float, ...] = (),
    sets: dict[str, Any] | None = None,
    shows: str = "",
    at_signal: str = "ignores",
) -> Any:
    """Do what the input says.

    ``at_signal``: ``ignores`` (its task must be cancelled) | ``stops`` (gives back what it has) | ``finishes`` (returns
    normally) | ``fails`` (raises) | ``swallows`` (resists the cancellation too, to its end).
    """
    loop = asyncio.get_running_loop()
    start, told = loop.time(), loop.create_future()
    call.signal.listen(lambda reason: told.done() or told.set_result(reason))
    for at_s in reports:
        await asyncio.sleep(start + at_s - loop.time())
        call.progress(at_s)
    while (rest := start + takes - loop.time()) > 0:
        try:
            if at_signal in ("ignores", "swallows"):
                await asyncio.sleep(rest)
            else:
                await asyncio.wait([told], timeout=rest)
        except asyncio.CancelledError:
            if at_signal != "swallows":
                raise
        if told.done():
            match at_signal:
                case "stops":
                    return Stopped(says)
                case "finishes":
                    return says
                case "fails":
                    raise OSError("gave up")
    match ends:
        case "raise":
            raise OSError(says)
        case "cancelled":
            raise asyncio.CancelledError
        case "abort":
            call.abort_turn()
    content = repr(call.context.get(shows)) if shows else says
    return ToolOutput(content, is_error=ends == "error", modifier=(lambda c: c.updated(**sets)) if sets else None)


TOOLS = ToolSet(
    [
        tool(name="Read", concurrency_safe=True, interrupt="cancel", aliases=("View",))(work),
        tool(name="Watch", concurrency_safe=True, interrupt="block")(work),
        tool(name="Edit", interrupt="block", aliases=("Patch",))(work),
        tool(
            name="Bash",
            concurrency_safe=lambda given: given["command"].startswith("ls"),
            cascades=True,
            interrupt="cancel",
        )(work),
    ]
)


def words(event: Event) -> str:
    """Write an event as a row of a log."""
    ms, rest = divmod(event.t_ns, NS_PER_MS)
    assert rest == 0, f"{event} does not lie on a whole millisecond"
    detail = event.detail
    match event.kind:
        case Kind.EMITTED if detail["what"] == "progress":
            more = f"progress {detail['n']}"
        case Kind.EMITTED | Kind.COMPLETED:
            more = detail["outcome"]
        case Kind.LEFT:
            more = detail["ended"]
        case Kind.SIGNALLED:
            more = detail["reason"]
        case Kind.PROGRESSED:
            more = str(detail["n"])
        case Kind.TURN_ENDED:
            more = detail["how"]
        case Kind.SUBMIT:
            more = "took effect" if detail["took_effect"] else "has to wait"
        case Kind.RESPONSE_STARTED | Kind.RESPONSE_ENDED | Kind.RESPONSE_FAILED | Kind.DISCARD:
            more = str(detail["attempt"])
        case Kind.HOOK_STARTED:
            more = f"{detail['stage']} {detail['hook']}"
        case Kind.HOOK_ENDED:
            more = f"{detail['stage']} {detail['hook']} {detail['how']}"
        case Kind.QUESTION_ASKED:
            more = detail["reason"]
        case Kind.QUESTION_ANSWERED:
            more = detail["how"]
        case Kind.PERMITTED | Kind.DENIED:
            more = f"by {detail['by']}"
        case Kind.CONTEXT:
            more = ",".join(f"{name}={value}" for name, value in detail["values"].items())
        case _:
            more = ""
    return " ".join(part for part in (str(ms), event.kind.value, event.call or "", more) if part)


@dataclass
class Played:
    """What came of a turn."""

    turn: Turn
    recorder: Recorder
    taken: list[tuple[float, Any]] = field(default_factory=list)
    """When the consumer took each message, in seconds, and the message."""

    @property
    def results(self) -> dict[str, ToolResult]:
        """The results the consumer took, by call, in the order they were taken."""
        return {message.call_id: message for _, message in self.taken if isinstance(message, ToolResult)}

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcomes the consumer took, by call, in the order they were taken."""
        return {call: result.outcome.value for call, result in self.results.items()}

    @property
    def emitted_ms(self) -> list[tuple[int, str]]:
        """When each result was emitted."""
        return self.instants_ms(Kind.EMITTED, what="result")

    @property
    def started_ms(self) -> list[tuple[int, str]]:
        """When each body was entered."""
        return self.instants_ms(Kind.ENTERED)

    def instants_ms(self, kind: Kind | str, **detail: Any) -> list[tuple[int, str]]:
        """When each call had an event of a kind."""
        found = (e for e in self.recorder.events if e.kind == kind and detail.items() <= e.detail.items())
        return [(event.t_ns // NS_PER_MS, event.call or "") for event in found]

    @property
    def rows(self) -> list[str]:
        """The log from outside, the response's own rows left out."""
        left_out = INSIDE | {Kind.RESPONSE_STARTED, Kind.RESPONSE_ENDED, Kind.BLOCK}
        return [words(event) for event in self.recorder.events if event.kind not in left_out]

    @property
    def guarded_rows(self) -> list[str]:
        """The log from outside with the hooks, questions and decisions."""
        left_out = {Kind.RESPONSE_STARTED, Kind.RESPONSE_ENDED, Kind.BLOCK}
        left_out |= {Kind.QUEUED, Kind.ADMITTED, Kind.COMPLETED, Kind.YIELDED}
        return [words(event) for event in self.recorder.events if event.kind not in left_out]

    @property
    def all_rows(self) -> list[str]:
        """The whole log."""
        return [words(event) for event in self.recorder.events]


class Workshop:
    """Makes what a test needs and plays turns with it on the virtual clock."""

    tools = TOOLS
    words = staticmethod(words)

    @staticmethod
    def block(call: str, tool: str = "Read", **given: Any) -> ToolUseBlock:
        """Ask for a tool."""
        return ToolUseBlock(call, tool, given)

    @staticmethod
    async def response(
        *timed: Timed, ends_s: float = 0.0, fails: BaseException | None = None
    ) -> AsyncIterator[ToolUseBlock]:
        """Give blocks, each at its instant in seconds, and end or fail not before ``ends_s``."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        for at_s, block in timed:
            if at_s:
                await asyncio.sleep(start + at_s - loop.time())
            yield block
        if ends_s:
            await asyncio.sleep(start + ends_s - loop.time())
        if fails is not None:
            raise fails

    def play(
        self,
        *timed: Timed,
        ends_s: float = 0.0,
        fails: BaseException | None = None,
        attempts: Iterable[Callable[[], AsyncIterator[ToolUseBlock]]] = (),
        acts: Iterable[Act] = (),
        tools: ToolSet = TOOLS,
        consume: Callable[[Any], Awaitable[Any]] | None = None,
        **options: Any,
    ) -> Played:
        """Play one turn to its end.

        Args:
            timed: the blocks of the one response; ``ends_s`` and ``fails`` are its end.
            attempts: instead of ``timed``: what each asking for the response gives.
            acts: what is done with the turn, and when, in seconds.
            consume: awaited with each message that is taken.
            options: ``engine``, ``context`` and ``on_activity`` of the turn, the rest are :class:`Options`.
        """
        asked = list(attempts)

        async def main() -> Played:
            loop = asyncio.get_running_loop()
            of_turn = {key: options.pop(key) for key in ("engine", "context", "on_activity") if key in options}
            recorder = Recorder(clock_ns=lambda: loop.env.now_ns)
            turn = Turn(tools, options=Options(**options), announce=recorder, **of_turn)
            played = Played(turn, recorder)
            for at_s, act in acts:
                event = loop.env.at_ns(clock.ns(at_s), rank=clock.Rank.STOP)
                event.callbacks.append(lambda _, act=act: act(turn))
            if asked:
                updates = turn.run(lambda attempt: asked[attempt](), retries=len(asked) - 1)
            else:
                updates = turn.run(self.response(*timed, ends_s=ends_s, fails=fails))
            async with aclosing(updates):
                async for update in updates:
                    played.taken.append((loop.time(), update.message))
                    if consume is not None:
                        await consume(update.message)
            assert asyncio.all_tasks() == {asyncio.current_task()} | set(played_abandoned(turn)), "a task is left"
            return played

        return clock.run(main())


def played_abandoned(turn: Turn) -> list[asyncio.Task[Any]]:
    """The tasks of the bodies that a turn had to abandon, as it reports them."""
    names = {f"call {call}" for call in turn.report.abandoned}
    return [task for task in asyncio.all_tasks() if task.get_name() in names]


@pytest.fixture
def shop() -> Workshop:
    """Give the workshop."""
    return Workshop()
