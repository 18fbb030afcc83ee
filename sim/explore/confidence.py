"""How much a number of runs says: the failure rate that they leave possible.

The rule: the bounds are exact (Clopper and Pearson), 95 % one-sided where nothing failed. Rates between 0 and 1.
"""

import math
from collections.abc import Callable
from typing import Final

LEVEL: Final = 0.95
_AT = "at 95 %"


def confidence(failures: int, runs: int) -> str:
    """Say what ``failures`` among ``runs`` independent runs tell of the failure rate.

    >>> confidence(0, 12_000), confidence(3, 100)
    ('0 of 12,000: failure rate < 0.025 % at 95 %', '3 of 100: failure rate 0.62 % to 8.5 % at 95 %')
    """
    told = f"{failures:,} of {runs:,}"
    if runs == 0:
        return f"{told}: nothing is known of the failure rate"
    if failures == 0:
        return f"{told}: failure rate < {_percent(rate_bounds(0, runs)[1])} {_AT}"
    low, high = rate_bounds(failures, runs)
    return f"{told}: failure rate {_percent(low)} to {_percent(high)} {_AT}"


def rate_bounds(failures: int, runs: int) -> tuple[float, float]:
    """Give the lowest and the highest failure rate that the runs do not rule out.

    >>> rate_bounds(0, 1), rate_bounds(1, 1)[1]
    ((0.0, 0.95), 1.0)
    """
    tail = 1 - LEVEL
    if failures == 0:
        return 0.0, 1 - tail ** (1 / runs)
    high = 1.0 if failures == runs else _root(lambda rate: _at_most(failures, runs, rate) - tail / 2)
    return _root(lambda rate: _at_most(failures - 1, runs, rate) - (1 - tail / 2)), high


def _at_most(failures: int, runs: int, rate: float) -> float:
    """Give the probability of at most so many failures."""
    return math.fsum(
        math.exp(
            math.lgamma(runs + 1)
            - math.lgamma(k + 1)
            - math.lgamma(runs - k + 1)
            + k * math.log(rate)
            + (runs - k) * math.log1p(-rate)
        )
        for k in range(failures + 1)
    )


def _root(falling: Callable[[float], float]) -> float:
    """Find where a falling function of a rate crosses zero."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def _percent(rate: float) -> str:
    return f"{float(f'{100 * rate:.2g}'):g} %"
