"""What a number of runs says of the failure rate: exact bounds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.explore import confidence
from sim.explore.confidence import rate_bounds


def at_most(failures: int, runs: int, rate: float) -> float:
    return sum(math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(failures + 1))


@given(st.integers(1, 60).flatmap(lambda runs: st.tuples(st.integers(1, runs), st.just(runs))))
def test_the_bounds_leave_two_and_a_half_percent_on_either_side(counts: tuple[int, int]) -> None:
    """Clopper and Pearson's definition, by the binomial sum itself."""
    failures, runs = counts
    low, high = rate_bounds(failures, runs)
    assert 1 - at_most(failures - 1, runs, low) == pytest.approx(0.025, rel=1e-6)
    if failures < runs:
        assert at_most(failures, runs, high) == pytest.approx(0.025, rel=1e-6)
    else:
        assert high == 1


@pytest.mark.parametrize("runs", [30, 1_000, 12_000])
def test_without_a_failure_it_is_the_rule_of_three(runs: int) -> None:
    low, high = rate_bounds(0, runs)
    assert (low, at_most(0, runs, high)) == (0, pytest.approx(0.05))
    assert high == pytest.approx(3 / runs, rel=0.06)


def test_a_rate_of_one_is_written_out() -> None:
    assert confidence(5, 5) == "5 of 5: failure rate 48 % to 100 % at 95 %"


def test_no_runs_say_nothing() -> None:
    assert confidence(0, 0) == "0 of 0: nothing is known of the failure rate"
