"""Many turns on one clock: each is the turn that it is by itself, and hours of them take seconds."""

import asyncio
import gc
import itertools
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios import Attempt, Call, Happening, Scenario, ToolSpec
from scenarios.durations import LogNormal
from scenarios.strategies import retried_turns, streams, turns
from sim import check, simulate, simulate_session

HOUR_NS = 3_600 * 10**9


def busy_turns() -> Iterator[Scenario]:
    """An agent's everyday turns, without end."""
    tools = {"Read": ToolSpec(), "Bash": ToolSpec(safe=False, cascades=True), "Edit": ToolSpec(safe=False)}
    looks = [Call(id="a", at="3.7s", takes="typical"), Call(id="b", at="4.5s", takes="typical")]
    works = [Call(id="a", tool="Edit", at="3.1s", takes="typical"), Call(id="b", tool="Bash", at="4s", takes="typical")]
    failed = Attempt(calls=[Call(id="a", at="2s")], events=[Happening(at="3s", do="stream_error")])
    again = Attempt(after="500ms", calls=[Call(id="c", tool="Bash", at="3s", takes="typical", ends="error")])
    yield from itertools.cycle(
        [
            Scenario(tools=tools, calls=looks),
            Scenario(tools=tools, calls=works),
            Scenario(tools=tools, attempts=[failed, again]),
        ]
    )


@settings(max_examples=60)
@given(st.lists(turns(max_calls=4) | retried_turns(max_calls=2), max_size=4), st.none() | streams(), st.integers(0, 2))
def test_a_turn_of_a_session_is_the_turn_that_it_is_by_itself(
    played: list[Scenario], stream: object, seed: int
) -> None:
    """D1: byte for byte, whatever was left of the turns before."""
    if stream is not None:
        played = [scenario.model_copy(update={"stream": stream}) for scenario in played]
    session = list(simulate_session(played, seed=seed, think=10**9))
    alone = [simulate(scenario, seed=seed + n) for n, scenario in enumerate(played)]
    assert [turn.run.lines for turn in session] == [run.lines for run in alone]
    assert [turn.run.trouble for turn in session] == [None] * len(played)


def test_time_goes_on_from_turn_to_turn() -> None:
    read = Scenario(calls=[Call(id="a", at="1s", takes="500ms")])
    session = list(simulate_session([read, read], think=2 * 10**9))
    assert [(turn.start_ns, turn.end_ns) for turn in session] == [(2 * 10**9, 35 * 10**8), (55 * 10**8, 7 * 10**9)]


def test_a_turn_that_comes_to_no_end_does_not_keep_the_next_from_being_played() -> None:
    """L1."""
    stuck, read = Scenario(calls=[Call(id="a", ends="hang")]), Scenario(calls=[Call(id="b", takes="1s")])
    first, second = simulate_session([stuck, read])
    assert str(first.run.trouble).startswith("deadlock")
    assert (second.run.trouble, check(second.run), second.run.makespan_s) == (None, [], 1.0)


def test_ten_hours_of_a_busy_agent_take_seconds() -> None:
    began = time.process_time()
    played = 0
    for turn in simulate_session(busy_turns(), think=LogNormal(median="4s", p95="40s")):
        played += 1
        assert turn.run.trouble is None
        if turn.end_ns > 10 * HOUR_NS:
            break
    assert played > 1_000
    assert time.process_time() - began < 60


def test_a_session_keeps_nothing_of_its_turns() -> None:
    """Memory is flat: as many objects after a thousand turns as after two hundred, but for a few."""
    session = simulate_session(busy_turns(), think=10**9)
    counts = []
    for turns_more in (200, 800):
        for turn in itertools.islice(session, turns_more):
            assert turn.run.trouble is None
        del turn
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[1] - counts[0] < 200


def test_a_session_can_be_played_inside_a_running_loop() -> None:
    """In notebooks and asynchronous tests, a turn at a time."""

    async def inside() -> list[float | None]:
        spans = []
        for turn in simulate_session([Scenario(calls=[Call(id="a", takes="1s")])] * 2):
            await asyncio.sleep(0)
            spans.append(turn.run.makespan_s)
        return spans

    assert asyncio.run(inside()) == [1.0, 1.0]


def test_a_session_is_refused_for_what_a_turn_is() -> None:
    with pytest.raises(ValueError, match="engine: expected one of streaming, batch, serial or a function, got 'steam'"):
        next(simulate_session([Scenario()], "steam"))  # type: ignore[arg-type]
