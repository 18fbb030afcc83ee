"""Executors that are not ours on the stage: the ways to plug one in, and what each says it can be told of.

The rule: what an executor does not declare is not asked of it; what it declares is judged. No times here.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, get_args, runtime_checkable

from executor import Progress, StreamFailure, ToolResult, ToolUseBlock, Update
from scenarios.model import Scenario

from .header import features
from .own_stage import OwnStage
from .wire import ResponseFailed

Ability = Literal[
    "stop", "submit", "discard", "attempts", "hooks", "questions", "deadline", "background",
    "consumer", "cascade", "limit", "progress", "context",
]  # fmt: skip
ABILITIES: Final[tuple[Ability, ...]] = get_args(Ability)
"""What an executor may declare.

It can be told of a user's stop and submit and of a response given up or broken off, and asks for it again; it runs the
hooks, asks the questions and keeps the rules of its options, and the deadlines of its tools; it knows work that goes on
in the background; its consumer may be slow or leave; it keeps the cascade policy and the limit of its options; it hands
on progress; it gives bodies their context."""

MUST_KNOW: Final[tuple[Ability, ...]] = ABILITIES[:9]
"""What a scenario cannot be played without if it has it; without the others a run is only not judged by them."""

TOLD: Final[tuple[Ability, ...]] = ("stop", "submit", "discard")
"""What reaches an executor as a call of its own."""

Message = ToolResult | Progress | Update
Drive = Callable[[OwnStage], Awaitable[None]]
"""Takes the stage's blocks, calls them, emits their results, returns when it is done."""


@runtime_checkable
class ExecutorLike(Protocol):
    """What :func:`from_object` drives: blocks in, results out, by the names our own executors have.

    It may also have ``stop()``, ``submit(force=…)`` and ``discard()`` (or an ``async`` one), which make it told of
    these; ``updates()`` with ``response_complete()``, to hand on what comes as it comes; ``settled()``, for results
    that nobody took; ``abandoned``, the ids of calls it settled although their bodies cannot be stopped (A9);
    ``follow(before)``, told of the one that ran the attempt before (A9); and be an asynchronous context manager, to
    clean up when it is left.
    """

    def add(self, block: ToolUseBlock) -> object:
        """Take a complete block."""

    def completed_results(self) -> Iterable[Message]:
        """Give what can be handed on now."""

    def remaining_results(self) -> AsyncIterator[Message]:
        """Take the response as complete and give everything else that comes."""


@dataclass(frozen=True, slots=True)
class OwnEngine:
    """An executor of your own, ready to be simulated.

    Args:
        name: what reports call it.
        drive: runs a whole turn on a stage.
        supports: see :data:`ABILITIES`.
        start: when it may start calls: as soon as their block is complete, or after the whole response.
        is_prompt: whether what it has to hand on is taken as it comes, so that what is late is its own doing.

    Raises:
        ValueError: an ability that does not exist.
    """

    name: str
    drive: Drive
    supports: frozenset[Ability] = frozenset()
    start: Literal["block", "response_end"] = "block"
    is_prompt: bool = False

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.supports) - set(ABILITIES)):
            raise ValueError(f"supports: expected some of {', '.join(ABILITIES)}, got {', '.join(unknown)}")

    def lacks(self, scenario: Scenario) -> list[Ability]:
        """Give what it would have to know of to be played in a scenario, and does not declare."""
        needed = needed_by(scenario)
        return [ability for ability in MUST_KNOW if ability in needed and ability not in self.supports]

    def on_its_terms(self, header: Mapping[str, Any], scenario: Scenario) -> dict[str, Any]:
        """Make the header of a scenario's log say what this executor keeps to, and no more.

        Args:
            header: as it would be for an executor that keeps to all of it.
            scenario: the scenario.
        """
        options = {**header["options"], "start": self.start}
        if "cascade" not in self.supports:
            options["cascade"] = "never"
        if "limit" not in self.supports:
            options["max_concurrency"] = None
        told: dict[str, Any] = {"context": {}} if "context" in self.supports else {}
        if self.is_prompt and not scenario.consumer.takes_ns:
            told["consumer"] = "prompt"
        return {**header, "options": options, **told}


