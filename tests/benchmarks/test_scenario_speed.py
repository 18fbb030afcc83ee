"""What it costs to play and to judge a scenario whose response comes as bytes; and that a long session keeps nothing.

Processor time, and ratios within one run: absolute times are the machine's, and so is what else runs on it.
"""

import gc
import itertools
import resource
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scenarios import Call, Scenario, Stream, ToolSpec
from scenarios.strategies import streams, turns
from sim import check, simulate, simulate_session

pytestmark = pytest.mark.bench

EXAMPLES = 400
ONCE = settings(
    database=None,
    derandomize=True,
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@st.composite
def five_calls_in_bytes(draw: st.DrawFn) -> Scenario:
    return draw(turns(5, min_calls=5)).model_copy(update={"stream": draw(streams())})


def processor_s(use: Callable[[Scenario], object]) -> float:
    """Seconds of processor time for each example that Hypothesis generates and `use` takes."""

    @ONCE
    @given(five_calls_in_bytes())
    def each(scenario: Scenario) -> None:
        use(scenario)

    gc.collect()
    began = time.process_time()
    each()
    return (time.process_time() - began) / EXAMPLES


def test_five_calls_from_bytes_are_played_and_judged_for_little_more_than_generating_them() -> None:
    """Issue 4: at most twice what Hypothesis takes to generate the scenario."""
    generated_s = min(processor_s(lambda scenario: None) for _ in range(2))
    played_s = min(processor_s(lambda scenario: check(simulate(scenario))) for _ in range(2)) - generated_s
    print(
        f"\nfive calls from bytes: generated in {generated_s * 1e3:.2f} ms, played and judged in "
        f"{played_s * 1e3:.2f} ms ({1 / played_s:,.0f} scenarios/s), ratio {played_s / generated_s:.2f}"
    )
    assert played_s / generated_s < 2


def test_the_memory_of_a_session_is_flat_over_a_hundred_thousand_turns() -> None:
    turn = Scenario(
        tools={"Read": ToolSpec(), "Bash": ToolSpec(safe=False, cascades=True)},
        stream=Stream(level="bytes"),
        calls=[Call(id="a", takes="1s", input={"path": "a.ts"}), Call(id="b", tool="Bash", at="500ms", takes="2s")],
    )
    session = simulate_session(itertools.repeat(turn), think=10**9)
    peaks_kib: list[int] = []
    began_s = time.process_time()
    for count in (5_000, 95_000):
        for played in itertools.islice(session, count):
            assert played.run.trouble is None
        peaks_kib.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    took_s = time.process_time() - began_s
    simulated_s = played.end_ns / 1e9
    print(
        f"\n100,000 turns, {simulated_s / 3600:,.0f} simulated hours, in {took_s:.0f} s "
        f"({simulated_s / took_s:,.0f} simulated seconds per second); peak memory {peaks_kib[0] >> 10} MiB after 5,000 "
        f"turns and {peaks_kib[1] >> 10} MiB after all"
    )
    assert peaks_kib[1] - peaks_kib[0] < 4 * 1024
