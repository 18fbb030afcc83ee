"""A workshop for the executor's tests: tools that do what their input says, responses by the clock, logs in words.

A log's row reads ``<ms> <kind> [<call>] [<words>]``, such as ``200 left a ok``; instants must be whole milliseconds.

Every test that runs a turn runs twice, on the virtual clock and on CPython's own loop (``virtual_only.yaml`` says which
do not, and why). What it expects is the same to the millisecond: see :class:`PacedLoop`.
"""

import asyncio
import functools
import selectors
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from executor import CallHandle, Options, Recorder, Stopped, ToolOutput, ToolResult, ToolSet, ToolUseBlock, Turn, tool
from executor.events import INSIDE, Event, Kind
from sim import clock
from sim.clock import SimLoop

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
    """Makes what a test needs and plays turns with it."""

    tools = TOOLS
    words = staticmethod(words)

    @staticmethod
    def block(call: str, tool: str = "Read", **given: Any) -> ToolUseBlock:
        """Ask for a tool."""
        return ToolUseBlock(call, tool, given)

    @staticmethod
    async def resist(takes_s: float) -> None:
        """Take so long whatever anybody does."""
        loop = asyncio.get_running_loop()
        end_s = loop.time() + takes_s
        while (rest_s := end_s - loop.time()) > 0:
            try:
                await asyncio.sleep(rest_s)
            except asyncio.CancelledError:
                continue

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
            recorder = Recorder()
            turn = Turn(tools, options=Options(**options), announce=recorder, **of_turn)
            played = Played(turn, recorder)
            for at_s, act in acts:
                last_at(loop, at_s, functools.partial(act, turn))
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


PACE: Final = 0.004
"""Real seconds for a second of a test."""

LONGEST_S: Final = 0.1
"""Real seconds that a test waits at most for its next timer, however far away that is."""

PATIENCE_S: Final = 10.0
"""Real seconds to wait for a thread or a process when no timer is set; then nothing will ever come."""


class PacingSelector(selectors.DefaultSelector):
    """Waits in earnest, and says how far that brought the tests' clock."""

    now_ns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began_s = time.perf_counter()
        ready = super().select(PATIENCE_S if timeout is None else min(timeout * PACE, LONGEST_S))
        passed_s = (time.perf_counter() - began_s) / PACE
        if timeout is not None:
            passed_s = min(passed_s, timeout) if ready else timeout
        elif not ready:
            raise TimeoutError("nothing is scheduled and somebody waits")
        self.now_ns += clock.ns(passed_s)
        return ready


class PacedLoop(asyncio.SelectorEventLoop):
    """CPython's own loop with its tasks, futures, timers and selector, on a clock that waits for slow machines.

    Real time passes, in the selector; but the clock stands while callbacks run and a timer that is due runs at its own
    instant however late the machine comes to it. So a busy machine makes a test longer and never different.
    """

    def __init__(self) -> None:
        self._pacing = PacingSelector()
        self._last: deque[Callable[[], Any]] = deque()
        super().__init__(self._pacing)

    def time(self) -> float:
        return clock.Instant(self._pacing.now_ns)

    def call_last(self, act: Callable[[], Any]) -> None:
        """Call when nothing else is ready at this instant."""
        self._last.append(act)
        if len(self._last) == 1:
            self.call_soon(self._act_when_quiet)

    def _act_when_quiet(self) -> None:
        if not self._ready:
            self._last.popleft()()
        if self._last:
            self.call_soon(self._act_when_quiet)


def last_at(loop: Any, at_s: float, act: Callable[[], Any]) -> None:
    """Do something after everything else of an instant, as users do it (A11)."""
    if isinstance(loop, SimLoop):
        loop.env.at_ns(clock.ns(at_s), rank=clock.Rank.STOP).callbacks.append(lambda _: act())
    else:
        loop.call_at(at_s, loop.call_last, act)


def run_paced(main: Coroutine[Any, Any, Any], *, loop: SimLoop | None = None) -> Any:
    """Run a coroutine on CPython's own loop; one that wants a loop of its own has to be told."""
    if loop is not None:
        main.close()
        raise TypeError("the test makes its own virtual clock")
    with asyncio.Runner(loop_factory=PacedLoop) as runner:
        return runner.run(main)


VIRTUAL_ONLY: Final[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("virtual_only.yaml").read_text())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the tests of files that run a loop run on both."""
    if getattr(metafunc.module, "clock", None) is clock or "shop" in metafunc.fixturenames:
        costs = VIRTUAL_ONLY["costs"].get(metafunc.module.__name__.rpartition(".")[2], {})
        loops = ["virtual"] if metafunc.definition.originalname in costs else ["virtual", "real"]
        metafunc.parametrize("on_loop", loops, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Require of a test that only the virtual clock can tell that it fails on the other loop."""
    for item in items:
        if "[real" in item.name:
            cannot = VIRTUAL_ONLY["cannot"].get(item.path.stem, {})
            case = item.name.replace("[real]", "").replace("[real-", "[")
            if (why := cannot.get(case) or cannot.get(case.partition("[")[0])) is not None:
                item.add_marker(pytest.mark.xfail(reason=why, strict=True))


@pytest.fixture(autouse=True)
def on_loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Choose the loop that ``clock.run``, the one door by which these tests run a coroutine, makes."""
    chosen: str = getattr(request, "param", "virtual")
    if chosen == "real":
        monkeypatch.setattr(clock, "run", run_paced)
    return chosen


@pytest.fixture
def shop() -> Workshop:
    """Give the workshop."""
    return Workshop()
