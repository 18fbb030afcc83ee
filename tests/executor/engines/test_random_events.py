"""An executor under 100,000 random events leaves no task, no lost exception and no unanswered call (E10, A6, P1).

An act is what an owner may do with an executor at its public methods; a session is some acts on one executor. Sessions
come from fixed seeds; one that fails is made as short as it goes and printed as a line that plays it again.
"""

import asyncio
import gc
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing, suppress
from random import Random
from typing import Any

import pytest

from executor import AbortController, Allow, Deny, Options, PermissionRules, ToolResult, ToolUseBlock, make_executor
from sim import clock

SEEDS = range(10)
SESSIONS, ACTS = 250, 40
"""Sessions for each seed, acts in each: 100,000 events together."""

Act = tuple[Any, ...]
INSTANTS_S = (0.0, 0.0, 0.05, 0.1, 0.2, 0.3)
WEIGHTS = {
    "add": 40,
    "wait": 30,
    "take": 8,
    "look": 6,
    "consume": 8,
    "cancel consumer": 4,
    "submit": 1,
    "complete": 0.5,
    "drain": 0.5,
    "stop": 0.3,
    "discard": 0.5,
}


def some_setup(rng: Random) -> dict[str, Any]:
    """Choose an executor, and how it is left in the end."""
    return {
        "engine": rng.choice(["streaming", "streaming", "batch", "serial"]),
        "emission": rng.choice(["ordered", "eager"]),
        "cascade": rng.choice(["exclusive", "any", "never"]),
        "max_concurrency": rng.choice([None, 1, 2, 10]),
        "grace_s": rng.choice([0.05, 0.1, 2.0]),
        "question_timeout_s": rng.choice([None, 0.1]),
        "leave": rng.choice(["late", "late", "normally", "by an error", "cancelled"]),
    }


def some_input(rng: Random) -> dict[str, Any]:
    """Choose what a call does, now and then what it cannot."""
    given: dict[str, Any] = {
        "command": rng.choice(["ls", "ls", "make"]),
        "takes": rng.choice(INSTANTS_S),
        "ends": rng.choice(["ok"] * 90 + ["error", "raise", "cancelled"] * 3 + ["abort"]),
        "reports": sorted(rng.sample(INSTANTS_S, rng.randrange(3))),
        "sets": {rng.choice("pq"): 1} if rng.random() < 0.2 else None,
        "at_signal": rng.choice(["ignores", "stops", "finishes", "fails", "swallows"]),
    }
    return given if rng.random() < 0.95 else given | {"takes": "long"}


def some_act(rng: Random) -> Act:
    """Choose something to do."""
    match rng.choices([*WEIGHTS], [*WEIGHTS.values()])[0]:
        case "add":
            tool = rng.choice(["Read", "Read", "View", "Watch", "Edit", "Bash", "Nope"])
            return "add", rng.choice(["", *map(str, range(60))]), tool, some_input(rng)
        case "wait" | "consume" as name:
            return name, rng.choice(INSTANTS_S)
        case "take":
            return "take", rng.randrange(1, 4)
        case "submit":
            return "submit", rng.random() < 0.5
        case name:
            return (name,)


class Left(Exception):
    """The owner's own error, by which it leaves."""


