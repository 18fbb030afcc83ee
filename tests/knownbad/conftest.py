"""The known-bad executors are modules beside their tests; a corpus of random turns, drawn once, is what finds them."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from scenarios import Scenario, strategies

sys.path.insert(0, str(Path(__file__).parent))

SIZE = max(400, settings().max_examples)


@pytest.fixture(scope="session")
def corpus() -> list[Scenario]:
    """Random turns of up to five calls, the same in every process."""
    turns: list[Scenario] = []

    @settings(
        max_examples=SIZE,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.turns(5))
    def collect(turn: Scenario) -> None:
        turns.append(turn)

    collect()
    return turns
