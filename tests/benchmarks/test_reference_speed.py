"""What the reference model costs: against the simulation of the same turns.

Processor time, and ratios within one run: absolute times are the machine's, and so is what else runs on it.
"""

import statistics
import time
from collections.abc import Callable

import pytest

from scenarios import Call, Scenario, ToolSpec
from sim import simulate
from sim.reference import predict

pytestmark = pytest.mark.bench

TOOLS = {"Read": ToolSpec(), "Edit": ToolSpec(safe=False)}


def turn(size: int) -> Scenario:
    """A turn of reads with an edit at every fourth place, ten arriving each second."""
    calls = [
        Call(id=f"c{n}", tool="Read" if n % 4 else "Edit", at=f"{n * 100}ms", takes=f"{100 + n % 7 * 50}ms")
        for n in range(size)
    ]
    return Scenario(tools=TOOLS, calls=calls)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("size", [5, 20, 100])
def test_the_model_is_ten_times_as_fast_as_the_simulation(size: int) -> None:
    """Issue 5's aim, for turns of every size."""
    scenario = turn(size)
    repeats = max(1, 500 // size)
    rounds = [
        (
            seconds(lambda: [simulate(scenario) for _ in range(repeats)]),
            seconds(lambda: [predict(scenario) for _ in range(repeats)]),
        )
        for _ in range(5)
    ]
    ratio = statistics.median(simulated / predicted for simulated, predicted in rounds)
    print(f"\n{size} calls: the model is {ratio:.1f} times as fast as the simulation")
    assert ratio >= 10
