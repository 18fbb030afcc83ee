"""The batch engine: the whole response first, then batch by batch (Q1–Q4)."""

import asyncio

import pytest

from executor import BatchToolExecutor, Options
from executor.events import Kind
from sim import clock


def test_nothing_starts_before_the_response_is_complete(shop) -> None:
    """SPEC 1, S4."""
    played = shop.play((0.0, shop.block("a", "Edit", takes=0.1)), (0.5, shop.block("b")), ends_s=2.0, engine="batch")
    assert played.started_ms == [(2000, "a"), (2100, "b")]


def test_batches_run_one_after_the_other_each_as_long_as_its_slowest(shop) -> None:
    """Q1: [Read Read Grep Edit Read] is three batches."""
    timed = [
        (0.0, shop.block("a", takes=0.3)),
        (0.0, shop.block("b", takes=0.1)),
        (0.0, shop.block("c", takes=0.2)),
        (0.0, shop.block("d", "Edit", takes=0.2)),
        (0.0, shop.block("e", takes=0.1)),
    ]
    played = shop.play(*timed, engine="batch")
    assert played.started_ms == [(0, "a"), (0, "b"), (0, "c"), (300, "d"), (500, "e")]
    assert played.emitted_ms == [(300, "a"), (300, "b"), (300, "c"), (500, "d"), (600, "e")]


def test_c_a_b_finishing_in_that_order_come_out_a_b_c_or_as_they_complete(shop) -> None:
    """Q3, E6."""
    timed = [(0.0, shop.block(call, takes=takes_s)) for call, takes_s in (("a", 0.2), ("b", 0.3), ("c", 0.1))]
    assert shop.play(*timed, engine="batch").emitted_ms == [(200, "a"), (300, "b"), (300, "c")]
    eager = shop.play(*timed, engine="batch", emission="eager")
    assert eager.emitted_ms == [(100, "c"), (200, "a"), (300, "b")]


def test_progress_in_a_batch_comes_at_once(shop) -> None:
    """Q3."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.5)), (0.0, shop.block("b", takes=0.4, reports=[0.1])), engine="batch"
    )
    assert played.instants_ms(Kind.EMITTED, what="progress") == [(100, "b")]


@pytest.mark.parametrize("ends", ["error", "raise", "cancelled"])
def test_a_call_that_fails_in_a_batch_neither_loses_nor_orphans_the_others(shop, ends) -> None:
    """Q2, L3, SPEC 12.7."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1, ends=ends)),
        (0.0, shop.block("b", takes=0.3)),
        (0.0, shop.block("c", takes=0.2)),
        (0.0, shop.block("d", takes=0.2)),
        engine="batch",
        max_concurrency=2,
    )
    assert played.outcomes == {"a": "error", "b": "ok", "c": "ok", "d": "ok"}
    assert played.started_ms == [(0, "a"), (0, "b"), (100, "c"), (300, "d")]


def test_a_batch_larger_than_the_limit_is_still_one_batch(shop) -> None:
    """Q2: the exclusive call behind it waits for the last of it, not for the first few."""
    timed = [(0.0, shop.block(str(n), takes=0.1 * (n + 1))) for n in range(4)]
    played = shop.play(*timed, (0.0, shop.block("x", "Edit")), engine="batch", max_concurrency=2)
    assert played.started_ms == [(0, "0"), (0, "1"), (100, "2"), (200, "3"), (600, "x")]


def test_a_slow_reader_delays_no_start_inside_a_batch(shop) -> None:
    """Q2, E8."""

    async def slowly(message: object) -> None:
        await asyncio.sleep(5)

    timed = [(0.0, shop.block(str(n), takes=0.1)) for n in range(5)]
    played = shop.play(*timed, engine="batch", max_concurrency=1, consume=slowly)
    assert [at for at, _ in played.started_ms] == [0, 100, 200, 300, 400]


def test_changes_of_a_batch_are_made_in_request_order_when_all_of_it_is_done(shop) -> None:
    """Q4: siblings never see them, the next batch does; an exclusive call's count at once."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.3, sets={"last": "a"})),
        (0.0, shop.block("b", takes=0.1, sets={"last": "b"})),
        (0.0, shop.block("c", takes=0.4, shows="last")),
        (0.0, shop.block("d", "Edit", shows="last", sets={"last": "d"})),
        (0.0, shop.block("e", "Edit", shows="last")),
        engine="batch",
        max_concurrency=2,
    )
    shown = {call: result.content for call, result in played.results.items()}
    assert shown == {"a": "", "b": "", "c": "None", "d": "'b'", "e": "'d'"}
    assert [row for row in played.rows if "context" in row] == ["500 context last=b", "500 context last=d"]


def test_what_waits_for_the_end_of_the_response_is_answered_when_the_user_stops(shop) -> None:
    """A7: at once, although the response goes on."""
    played = shop.play(
        (0.0, shop.block("a")),
        (0.5, shop.block("b", "Edit")),
        ends_s=1.0,
        engine="batch",
        acts=[(0.2, lambda turn: turn.stop())],
    )
    assert played.started_ms == []
    assert played.emitted_ms == [(200, "a"), (500, "b")]
    assert set(played.outcomes.values()) == {"user_interrupted"}


def test_the_end_of_the_response_may_be_declared_twice(shop) -> None:
    """E8: by its owner, and by whoever takes what remains."""

    async def main() -> list[str]:
        async with BatchToolExecutor(shop.tools, options=Options()) as executor:
            executor.add(shop.block("a", "Edit", takes=0.1))
            executor.response_complete()
            executor.response_complete()
            return [update.result.call_id async for update in executor.remaining_results()]

    assert clock.run(main()) == ["a"]
