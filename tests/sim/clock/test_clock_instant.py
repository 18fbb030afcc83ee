"""Seconds and nanoseconds: exact where it matters (B108, B109)."""

import copy
import math
import pickle
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.clock import NS_PER_S, Instant, ns, seconds


@pytest.mark.parametrize(
    ("value_s", "expected_ns"),
    [
        (0, 0),
        (0.1, 100_000_000),
        (0.1 + 0.1 + 0.1, 300_000_000),
        (1_700_000_000, 1_700_000_000 * NS_PER_S),
        (1_700_000_000.1, 1_700_000_000_100_000_000),
        (2**53, 2**53 * NS_PER_S),
        (0.5e-9, 0),
        (1.5e-9, 2),
        (2.5e-9, 2),
        (0.1000000005, 100_000_000),
        (-0.25, -250_000_000),
        (1e-300, 0),
    ],
)
def test_a_number_of_seconds_means_the_nanosecond_nearest_to_how_it_is_written(value_s, expected_ns):
    assert ns(value_s) == expected_ns


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_every_float_is_rounded_as_its_decimal_text_is(value_s):
    exact = Decimal(repr(value_s)) * NS_PER_S
    assert ns(value_s) == int(exact.quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


@pytest.mark.parametrize("value_s", [math.inf, -math.inf, math.nan])
def test_what_is_no_finite_number_of_seconds_is_refused(value_s):
    with pytest.raises(ValueError, match="expected a finite number of seconds, got"):
        ns(value_s)


@given(st.integers(min_value=0, max_value=4 * 10**15))
def test_nanoseconds_of_the_first_46_days_survive_the_way_through_seconds(value_ns):
    assert ns(seconds(value_ns)) == value_ns


def test_whole_seconds_are_ints_and_others_floats():
    assert [repr(seconds(value_ns)) for value_ns in (0, NS_PER_S, 300_000_000)] == ["0", "1", "0.3"]


@pytest.mark.parametrize("start_ns", [0, 1_709_591_365 * NS_PER_S, 17_280_000 * NS_PER_S, 2**53, 2**53 * NS_PER_S])
def test_adding_a_delay_to_an_instant_is_exact_however_late_it_is(start_ns):
    start = Instant(start_ns)
    later = start + 0.1 + 0.1 + 0.1
    assert later.ns - start.ns == 300_000_000
    assert (later - start, later - 0.3, 0.3 + start) == (0.3, start, later)
    assert start < later
    assert later > start
    assert start <= start
    assert start >= start
    assert start != later


def test_an_instant_compares_with_floats_on_the_grid_of_nanoseconds():
    instant = Instant(300_000_000)
    assert instant == 0.1 + 0.1 + 0.1
    assert instant == 0.3
    assert instant <= 0.30000000000000004
    assert instant < math.inf
    assert instant > -math.inf
    assert instant != math.nan
    assert {instant: "found"}[0.3] == "found"
    assert (1 - instant, instant + math.inf, instant - math.inf, math.inf - instant) == (
        0.7,
        math.inf,
        -math.inf,
        math.inf,
    )


def test_an_instant_refuses_what_is_no_number():
    assert Instant(0) != "0"
    for operation in ("__add__", "__radd__", "__sub__", "__rsub__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__"):
        assert getattr(Instant(0), operation)("0") is NotImplemented


def test_an_instant_survives_copying_and_pickling():
    instant = Instant(1_700_000_000_000_000_001)
    assert copy.deepcopy(instant).ns == pickle.loads(pickle.dumps(instant)).ns == instant.ns
