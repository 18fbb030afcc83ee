"""The known-bad executors are modules beside their tests; a corpus of random turns, drawn once, is what finds them."""

import sys
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from scenarios import Scenario, strategies
from scenarios.strategies import FEATURES, Feature

sys.path.insert(0, str(Path(__file__).parent))

SIZE = max(400, settings().max_examples)
FOCUSED: tuple[set[Feature], ...] = (
    {"unknown"},
    {"limit"},
    {"progress"},
    {"modifiers", "classes"},
    {"classifier"},
    {"cascading", "failures", "policies"},
    {"classes", "stop"},
    {"overrides", "submit"},
    {"consumer"},
    {"foreign_cancel"},
)
"""What some of the turns are about, and nothing else is in them."""
GUARDED: set[Feature] = {"hooks", "rewrites", "rules", "questions", "refusals", "deadlines", "background"}
"""What the plain executor knows nothing of."""


@pytest.fixture(scope="session")
def corpus() -> list[Scenario]:
    """Random turns of up to five calls, the same in every process."""
    return turns_about(frozenset())


@cache
def turns_about(about: frozenset[Feature]) -> list[Scenario]:
    """Draw turns of nothing but some features, or of what the plain executor knows of, one kind after the other."""
    if about:
        return drawn(strategies.turns(4, without=set(FEATURES) - about, always=about), SIZE // 4)
    kinds = [drawn(strategies.turns(5, without=GUARDED), SIZE), drawn(strategies.retried_turns(2), SIZE // 4)]
    kinds += [drawn(strategies.turns(5, without=set(FEATURES) - features), SIZE // 10) for features in FOCUSED]
    return [turn for turns in zip_longest(*kinds) for turn in turns if turn is not None]


def drawn(turns: SearchStrategy[Scenario], size: int) -> list[Scenario]:
    """Draw turns, always the same."""
    found: list[Scenario] = []

    @settings(
        max_examples=size,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(turns)
    def collect(turn: Scenario) -> None:
        found.append(turn)

    collect()
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the known-bad executors' tests measured, also those that other processes ran."""
    rows = [dict(report.user_properties) for report in terminalreporter.getreports("passed")]
    rows = [row for row in rows if "defect" in row]
    if rows:
        terminalreporter.section("known-bad executors: failures per 1,000 scenarios, median calls of the smallest")
    for row in rows:
        terminalreporter.line(f"{row['rule']:<3} {row['per_1000']:>5} {row['calls']:>3}  {row['defect']}")
