"""How far a mean can be trusted that was taken over a sample.

The rule: drawn from one seeded stream, so that the same values give the same interval.
"""

import random
from collections.abc import Sequence
from statistics import fmean, quantiles
from typing import Final, NamedTuple

LEVEL: Final = 0.95
_RESAMPLES: Final = 1_000
_DRAWS: Final = 2_000_000
"""No more single draws than this: of very many values fewer samples are taken, for there the interval is narrow."""


class Interval(NamedTuple):
    """A mean, and the bounds between which 95 of 100 such samples have it, in the unit of the values."""

    low: float
    mean: float
    high: float


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """Give the mean of a sample with its bootstrap interval at 95 %; ``None`` of nothing.

    Args:
        values: one for each thing drawn, such as the saving of each turn.
        seed: chooses the resamples.

    >>> mean_interval([1, 1, 1])
    Interval(low=1.0, mean=1.0, high=1.0)
    """
    if not values:
        return None
    draw = random.Random(f"interval {seed}")
    times = max(200, min(_RESAMPLES, _DRAWS // len(values)))
    means = [fmean(draw.choices(values, k=len(values))) for _ in range(times)]
    cuts = quantiles(means, n=200, method="inclusive")
    return Interval(cuts[4], fmean(values), cuts[-5])
