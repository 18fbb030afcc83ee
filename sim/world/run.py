"""One run of one scenario: the executor over the virtual clock, and what came of it."""

import asyncio
import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from executor import Engine, ToolResult
from executor.events import Event, dump_lines
from scenarios.model import Scenario
from sim import clock
from sim.clock import NS_PER_S, Choices, Course, Environment, SimLoop, Waits, format_choices
from sim.oracle import makespan_ns

from .own import AnyExecutor
from .seat import seated

if TYPE_CHECKING:
    from pandas import DataFrame

STEPS_PER_CALL: Final = 2_000
"""How many steps a turn may take at one instant, for each of its calls and ten more, before it is called a livelock
(L1); sound executors take some ten."""


@dataclass(frozen=True)
class Run:
    """What came of a scenario under one engine.

    Args:
        scenario: what was played.
        engine: by what; ``your NAME`` for an executor of your own.
        seed: with which seed.
        header: the log's header.
        events: the log.
        results: what the consumer took, in order.
        messages: the turn's messages, for our own engines.
        context: the context at the end, for our own engines.
        trouble: why the run came to no end, ``None`` if it did.
        should_continue: whether the model may be asked again, ``None`` for an executor of your own.
        processes: the modelled processes that are there at the end, as ``CALL/NUMBER``.
        choices: how it took what ties, as deviations from first-come (A11).
    """

    scenario: Scenario
    engine: str
    seed: int
    header: Mapping[str, Any]
    events: tuple[Event, ...]
    results: tuple[ToolResult, ...]
    messages: tuple[dict[str, Any], ...]
    context: Mapping[str, Any]
    trouble: str | None
    should_continue: bool | None = None
    processes: tuple[str, ...] = ()
    choices: Mapping[int, int] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The log as JSON lines."""
        return list(dump_lines(self.header, self.events))

    @property
    def digest(self) -> str:
        """The SHA-256 of the log, without the line that reproduces it: equal digests are equal runs (D1)."""
        header = {key: value for key, value in self.header.items() if key != "reproduce"}
        text = "\n".join(dump_lines(header, self.events))
        # A lone surrogate counts as the escape it is written as.
        return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()

    @property
    def makespan_s(self) -> float | None:
        """Seconds from the turn's start to its last result or its response's end; ``None`` if no call's result came."""
        span_ns = makespan_ns(self.events)
        return None if span_ns is None else span_ns / NS_PER_S

    def tools_frame(self) -> "DataFrame":
        """Give a pandas frame with a row for each call; see :func:`sim.analysis.frames.calls_frame`.

        Raises:
            ImportError: pandas is missing, with the way out.
        """
        from sim.analysis.frames import calls_frame

        return calls_frame(self)

    def timeline(self, **options: Any) -> str:
        """Draw the turn as text; takes the options of :func:`sim.show.timeline.timeline`."""
        from sim.show.timeline import timeline

        return timeline(self.header, self.events, **options)


def simulate(
    scenario: Scenario,
    engine: Engine | AnyExecutor = "streaming",
    seed: int = 0,
    *,
    source: str = "",
    choices: Choices | None = None,
    waits: Waits | None = None,
    course: Course | None = None,
) -> Run:
    """Play a scenario's turn on the virtual clock; works inside a running event loop too.

    Args:
        scenario: what to play.
        engine: ``streaming``, ``batch``, ``serial``, or an executor of your own: an ``async`` function of an
            :class:`OwnStage`, a class with ``add()``, or what :func:`from_object` and the like make of one.
        seed: chooses what the scenario leaves open.
        source: the scenario's file, for the line that reproduces the run.
        choices: asked what is taken first where something from outside ties (A11); first-come without it.
        waits: counts the points at which the consumer waits, and may cancel it there (E10).
        course: plays it on this loop, after what was played there before; ``choices`` are the loop's own then.

    Raises:
        ValueError: there is no engine of that name, or the scenario has something that yours cannot be told of.

    >>> from scenarios import Call, Scenario
    >>> reads = Scenario(calls=[Call(id="a", at="500ms", takes="200ms"), Call(id="b", at="1s", takes="200ms")])
    >>> simulate(reads).makespan_s, simulate(reads, "serial").makespan_s
    (1.2, 1.4)
    """
    if course is None:
        steps = STEPS_PER_CALL * (10 + len(scenario.every_call))
        loop = SimLoop(Environment(pick=choices), max_steps_per_instant=steps)
    else:
        loop = course.loop
    seat = seated(scenario, engine, seed, loop)
    stage, turn = seat.stage, seat.turn
    if waits is not None:
        waits.on_cancel = partial(stage.consumer_left, "cancelled")
    playing = seat.play if waits is None else partial(seat.play, waits.watch)
    trouble: str | None = None
    try:
        (partial(clock.run, loop=loop) if course is None else course.run)(playing(), on_over=stage.close)
    except (Exception, asyncio.CancelledError) as error:
        trouble = seat.halt(error)
    again = {"reproduce": _again(source, seat.name, seed, choices)} if source and turn is not None else {}
    return Run(
        scenario=scenario,
        engine=seat.name,
        seed=seed,
        header={**stage.recorder.header, **again},
        events=tuple(stage.recorder.events),
        results=tuple(stage.results),
        messages=tuple(turn.messages) if turn is not None else (),
        context=dict(turn.context) if turn is not None else {},
        trouble=trouble,
        should_continue=turn.should_continue if turn is not None else None,
        processes=stage.processes,
        choices=dict(choices.deviations) if choices is not None else {},
    )


def _again(source: str, engine: str, seed: int, choices: Choices | None) -> str:
    chosen = f" --choices {format_choices(choices.deviations)}" if choices is not None and choices.deviations else ""
    return f"interlock run {shlex.quote(source)} --engine {engine} --seed {seed}{chosen}"
