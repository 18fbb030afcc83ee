"""How far a mean can be trusted that was taken over a sample.

The rule: drawn from one seeded stream, so that the same values give the same interval.
"""

import random
from collections.abc import Sequence
from statistics import NormalDist, fmean, pstdev, quantiles
from typing import Final, NamedTuple

_RESAMPLES: Final = (200, 1_000)
"""How many resamples are drawn: fewer of many values."""
_DRAWS: Final = 2_000_000
_DRAWN_UP_TO: Final = 20_000
"""Of more values the mean is as good as normal, however few of them are most of it, and drawing would take long."""


class Interval(NamedTuple):
    """A mean, and the bounds between which 95 of 100 such samples have it, in the unit of the values.

    Args:
        low: the lower bound.
        mean: the mean.
        high: the upper bound.
    """

    low: float
    mean: float
    high: float


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """Give the mean of a sample with its interval at 95 %, by bootstrap; ``None`` of nothing.

    Args:
        values: one for each thing drawn, such as the saving of each turn.
        seed: chooses the resamples.

    >>> mean_interval([1, 1, 1])
    Interval(low=1.0, mean=1.0, high=1.0)
    """
    if not values:
        return None
    mean = fmean(values)
    if min(values) == max(values):
        return Interval(mean, mean, mean)
    if len(values) > _DRAWN_UP_TO:
        reach = NormalDist().inv_cdf(0.975) * pstdev(values, mean) / len(values) ** 0.5
        return Interval(mean - reach, mean, mean + reach)
    draw = random.Random(f"interval {seed}")
    least, most = _RESAMPLES
    times = max(least, min(most, _DRAWS // len(values)))
    means = [fmean(draw.choices(values, k=len(values))) for _ in range(times)]
    cuts = quantiles(means, n=200, method="inclusive")
    return Interval(cuts[4], mean, cuts[-5])
