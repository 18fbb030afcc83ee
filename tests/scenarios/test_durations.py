"""Durations: exact, both ways (B108); drawn ones repeat with their seed."""

import decimal
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from scenarios.durations import (
    LONGEST_NS,
    Distribution,
    Empirical,
    LogNormal,
    Uniform,
    draw_ns,
    format_duration,
    parse_duration,
)

DISTRIBUTION: TypeAdapter[Distribution] = TypeAdapter(Distribution)


@pytest.mark.parametrize(
    ("words", "ns"),
    [
        ("500ms", 500_000_000),
        ("1.2s", 1_200_000_000),
        ("2m", 120_000_000_000),
        ("1h", 3_600_000_000_000),
        ("100us", 100_000),
        ("5ns", 5),
        ("1m30s", 90_000_000_000),
        ("1h1ns", 3_600_000_000_001),
        ("1.5m0.25s", 90_250_000_000),
        ("0s", 0),
        (0, 0),
        (-0.0, 0),
        (3, 3_000_000_000),
        (0.1, 100_000_000),
        (0.1 + 0.2, 300_000_000),
        (1e-9, 1),
        ("0.1", 100_000_000),
        ("1e3", 1_000_000_000_000),
        ("1.000000000000000000000000000000s", 1_000_000_000),
        (f"{LONGEST_NS}ns", LONGEST_NS),
    ],
)
def test_seconds_and_words_become_nanoseconds(words: object, ns: int) -> None:
    assert parse_duration(words) == ns


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("200 m", "'200 m'"),
        ("200 ms", "'200 ms'"),
        ("1d", "'1d'"),
        ("1s1m", "'1s1m'"),
        ("1s1s", "'1s1s'"),
        ("1S", "'1S'"),
        ("", "''"),
        ("12:30", "'12:30'"),
        (".5s", "'.5s'"),
        ("1_000", "'1_000'"),
        ("0.1ns", "'0.1ns'"),
        ("1e-10", "'1e-10'"),
        ("1e999", "'1e999'"),
        ("nan", "'nan'"),
        ("-1s", "'-1s'"),
        ("\u0663s", "'\u0663s'"),
        (-1, "-1"),
        (-0.5, "-0.5"),
        (-1e-9, "-1e-09"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (1e300, "1e+300"),
        (True, "true"),
        (None, "null"),
        (["1s"], "['1s']"),
        (f"{LONGEST_NS + 1}ns", f"'{LONGEST_NS + 1}ns'"),
        (10**40, str(10**40)),
        ("9" * 1000, "'" + "9" * 56 + "..."),
    ],
)
def test_what_is_no_duration_is_named_in_one_line(value: object, shown: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_duration(value)
    assert str(caught.value) == f"expected seconds or a duration such as 200ms, got {shown}"


@pytest.mark.parametrize(
    ("ns", "words"),
    [
        (0, "0s"),
        (1, "1ns"),
        (100_000, "100us"),
        (500_000_000, "500ms"),
        (1_200_000_000, "1.2s"),
        (60_000_000_000, "1m"),
        (90_000_000_000, "90s"),
        (3_600_000_000_001, "1h1ns"),
        (1_000_000_001, "1s1ns"),
        (5_400_000_000_000, "90m"),
    ],
)
def test_nanoseconds_are_written_in_their_shortest_words(ns: int, words: str) -> None:
    assert format_duration(ns) == words


def test_a_negative_number_of_nanoseconds_has_no_words() -> None:
    with pytest.raises(ValueError, match="expected a duration of 0 ns or more, got -1"):
        format_duration(-1)


@given(st.integers(0, LONGEST_NS) | st.integers(0, 10**6).map(lambda n: n * 10**6))
def test_words_read_back_as_the_same_nanoseconds(ns: int) -> None:
    assert parse_duration(format_duration(ns)) == ns


@given(st.integers(0, 10**15))
def test_a_number_of_seconds_below_eleven_days_is_exact_to_the_nanosecond(ns: int) -> None:
    assert parse_duration(float(decimal.Decimal(ns) / 10**9)) == ns


def test_the_callers_decimal_context_changes_nothing() -> None:
    with decimal.localcontext(prec=2):
        assert parse_duration("1m30.123456789s") == 90_123_456_789
        assert parse_duration(1.234567891) == 1_234_567_891


def test_three_tenths_are_one_three_tenths() -> None:
    """B108: the sum of three steps and the one step end at the same instant."""
    assert 3 * parse_duration(0.1) == parse_duration(0.3)


def test_distributions_are_made_from_the_words_of_the_files() -> None:
    assert DISTRIBUTION.validate_python("200ms") == 200_000_000
    assert DISTRIBUTION.validate_python({"uniform": ["100ms", 1]}) == Uniform(low="100ms", high="1s")
    median, p95 = "50ms", "400ms"
    assert DISTRIBUTION.validate_python({"lognormal": {"median": median, "p95": p95}}) == LogNormal(
        median=median, p95=p95
    )


@pytest.mark.parametrize(
    "distribution",
    [5, Uniform(low="1ns", high=2), LogNormal(median="50ms", p95="1m30s"), Empirical(values=["1ms", "2s", "1ms"])],
)
def test_distributions_are_written_in_the_words_they_are_made_from(distribution: Distribution) -> None:
    assert DISTRIBUTION.validate_python(DISTRIBUTION.dump_python(distribution, mode="json")) == distribution


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"uniform": [1]}, "expected {uniform: [low, high]}, got {'uniform': [1]}"),
        ({"uniform": [2, 1]}, "expected the shorter duration first, got [2s, 1s]"),
        ({"uniform": ["x", 1]}, "expected seconds or a duration such as 200ms, got 'x'"),
        ({"lognormal": 5}, "expected {lognormal: {median: …, p95: …}}, got {'lognormal': 5}"),
        (
            {"lognormal": {"median": 0, "p95": 1}},
            "expected a median above 0s and a p95 not below it, got median 0s and p95 1s",
        ),
        (
            {"lognormal": {"median": 2, "p95": 1}},
            "expected a median above 0s and a p95 not below it, got median 2s and p95 1s",
        ),
        ({"empirical": []}, "expected at least one duration to draw from, got none"),
        ({"empirical": 1}, "expected {empirical: [duration, …]}, got {'empirical': 1}"),
        ({"empirical": ["x"]}, "expected seconds or a duration such as 200ms, got 'x'"),
        ({"normal": 1}, "expected seconds or a duration such as 200ms, got {'normal': 1}"),
    ],
)
def test_a_distribution_that_is_none_is_named(words: object, problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        DISTRIBUTION.validate_python(words)
    assert [str(error["ctx"]["error"]) for error in caught.value.errors()] == [problem]


def test_a_fixed_duration_draws_nothing_so_other_draws_stay_where_they_are() -> None:
    rng = random.Random(7)
    assert draw_ns(12, rng) == 12
    assert rng.random() == random.Random(7).random()


def test_draws_repeat_with_their_seed() -> None:
    for distribution in (Uniform(low=0, high=1), LogNormal(median="50ms", p95="400ms")):
        first, second = random.Random(3), random.Random(3)
        assert [draw_ns(distribution, first) for _ in range(9)] == [draw_ns(distribution, second) for _ in range(9)]


def test_a_uniform_duration_reaches_both_its_ends_and_nothing_beyond() -> None:
    rng = random.Random(0)
    assert {draw_ns(Uniform(low="3ns", high="5ns"), rng) for _ in range(100)} == {3, 4, 5}


def test_an_empirical_duration_is_one_of_those_measured_as_often_as_it_was() -> None:
    rng = random.Random(0)
    drawn = [draw_ns(Empirical(values=["1ns", "1ns", "1ns", "9ns"]), rng) for _ in range(2_000)]
    assert set(drawn) == {1, 9}
    assert drawn.count(1) / len(drawn) == pytest.approx(0.75, abs=0.03)


def test_a_lognormal_duration_has_the_median_and_the_p95_it_was_given() -> None:
    rng = random.Random(0)
    drawn = [draw_ns(LogNormal(median="50ms", p95="400ms"), rng) for _ in range(20_000)]
    cuts = statistics.quantiles(drawn, n=20)
    assert cuts[9] == pytest.approx(50_000_000, rel=0.05)
    assert cuts[18] == pytest.approx(400_000_000, rel=0.05)


def test_a_lognormal_duration_without_spread_is_its_median() -> None:
    assert draw_ns(LogNormal(median="50ms", p95="50ms"), random.Random(0)) == 50_000_000


def test_no_draw_is_longer_than_the_longest_duration() -> None:
    rng = random.Random(0)
    widest = LogNormal(median="1ns", p95=f"{LONGEST_NS}ns")
    assert max(draw_ns(widest, rng) for _ in range(200)) == LONGEST_NS


def test_a_negative_number_is_no_duration_however_small() -> None:
    with pytest.raises(ValueError, match="expected seconds or a duration such as 200ms, got -1e-300"):
        parse_duration(-1e-300)
    assert parse_duration(-0.0) == 0
