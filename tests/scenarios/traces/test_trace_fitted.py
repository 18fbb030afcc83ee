"""Durations of recorded calls as distributions, and how well they fit."""

import math
import random
from typing import Any

import pytest

from scenarios import read_trace
from scenarios.durations import Empirical, LogNormal
from scenarios.traces import fit_durations, latencies, to_scenario
from scenarios.traces.fitted import FEWEST, Fitted, How

MS = 10**6


def fitted(values_ms: list[float], how: How) -> Fitted:
    return fit_durations({"Read": Empirical(values=[f"{ms:f}ms" for ms in values_ms])}, how)["Read"]


def test_a_lognormal_has_the_median_and_percentile_of_the_calls_logarithms() -> None:
    """Sixteen calls, as many at 10 ms as at 1 s: the mean of their logarithms is that of 100 ms."""
    fit = fitted([10.0] * 8 + [1000.0] * 8, "lognormal")
    assert fit.takes == LogNormal(median="100ms", p95=f"{float(f'{100 * 10**1.6448536:.3g}'):g}ms")
    assert (fit.n, fit.how) == (16, "lognormal")
    # Half the calls lie at one standard deviation below the mean, where the curve has reached 0.1587.
    assert fit.distance == pytest.approx(0.5 - 0.1587, abs=1e-4)
    assert fit.by_chance == pytest.approx(0.886 / 4)


def test_calls_that_are_lognormal_are_found_to_be_and_others_not() -> None:
    rng = random.Random(7)
    drawn = fitted([100 * rng.lognormvariate(0, 1) for _ in range(400)], "lognormal")
    assert isinstance(drawn.takes, LogNormal)
    assert drawn.takes.median_ns == pytest.approx(100 * MS, rel=0.1)
    assert drawn.takes.p95_ns == pytest.approx(100 * MS * math.exp(1.645), rel=0.2)
    assert (drawn.distance or 1) < (drawn.by_chance or 0)
    even = fitted([float(ms) for ms in range(1, 401)], "lognormal")
    assert (even.distance or 0) > (even.by_chance or 1)


def test_too_few_calls_are_taken_as_what_asks_for_fewer_and_it_is_said() -> None:
    assert FEWEST == {"lognormal": 8, "empirical": 2, "recorded": 0}
    assert fitted([float(n) for n in range(1, 9)], "lognormal").how == "lognormal"
    seven = fitted([float(n) for n in range(1, 8)], "lognormal")
    assert (seven.how, str(seven)) == ("empirical", "empirical, 7 values, of 7 measured; distance 0.00")
    one = fitted([5.0], "empirical")
    assert (one, str(one)) == (Fitted(1, "recorded", None, None), "as recorded, of 1 measured")


def test_calls_that_all_took_the_same_have_no_lognormal() -> None:
    assert fitted([3.0] * 20, "lognormal").how == "empirical"


def test_a_duration_of_nothing_counts_as_half_a_millisecond_for_its_logarithm() -> None:
    assert fitted([0.0] * 8 + [0.5] * 8 + [2.0] * 8, "lognormal") == fitted([0.5] * 16 + [2.0] * 8, "lognormal")


def test_of_many_measured_calls_an_empirical_one_keeps_some_evenly_with_both_ends() -> None:
    fit = fitted([float(ms) for ms in range(1000)], "empirical")
    assert isinstance(fit.takes, Empirical)
    assert len(fit.takes.values_ns) == 32
    assert (fit.takes.values_ns[0], fit.takes.values_ns[-1]) == (0, 999 * MS)
    assert (fit.distance or 1) < 0.04
    assert str(fit).startswith("empirical, 32 values, of 1000 measured; distance 0.03")


def test_only_calls_that_ended_by_themselves_without_a_person_take_what_is_drawn(session: Any) -> None:
    session.version = "2.1.37"
    session.call(0, "m", "a").call(0.1, "m", "b").progress(0.2, "a", type="x").call(0.3, "m", "c")
    session.result(1, "a").result(2, "b", error=True)
    session.result(2, "c", content="<tool_use_error>Sibling tool call errored</tool_use_error>", error=True)
    _, (turn,) = session.read()
    takes = LogNormal(median="1s", p95="2s")
    scenario = to_scenario(turn, {"Read": takes})
    assert scenario is not None
    assert [(call.takes, call.ends, call.progress) for call in scenario.calls] == [
        (takes, "ok", ()),
        (takes, "error", ()),
        (0, "hang", ()),
    ]
    assert latencies(read_trace(session.path)).keys() == {"Read"}


def test_a_call_of_unknown_length_gives_no_scenario(session: Any) -> None:
    """B120: unknown is never filled with a number."""
    _, (turn,) = session.call(0, "m", "a").result(1, "a").read()
    unknown = turn._replace(calls=(turn.calls[0]._replace(started_ns=None, start_basis="unknown"),))
    assert to_scenario(unknown) is None
