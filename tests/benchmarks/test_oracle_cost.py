"""What judging a log costs: against the simulation that wrote it, and in memory.

Processor time, and ratios within one run: absolute times are the machine's, and so is what else runs on it.
"""

import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator

import pytest

from executor.events import Event, Kind
from scenarios import Call, Scenario, ToolSpec
from sim import simulate
from sim.oracle import judge

pytestmark = pytest.mark.bench

HEADER = {
    "engine": "streaming",
    "tools": {"Read": {"safe": True, "cascades": False, "interrupt": "cancel"}},
    "options": {
        "max_concurrency": 10,
        "emission": "ordered",
        "cascade": "exclusive",
        "grace_ns": 2_000_000_000,
        "start": "block",
    },
    "context": {},
    "consumer": "prompt",
}


def turn(size: int) -> Scenario:
    """A turn of reads with an edit at every fourth place, ten arriving each second."""
    calls = [
        Call(id=f"c{n}", tool="Read" if n % 4 else "Edit", at=f"{n * 100}ms", takes=f"{100 + n % 7 * 50}ms")
        for n in range(size)
    ]
    return Scenario(tools={"Read": ToolSpec(), "Edit": ToolSpec(safe=False)}, calls=calls)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("size", [5, 50, 500])
def test_judging_a_log_costs_at_most_half_of_simulating_it(size: int) -> None:
    scenario, repeats = turn(size), max(1, 500 // size)
    run = simulate(scenario)
    ratios = []
    for _ in range(7):
        simulating = seconds(lambda: [simulate(scenario) for _ in range(repeats)])
        judging = seconds(lambda: [judge(run.header, run.events) for _ in range(repeats)])
        ratios.append(judging / simulating)
    ratio = statistics.median(ratios)
    print(f"\n{size} calls, {len(run.events)} rows: judging costs {ratio:.2f} of simulating")
    assert ratio <= 0.5


def told(t_ns: int, kind: Kind, call: str | None, **detail: object) -> Event:
    return Event(t_ns, kind, call, detail)


def few_calls(rows: int) -> Iterator[Event]:
    """One call that reports progress without end."""
    yield told(0, Kind.BLOCK, "a", tool="Read", index=0, attempt=0, known=True, valid=True, safe=True)
    yield told(0, Kind.ENTERED, "a")
    for n in range(rows // 2):
        yield told(n, Kind.PROGRESSED, "a", n=n)
        yield told(n, Kind.EMITTED, "a", what="progress", n=n)
    yield told(rows, Kind.LEFT, "a", ended="ok")
    yield told(rows, Kind.EMITTED, "a", what="result", outcome="ok")
    yield told(rows, Kind.TURN_ENDED, None, how="completed", closing=[], abandoned=[])


def many_calls(rows: int) -> Iterator[Event]:
    """Calls that come and go, four rows each."""
    for n in range(rows // 4):
        call = f"toolu_{n:024}"
        yield told(n, Kind.BLOCK, call, tool="Read", index=n, attempt=0, known=True, valid=True, safe=True)
        yield told(n, Kind.ENTERED, call)
        yield told(n, Kind.LEFT, call, ended="ok", said=call)
        yield told(n, Kind.EMITTED, call, what="result", outcome="ok", content=call)
    yield told(rows, Kind.TURN_ENDED, None, how="completed", closing=[], abandoned=[])


def peak(events: Iterable[Event]) -> int:
    """The most memory that judging a log takes, in bytes."""
    tracemalloc.start()
    try:
        assert judge(HEADER, events).violations == ()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_million_rows_of_few_calls_are_judged_in_flat_memory() -> None:
    short, long = peak(few_calls(10_000)), peak(few_calls(1_000_000))
    print(f"\n10,000 rows: {short / 1000:.0f} kB, 1,000,000 rows: {long / 1000:.0f} kB")
    assert long < 1.2 * short + 10_000


def test_of_a_settled_call_little_more_than_its_id_is_kept() -> None:
    """P2, S7: an id may come again at any time."""
    short, long = peak(many_calls(40_000)), peak(many_calls(200_000))
    per_call = (long - short) / 40_000
    print(f"\n{per_call:.0f} bytes for each settled call")
    assert per_call < 800