class Session:
    """Plays acts on one executor and keeps what comes of them."""

    def __init__(self, tools: Any, setup: dict[str, Any]) -> None:
        self.leave, self.engine = setup["leave"], setup["engine"]
        options = {key: value for key, value in setup.items() if key not in ("leave", "engine")}
        rules = PermissionRules(ask=("Bash(make)",))
        self.abort = AbortController()
        self.executor = make_executor(
            self.engine,
            tools,
            abort=self.abort,
            options=Options(permissions=rules, can_use_tool=self.answer, **options),
        )
        self.calls: dict[str, Any] = {}
        self.results: list[ToolResult] = []
        self.complete = False
        self.consumer: asyncio.Task[None] | None = None
        self.tasks: list[asyncio.Task[Any]] = []
        self.taken_at_discard: int | None = None

    async def answer(self, question: Any) -> Allow | Deny:
        """Answer as the call's number says: at once or slowly, and now and then no, as a person or not."""
        number = int(question.call_id)
        await asyncio.sleep(0.05 * (number % 5))
        return Allow() if number % 7 else Deny("no", by_person=number == 7)

    def keep(self, update: Any) -> None:
        if isinstance(update.message, ToolResult):
            self.results.append(update.message)

    async def do(self, act: Act) -> None:
        executor = self.executor
        match act:
            case "add", call_id, tool, given:
                self.add(ToolUseBlock(call_id, tool, given))
            case "wait", for_s:
                await asyncio.sleep(for_s)
            case "take", most:
                for number, update in enumerate(executor.completed_results(), start=1):
                    self.keep(update)
                    if number == most:
                        break
            case ("look",):
                assert set(executor.in_progress) <= self.calls.keys()
                assert executor.interruptible <= bool(executor.in_progress)
                assert {result.call_id for result in executor.settled()} <= self.calls.keys()
                assert {question.call_id for question in executor.questions} <= set(executor.in_progress)
            case "consume", slow_s:
                self.consume(executor.updates, slow_s)
            case ("cancel consumer",):
                if self.consumer is not None:
                    self.consumer.cancel()
            case "submit", force:
                executor.submit(force=force)
            case ("complete",):
                self.complete = True
                executor.response_complete()
            case ("drain",):
                self.complete = self.consume(executor.remaining_results, 0.0) or self.complete
                await asyncio.sleep(0)
            case ("stop",):
                self.abort.abort("user_interrupted")
            case ("discard",):
                if self.taken_at_discard is None:
                    self.tasks.append(asyncio.create_task(self.discard()))
                    await asyncio.sleep(0)

    def add(self, block: ToolUseBlock) -> None:
        if self.complete:
            with pytest.raises(RuntimeError, match="came after the response was declared complete"):
                self.executor.add(block)
            return
        call = self.executor.add(block)
        assert call is self.calls.setdefault(block.id, call) if block.id else call is None

    def consume(self, updates: Callable[[], Any], slow_s: float) -> bool:
        """Let a consumer take updates, unless one does; an executor has one at a time."""
        if self.consumer is not None and not self.consumer.done():
            return False

        async def take() -> None:
            async with aclosing(updates()) as coming:
                async for update in coming:
                    self.keep(update)
                    await asyncio.sleep(slow_s)

        self.consumer = asyncio.create_task(take())
        self.tasks.append(self.consumer)
        return True

    async def discard(self) -> None:
        self.taken_at_discard = len(self.results)
        taken = {result.call_id for result in self.results}
        before_its_body = [call for call in self.calls.values() if call.result is None and not call.started]
        assert set((await self.executor.discard()).withdrawn) == taken
        assert all(call.result.outcome == "streaming_fallback" for call in before_its_body), "it ran all the same"

    async def play(self, acts: list[Act]) -> None:
        with suppress(Left, asyncio.CancelledError):
            async with self.executor:
                for act in acts:
                    await self.do(act)
                if self.leave == "late":
                    self.executor.response_complete()
                    await asyncio.sleep(20)
                if self.leave == "by an error":
                    raise Left
                if self.leave == "cancelled":
                    current = asyncio.current_task()
                    assert current is not None
                    current.cancel()
                    await asyncio.sleep(0)
        self.judge()
        await asyncio.sleep(5)
        for outcome in await asyncio.gather(*self.tasks, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError), outcome
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"left: {left}"
        assert self.executor.report.abandoned == ()

    def judge(self) -> None:
        answers = Counter(result.call_id for result in [*self.results, *self.executor.report.unclaimed])
        assert all(call.result is not None for call in self.calls.values()), "a call has no result"
        if self.taken_at_discard is None:
            assert answers == Counter(self.calls.keys()), "each call has one answer"
        else:
            assert len(self.results) == self.taken_at_discard, "something was emitted after the discard"
            assert answers <= Counter(self.calls.keys())


async def play_all(tools: Any, sessions: list[tuple[dict[str, Any], list[Act]]]) -> list[str]:
    """Play sessions one after the other; tells what the loop was told of and nobody took care of."""
    complaints: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(str(told)))
    for setup, acts in sessions:
        await Session(tools, setup).play(acts)
    gc.collect()
    return complaints


def failure(tools: Any, setup: dict[str, Any], acts: list[Act]) -> str | None:
    """Play one session by itself; say what is wrong with it."""
    try:
        return "; ".join(clock.run(play_all(tools, [(setup, acts)]))) or None
    except Exception as error:  # whatever it was is the finding
        return f"{type(error).__name__}: {error}"


def shortest(fails: Callable[[list[Act]], object], acts: list[Act]) -> list[Act]:
    """Leave out every act without which the session fails too."""
    for number in reversed(range(len(acts))):
        fewer = acts[:number] + acts[number + 1 :]
        if fails(fewer):
            acts = fewer
    return acts


def report_failure(tools: Any, setup: dict[str, Any], acts: list[Act]) -> str:
    short = shortest(lambda fewer: failure(tools, setup, fewer), acts)
    return f"{failure(tools, setup, short)}\nagain: failure(shop.tools, {setup!r}, {short!r})"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_events_leave_no_task_no_exception_and_no_unanswered_call(shop, on_loop, seed) -> None:
    """E1, E8, E10, E11, E12, A6, A8: on CPython's loop the tenth part of the sessions."""
    rng = Random(seed)
    count = SESSIONS if on_loop == "virtual" else SESSIONS // 10
    sessions = [(some_setup(rng), [some_act(rng) for _ in range(ACTS)]) for _ in range(count)]
    try:
        complaints = clock.run(play_all(shop.tools, sessions))
    except Exception as error:
        complaints = [f"{type(error).__name__}: {error}"]
    if complaints:
        failing = ((setup, acts) for setup, acts in sessions if failure(shop.tools, setup, acts))
        setup, acts = next(failing, ({}, []))
        pytest.fail(report_failure(shop.tools, setup, acts) if setup else f"only all together: {complaints}")


def test_a_session_that_fails_is_told_in_as_few_acts_as_it_takes() -> None:
    def needs_both(acts: list[Act]) -> bool:
        return ("stop",) in acts and ("wait", 0.1) in acts

    acts = [("look",), ("wait", 0.1), ("look",), ("stop",), ("look",)]
    assert shortest(needs_both, acts) == [("wait", 0.1), ("stop",)]
