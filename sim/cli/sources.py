"""What ``export`` and ``plot`` read: a scenario, which is played first, an event log, or a recorded session.

The rule: a session's turns are shown as they were recorded, or, where an engine is named, as it would have run them.
Unit: nanoseconds.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Final

import typer

from scenarios import Scenario, ScenarioError, load
from scenarios.files import is_named_as_scenario
from scenarios.traces import TraceError, TraceReader, read_trace
from scenarios.traces.fit import obstacle, to_scenario
from scenarios.traces.model import RecordedTurn
from sim.analysis.courses import courses
from sim.analysis.placed import PlacedTurn
from sim.analysis.replay import judge_recorded, with_last
from sim.explore.plan import engine_named
from sim.show.visible import visible
from sim.world import simulate

from .exits import Unusable
from .running import chosen_engine

MAIN: Final = "main conversation"
"""The track of a session's turns that are no sub-agent's."""

_SHOWN: Final = 10
"""How much of what was left out is told line by line."""


@dataclass(slots=True)
class Source:
    """The turns of one file.

    Args:
        path: the file.
        engines: who plays a scenario's or a session's turns; none: streaming for a scenario, nobody for a session.
        seed: chooses the durations that a scenario leaves open.
        number: the only turn of a session that is wanted.
        left_out: says which turns could not be shown, once they were asked for.
    """

    path: Path
    engines: Sequence[str] = ()
    seed: int = 0
    number: int | None = None
    left_out: list[str] = field(default_factory=list)

    @property
    def is_scenario(self) -> bool:
        """Whether the file is a scenario, or raise :class:`Unusable` where it cannot be read."""
        return self._session() is None

    def begun(self) -> Iterable[PlacedTurn]:
        """Give the turns, the first of them read already: what is wrong with the file is known before one is used."""
        turns = self._turns()
        return chain(list(islice(turns, 1)), turns)

    def _turns(self) -> Iterator[PlacedTurn]:
        engines = [chosen_engine(engine) for engine in self.engines]
        reader = self._session()
        yield from self._of_scenario(engines or ["streaming"]) if reader is None else self._of_session(reader, engines)

    def _session(self) -> TraceReader | None:
        """Open the file as a session; ``None`` for a scenario, whose file ends like that of some sessions."""
        try:
            return read_trace(self.path)
        except TraceError as error:
            if is_named_as_scenario(self.path):
                return None
            raise Unusable(str(error)) from error

    def _of_scenario(self, engines: list[str]) -> Iterator[PlacedTurn]:
        try:
            scenario = load(self.path)
        except ScenarioError as error:
            raise Unusable(str(error)) from error
        for engine in engines:
            yield self._played(scenario, engine, scenario.name or self.path.name, 0)

    def _of_session(self, reader: TraceReader, engines: list[str]) -> Iterator[PlacedTurn]:
        met, over_ns = 0, 0
        for turn, is_last in with_last(reader):
            met = turn.number
            if self.number not in (None, turn.number):
                continue
            shown = list(self._replayed(turn, engines) if engines else [_recorded(turn, is_last=is_last)])
            if turn.log is not None:
                # A log counts from its turn's start and does not tell when that was: turns follow each other.
                shown = [one._replace(start_ns=over_ns) for one in shown]
                over_ns += max((one.course.span_ns for one in shown), default=0)
            yield from shown
        self.left_out += [f"line {one.line}: {one.what}" for one in reader.damage]
        if self.number is not None and not 1 <= self.number <= met:
            raise Unusable(f"--turn {self.number}: {self.path} has no such turn; its last is {met}")

    def _replayed(self, turn: RecordedTurn, engines: list[str]) -> Iterator[PlacedTurn]:
        scenario = to_scenario(turn)
        if scenario is None:
            self.left_out.append(f"turn {turn.number}: {obstacle(turn)}")
            return
        for engine in engines:
            played = self._played(scenario, engine, f"turn {turn.number}", turn.first_ns)
            yield played if turn.log is not None else played._replace(course=played.course.as_estimate())

    def _played(self, scenario: Scenario, engine: str, name: str, start_ns: int | None) -> PlacedTurn:
        try:
            run = simulate(scenario, engine_named(engine), self.seed, source=str(self.path))
        except ValueError as error:
            raise Unusable(f"{self.path}: {error}") from None
        return PlacedTurn(name, run.engine, start_ns, courses(run))


def tell_left_out(lines: Sequence[str]) -> None:
    """Say what was left out, on standard error."""
    for line in lines[:_SHOWN]:
        typer.echo(f"left out: {visible(line)}", err=True)
    if len(lines) > _SHOWN:
        typer.echo(f"left out: and {len(lines) - _SHOWN} more", err=True)


def _recorded(turn: RecordedTurn, *, is_last: bool) -> PlacedTurn:
    course = courses(turn, violations=judge_recorded(turn, is_last=is_last)[0])
    track = MAIN if turn.log is None else str(course.header.get("engine", "log"))
    return PlacedTurn(f"turn {turn.number}", turn.agent or track, turn.first_ns, course)