def needed_by(scenario: Scenario) -> frozenset[Ability]:
    """Give what an executor must be able to do to be judged by everything that is in a scenario.

    >>> sorted(needed_by(Scenario(events=[{"at": "1s", "do": "stop"}], consumer={"takes": "1s"})))
    ['consumer', 'stop']
    """
    options, consumer = scenario.options, scenario.consumer
    happens = {event.do for attempt in scenario.responses for event in (*scenario.events, *attempt.events)}
    calls = [call for attempt in scenario.responses for call in attempt.calls]
    found: dict[Ability, bool] = {
        "stop": "stop" in happens or any(call.refuses_ns is not None for call in calls),
        "submit": "submit" in happens,
        "discard": "discard" in happens,
        "consumer": bool(consumer.takes_ns) or consumer != type(consumer)() or "cancel" in happens,
        "cascade": options.cascade != "never" and any(scenario.tool_of(call).cascades for call in calls),
        "limit": options.max_concurrency is not None and options.max_concurrency < len(calls),
        "progress": any(call.progress or call.prints for call in calls),
        "context": any(call.sets for call in calls),
    }
    permissions = scenario.permissions
    found["questions"] = bool(permissions.deny or permissions.ask or permissions.allow)
    found |= {ability: True for ability in ABILITIES if ability in features(scenario)}
    return frozenset(ability for ability, is_needed in found.items() if is_needed)


_DRIVEN: Final = ("add", "completed_results", "remaining_results")
"""The methods of what :func:`from_object` drives."""

AnyExecutor = OwnEngine | Drive | type[ExecutorLike]
"""An executor of your own in any form that :func:`as_engine` takes."""


def as_engine(engine: AnyExecutor) -> OwnEngine:
    """Take an executor in whatever form it comes: a class with ``add`` is driven, any other function drives itself.

    Raises:
        TypeError: it is none of them.
    """
    if isinstance(engine, OwnEngine):
        return engine
    if isinstance(engine, type):
        return from_object(engine)
    if not callable(engine):
        raise TypeError(f"expected async def engine(stage), a class with add(), or an OwnEngine, got {engine!r}")
    return from_coroutine(engine)


def from_coroutine(drive: Drive, *, supports: Iterable[Ability] = ()) -> OwnEngine:
    """Plug in ``async def engine(stage)``, which drives itself: ``stage.blocks()``, ``call()``, ``emit()``.

    Args:
        drive: the function.
        supports: what it does besides; stops and the like reach it through :meth:`OwnStage.heed`.

    Raises:
        TypeError: it is no ``async`` function of a stage.
    """
    _refuse_unless_async(drive, "stage")
    return OwnEngine(_name_of(drive), drive, frozenset(supports))


def from_object(make: Callable[[OwnStage], Any], *, supports: Iterable[Ability] | None = None) -> OwnEngine:
    """Plug in an object that takes blocks and gives results, see :class:`ExecutorLike`.

    Args:
        make: makes one for a stage: a class, or a function.
        supports: what it can do; for a class, what it has methods for by default.

    Raises:
        TypeError: it cannot be called with a stage, or is a class without these methods.
    """
    if isinstance(make, type):
        _refuse_unless_driven(make, f"a class with {', '.join(_DRIVEN)}")
    _refuse_unless_takes(make, "stage")
    if supports is None:
        supports = [ability for ability in TOLD if hasattr(make, ability)]

    async def drive(stage: OwnStage) -> None:
        await _drive_object(stage, make)

    return OwnEngine(_name_of(make), drive, frozenset(supports or ()), is_prompt=hasattr(make, "updates"))


