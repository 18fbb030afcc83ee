"""Recorded turns made into scenarios, each tried before it is handed on.

The rule: a scenario expects what was recorded only where a run of ours under the profile's engine does just that; where
it does not, or durations are drawn, it expects nothing. Nanoseconds.
"""

from collections.abc import Mapping
from typing import NamedTuple

from executor.calls.outcome import Outcome
from scenarios import Expect, Scenario
from scenarios.durations import Empirical, LogNormal
from scenarios.traces import RecordedTurn, obstacle, to_scenario
from sim.world import simulate
from sim.world.expectations import unmet


class ImportedTurn(NamedTuple):
    """A recorded turn and what became of it.

    Args:
        turn: as it was recorded.
        scenario: what plays it, ``None`` where that cannot be made.
        why_not: the reason for that.
        otherwise: what comes out otherwise than recorded when it is played under its profile's engine.
    """

    turn: RecordedTurn
    scenario: Scenario | None
    why_not: str | None
    otherwise: tuple[str, ...] = ()


def import_turn(
    turn: RecordedTurn, source: str, takes: Mapping[str, Empirical | LogNormal] | None = None
) -> ImportedTurn:
    """Make the scenario of a turn; its name says where it comes from and which profile its options are.

    Args:
        turn: as an importer gave it.
        source: the recording's name.
        takes: by tool, what calls take instead of what was recorded.
    """
    scenario = to_scenario(turn, takes)
    if scenario is None:
        return ImportedTurn(turn, None, obstacle(turn))
    engine = turn.choice.assumed.engine
    name = f"{source}, turn {turn.number}, line {turn.line}; profile {turn.choice.assumed.name}, engine {engine}"
    plain = scenario.model_copy(update={"name": name})
    if takes:
        return ImportedTurn(turn, plain, None)
    expecting = plain
    if plain.expect == Expect():
        # A whole log says by itself what came of it.
        outcomes = {call.id: _played(call.outcome) for call in turn.calls}
        expect = Expect(results=tuple((call, outcomes[call]) for call in turn.emitted), engines=(engine,))
        expecting = plain.model_copy(update={"expect": expect})
    otherwise = tuple(unmet(simulate(expecting, engine)))
    if otherwise:
        return ImportedTurn(turn, plain.model_copy(update={"expect": Expect()}), None, otherwise)
    return ImportedTurn(turn, expecting, None)


def _played(outcome: Outcome | None) -> str:
    """Name the outcome that a recorded one has in a scenario, where a refusal is an error after the wait for it."""
    return str(Outcome.ERROR if outcome in (None, Outcome.DENIED) else outcome)
