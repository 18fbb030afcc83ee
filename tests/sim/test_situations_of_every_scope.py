"""Turns of every kind keep every rule, and reach every situation that their kind makes possible (SPEC 10)."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenarios import Scenario, strategies
from scenarios.strategies import FEATURES, Feature
from sim import check, simulate
from sim.oracle import SITUATIONS, situations, unreached

ENGINES = ("streaming", "batch", "serial")


def turns(*about: Feature, beside: tuple[Feature, ...] = ()) -> st.SearchStrategy[Scenario]:
    """Short turns that are about some features; others may be there, all the rest is not."""
    return strategies.turns(5, without=set(FEATURES) - {*about, *beside}, always=set(about))


SCOPES: dict[str, tuple[st.SearchStrategy[Scenario], set[str]]] = {
    "hooks": (turns("hooks", "rewrites", "classes", beside=("stop",)), {"hooks"}),
    "questions": (turns("questions", "refusals", beside=("stop",)), {"questions"}),
    "bodies that refuse": (turns("refusals"), {"refuses"}),
    "background work": (turns("background", "classes"), {"background"}),
    "deadlines": (turns("deadlines", "hooks"), {"deadline"}),
    "a client that is cancelled": (turns(beside=("cancel", "classes")), {"cancel"}),
    "attempts": (strategies.retried_turns(), {"attempts"}),
    "every kind": (strategies.any_turns(5), set()),
}


@pytest.mark.parametrize("scope", SCOPES)
def test_turns_of_a_scope_keep_every_rule_and_reach_what_the_scope_is_about(scope: str) -> None:
    """What was never reached would prove nothing about it."""
    kind, needs = SCOPES[scope]
    reached = Counter[str]()
    features = set[str]()

    @settings(max_examples=max(150, settings().max_examples // 2), suppress_health_check=list(HealthCheck))
    @given(kind, st.sampled_from(ENGINES))
    def keep_every_rule(scenario: Scenario, engine: str) -> None:
        run = simulate(scenario, engine)  # type: ignore[arg-type]
        assert run.trouble is None
        assert check(run) == [], run.timeline()
        reached.update(situations(run.header, run.events))
        features.update(run.header.get("features", ()))

    keep_every_rule()
    assert needs <= features
    about = {situation.name for situation in SITUATIONS if situation.needs & needs}
    assert about.intersection(unreached(reached, features)) == set()


def test_every_situation_that_needs_a_feature_is_in_some_scope() -> None:
    needs = set().union(*(needs for _, needs in SCOPES.values()))
    assert {situation.name for situation in SITUATIONS if not situation.needs <= needs} == set()