def from_turn(
    run: Callable[[OwnStage, Sequence[ToolUseBlock]], Awaitable[Iterable[ToolResult]]],
    *,
    supports: Iterable[Ability] = (),
) -> OwnEngine:
    """Plug in a function that runs a whole turn, as agent frameworks do: all blocks in, all results out.

    Args:
        run: takes the stage, whose :meth:`~OwnStage.call` its tools call, and the response's blocks.
        supports: what it does besides.

    Raises:
        TypeError: it is no ``async`` function of a stage and blocks.
    """
    _refuse_unless_async(run, "stage", "blocks")

    async def drive(stage: OwnStage) -> None:
        blocks = [block async for block in stage.blocks()]
        for result in await run(stage, blocks):
            stage.emit(result)

    return OwnEngine(_name_of(run), drive, frozenset(supports), start="response_end")


async def _drive_object(stage: OwnStage, make: Callable[[OwnStage], Any]) -> None:
    """Run a turn, an executor for each attempt at its response, each when the one before is over (A8)."""
    before = None
    for attempt in range(len(stage.scenario.responses)):
        executor = make(stage)
        _refuse_unless_driven(executor, f"{_name_of(make)}() to make an object with {', '.join(_DRIVEN)}")
        if before is not None and hasattr(executor, "follow"):
            executor.follow(before)
        stage.heed(**{word: getattr(executor, word, None) for word in TOLD})
        try:
            async with executor if hasattr(executor, "__aexit__") else nullcontext():
                drive = _drive_promptly if hasattr(executor, "updates") else _drive_block_by_block
                await drive(stage, executor, attempt)
        finally:
            stage.abandoned += tuple(getattr(executor, "abandoned", ()))
            stage.unclaimed = tuple(executor.settled()) if hasattr(executor, "settled") else ()
        if not stage.wants_another:
            break
        before = executor


async def _drive_promptly(stage: OwnStage, executor: Any, attempt: int) -> None:
    intake = asyncio.create_task(_take_in(stage, executor, attempt))
    try:
        async with aclosing(executor.updates()) as updates:
            async for update in updates:
                if not await stage.hand_on(update):
                    return
    finally:
        intake.cancel()
        await asyncio.wait([intake])


async def _take_in(stage: OwnStage, executor: Any, attempt: int) -> None:
    try:
        async with aclosing(stage.blocks(attempt)) as blocks:
            async for block in blocks:
                executor.add(block)
    except (ResponseFailed, StreamFailure) as failure:
        if not stage.broke_off(failure):
            executor.response_complete()
    else:
        executor.response_complete()


async def _drive_block_by_block(stage: OwnStage, executor: ExecutorLike, attempt: int) -> None:
    try:
        async for block in stage.blocks(attempt):
            executor.add(block)
            for update in executor.completed_results():
                stage.emit(update)
    except (ResponseFailed, StreamFailure) as failure:
        stage.broke_off(failure)
    async for update in executor.remaining_results():
        stage.emit(update)


def _refuse_unless_async(function: Callable[..., Any], *given: str) -> None:
    """Refuse what cannot be awaited, as far as that shows before it is called."""
    _refuse_unless_takes(function, *given)
    if inspect.isfunction(function) and not inspect.iscoroutinefunction(function):
        name = _name_of(function)
        yields = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        kind, way_out = (
            ("a generator", "yield nothing in it") if yields else ("def", "write one around it that awaits it")
        )
        raise TypeError(f"expected async def {name}({', '.join(given)}), got {kind} {name}: {way_out}")


def _refuse_unless_takes(function: Callable[..., Any], *given: str) -> None:
    if not callable(function):
        raise TypeError(f"expected a function of {' and '.join(given)}, got {function!r}")
    try:
        inspect.signature(function).bind(*given)
    except (TypeError, ValueError) as error:
        call = f"{_name_of(function)}({', '.join(given)})"
        raise TypeError(f"expected {call}, called with nothing else: {error}") from None


def _refuse_unless_driven(thing: object, expected: str) -> None:
    if missing := [name for name in _DRIVEN if not callable(getattr(thing, name, None))]:
        raise TypeError(f"expected {expected}, got {_name_of(thing)} without {missing[0]}()")


def _name_of(thing: object) -> str:
    return getattr(thing, "__name__", type(thing).__name__)
