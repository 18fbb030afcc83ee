"""An executor with its stage, ready to be played: one of ours by its turn, any other by what drives it.

The rule: what a run that comes to no end is called is decided here, for all ways to play it. No times here.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, get_args

from executor import Engine, Turn
from scenarios.model import Scenario
from sim.clock import Deadlock, Livelock, SimLoop

from .header import header_of
from .own import AnyExecutor, as_engine
from .own_stage import OwnStage
from .stage import Stage


@dataclass(frozen=True)
class Seat:
    """Who plays what.

    Args:
        name: the engine's; ``your NAME`` for an executor that is not ours.
        stage: where it plays.
        turn: of our own engines.
        playing: plays the scenario, to the end of its turn.
    """

    name: str
    stage: Stage
    turn: Turn | None
    playing: Coroutine[Any, Any, None]

    async def play(self, watch: Callable[[Coroutine[Any, Any, None]], Awaitable[Any]] | None = None) -> None:
        """Play it, and write down how it ended; ``watch`` stands between, and may cancel it."""
        try:
            await (self.playing if watch is None else watch(self.playing))
        except asyncio.CancelledError:
            if self.stage.consumer_stays:
                raise
        if self.turn is not None:
            self.stage.end(self.turn.ended or "left", self.turn.report.unclaimed, self.turn.report.abandoned)

    def halt(self, error: BaseException) -> str:
        """Write down that the run came to no end, and give what its trouble was, in words."""
        match error:
            case Deadlock():
                self.stage.halt("deadlock", self.stage.running or map(_short, error.waiting))
            case Livelock():
                self.stage.halt("livelock", map(_short, error.busiest))
            case _:
                # A tool that cancels itself takes down an executor that does not look (A12).
                trouble = f"{type(error).__name__}: {str(error) or _unsaid(error)}"
                self.stage.halt("crash", [trouble])
                return trouble
        return str(error)


def _unsaid(error: BaseException) -> str:
    return "it was cancelled from within" if isinstance(error, asyncio.CancelledError) else "no message"


def seated(
    scenario: Scenario,
    engine: Engine | AnyExecutor,
    seed: int,
    loop: SimLoop,
    *,
    ours: type[Stage] = Stage,
    own: type[OwnStage] = OwnStage,
) -> Seat:
    """Put an executor on a stage.

    Args:
        scenario: what is to be played.
        engine: as for :func:`sim.simulate`.
        seed: chooses what the scenario leaves open.
        loop: where it is played.
        ours: the stage for our own engines.
        own: the stage for any other.

    Raises:
        ValueError: there is no engine of that name, or the scenario has something that yours cannot be told of.
    """
    if isinstance(engine, str):
        if engine not in get_args(Engine):
            raise ValueError(f"engine: expected one of {', '.join(get_args(Engine))} or a function, got {engine!r}")
        stage = ours(scenario, seed, header_of(scenario, engine, seed), loop)
        turn = stage.turn(engine)
        return Seat(str(engine), stage, turn, stage.drive(turn))
    yours = as_engine(engine)
    if lacking := yours.lacks(scenario):
        told = f"{yours.name} does not declare {', '.join(lacking)}, which the scenario has"
        raise ValueError(f"{told}: declare it by supports=, or leave that out")
    name = f"your {yours.name}"
    own_stage = own(scenario, seed, yours.on_its_terms(header_of(scenario, name, seed), scenario), loop)
    return Seat(name, own_stage, None, own_stage.play(yours.drive))


def _short(line: str) -> str:
    """Name a place in code without the folder it lies in: a log says the same wherever it is written."""
    return re.sub(r"[^\s]*[/\\]([^\s/\\]+:\d+)", r"\1", line)
