"""One batch of a campaign: random turns under random plans, and the smallest one that fails.

The rule: a batch is chosen by its seed alone, so that it is the same wherever and whenever it runs. Which kinds of
fault a turn has is drawn per turn and what each does per call (:mod:`scenarios.strategies`), and all of it is part of
the example, so that it shrinks away. Needs the ``testing`` extra. Times in nanoseconds.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from scenarios import Scenario, strategies
from scenarios.strategies import Feature
from sim.conformance.suite import features_beyond
from sim.oracle import situations, unreached
from sim.world import OwnEngine, as_engine

from .by_hypothesis import orders
from .jitter import jittered
from .plan import Cut, Plan, engine_named
from .shrink import shrunk
from .trial import Ended, scenario_trial

ORDERS = 2
"""In so many orders besides its own each plan is run."""
JITTERS_NS = (0, 1, 50_000_000)
_INSTANTS: Final = st.integers(0, 30).map(lambda tick: tick * 100_000_000)
_CUTS: Final[dict[Feature, st.SearchStrategy[Cut]]] = {
    "cancel": st.builds(Cut, st.sampled_from(["cancel", "wake"]), st.integers(1, 12)),
    "stop": st.builds(Cut, st.just("stop"), _INSTANTS),
    "submit": st.builds(Cut, st.just("submit"), _INSTANTS),
}


@dataclass(frozen=True)
class Batch:
    """What is to be run.

    Args:
        seed: chooses the turns and the plans.
        turns: how many there are.
        engines: by their names, as ``interlock run --engine`` takes them.
        known: the kinds of failure, each with its engine, that need not be found and made small once more.
    """

    seed: int
    turns: int
    engines: tuple[str, ...]
    known: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Found:
    """A failure, as small as it could be made: its kind, the engine by name, the scenario and the plan's words."""

    kind: str
    engine: str
    scenario: Scenario
    plan: str


@dataclass
class Tally:
    """What was run, and what was seen.

    Args:
        turns: how many random turns were played.
        failing: how many of them broke something in some run.
        runs: how often they were run: each under every engine, in several orders.
        simulated_ns: how much time passed in these runs.
        situations: how often each situation that the oracle knows was reached.
        features: what the turns used that makes further situations possible.
        found: what failed.
    """

    turns: int = 0
    failing: int = 0
    runs: int = 0
    simulated_ns: int = 0
    situations: Counter[str] = field(default_factory=Counter)
    features: set[str] = field(default_factory=set)
    found: list[Found] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Take in what another one counted."""
        self.turns += other.turns
        self.failing += other.failing
        self.runs += other.runs
        self.simulated_ns += other.simulated_ns
        self.situations += other.situations
        self.features |= other.features
        self.found += other.found

    def count(self, ended: Ended) -> None:
        """Count a run."""
        self.runs += 1
        self.simulated_ns += ended.instants_ns[-1]
        if ended.run is not None:
            self.situations += situations(ended.run.header, ended.run.events)
            self.features |= set(ended.run.header.get("features", ()))

    @property
    def reached(self) -> str:
        """Say how many situations of the turns' scope were reached, and which never."""
        missed = unreached(self.situations, self.features)
        never = f"; never: {', '.join(missed)}" if missed else ""
        return f"{len(self.situations)} of {len(self.situations) + len(missed)} situations reached{never}"


def plans(without: Collection[Feature] = ()) -> st.SearchStrategy[Plan]:
    """Draw a plan, its engine aside; it shrinks towards first-come, at the scenario's own times, to the turn's end.

    Its cuts are none of what random turns are ``without``.
    """
    cuts = [kind for feature, kind in _CUTS.items() if feature not in without]
    return st.builds(
        Plan,
        seed=st.integers(0, 999),
        jitter_ns=st.sampled_from(JITTERS_NS),
        cuts=st.lists(st.one_of(cuts), max_size=2 if cuts else 0).map(tuple),
    ).flatmap(orders)


def run_batch(batch: Batch) -> Tally:
    """Run a batch; the first failure of a kind that is not known ends it, once it is made small."""
    tally = Tally()
    smallest: list[tuple[str, Scenario, Ended]] = []
    own = _own(batch.engines)
    without = {feature for engine in own for feature in features_beyond(engine.supports)}
    turns = strategies.any_turns(without=without, attempts=all("attempts" in engine.supports for engine in own))

    @seed(batch.seed)
    @settings(
        max_examples=batch.turns,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(turns, plans(without))
    def attempt(turn: Scenario, plan: Plan) -> None:
        counts = Tally() if smallest else tally  # making a failure small is not counted
        trial = scenario_trial(turn)
        played = fails = False
        for variant in _variants(plan, batch.engines):
            try:
                ended = trial(variant)
            except ValueError:
                continue  # the executor under test says that it cannot be told of what the turn has
            counts.count(ended)
            counts.turns += not played
            played = True
            counts.failing += bool(ended.broken) and not fails
            fails = fails or bool(ended.broken)
            kinds = [kind for kind in ended.broken if (kind, variant.engine_name) not in batch.known]
            if kinds:
                smallest[:] = [(kinds[0], turn, ended)]
                # An exception of its own for each kind: Hypothesis makes a failure small without changing its type.
                raise _failure(kinds[0])

    try:
        attempt()
    except Failed:
        tally.found.append(_written(*smallest[0]))
    return tally


def _own(engines: Iterable[str]) -> list[OwnEngine]:
    """Give those of the engines that are not ours, which may not know of everything that a turn can have."""
    return [as_engine(engine) for engine in map(engine_named, engines) if not isinstance(engine, str)]


def _written(kind: str, turn: Scenario, ended: Ended) -> Found:
    """Put a failure into the words of a file: jitter becomes times, and what is not needed is left out of the plan."""
    plan = ended.plan
    if plan.jitter_ns:
        turn = jittered(turn, plan.seed, plan.jitter_ns)
        plan = replace(plan, jitter_ns=0)
    trial = scenario_trial(turn)
    return Found(kind, plan.engine_name, turn, str(shrunk(trial(plan), kind, trial).plan))


def _variants(plan: Plan, engines: Iterable[str]) -> Iterator[Plan]:
    """Give the plans that one example is run by: making a turn costs more than running it, so each is run often."""
    for engine in engines:
        yield replace(plan, engine=engine)
        for n in range(ORDERS):
            yield replace(plan, engine=engine, order_seed=plan.seed + n)


class Failed(Exception):
    """A turn broke something."""


@cache
def _failure(kind: str) -> type[Failed]:
    return type(kind, (Failed,), {})
