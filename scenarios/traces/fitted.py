"""Durations of recorded calls as distributions, tool by tool, and how well those fit.

The rule: a distribution is made only of enough calls; of fewer it is one that asks for fewer, and that is said. How
well it fits is the Kolmogorov-Smirnov distance: the largest difference between the shares of calls that take at most
so long, 0 at best, 1 at worst. Nanoseconds.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import NormalDist, fmean, pstdev
from typing import Final, Literal, NamedTuple

from ..durations import LONGEST_NS, Empirical, LogNormal, format_duration

Bisect = Callable[[Sequence[int], int], int]

How = Literal["recorded", "empirical", "lognormal"]
"""What durations are taken for: what each call took, what its tool's calls took, a log-normal through those."""

FEWEST: Final[Mapping[How, int]] = {"lognormal": 8, "empirical": 2, "recorded": 0}
"""The fewest measured calls of a tool of which each is made, in the order in which one stands in for the other."""

_KEPT: Final = 32
"""How many measured durations an empirical distribution holds: a scenario is to be read."""

_SHORTEST_NS: Final = 500_000
"""Stands for a duration of 0 ms, which has no logarithm: half the resolution of what recordings tell."""

_BY_CHANCE: Final = 0.886
"""By Lilliefors: of log-normal calls 95 in 100 samples have a distance up to this over the root of their number."""

_DIGITS: Final = 3
"""How many digits of a median and a percentile are kept: more would claim more than the calls tell."""


class Fitted(NamedTuple):
    """What the calls of one tool take.

    Args:
        n: how many measured calls it is made of.
        how: what it is; not what was asked for where these were too few.
        takes: the distribution, ``None`` for what each call took.
        distance: between it and the measured calls; ``None`` where there is no distribution.
    """

    n: int
    how: How
    takes: Empirical | LogNormal | None
    distance: float | None

    @property
    def by_chance(self) -> float | None:
        """The distance up to which calls may well be log-normal; ``None`` where they are not taken for it."""
        return _BY_CHANCE / math.sqrt(self.n) if self.how == "lognormal" else None

    def __str__(self) -> str:
        """Say what it is and how well it fits."""
        match self.takes:
            case LogNormal(median_ns=median_ns, p95_ns=p95_ns):
                what = f"lognormal, median {format_duration(median_ns)}, p95 {format_duration(p95_ns)}"
            case Empirical(values_ns=values_ns):
                what = f"empirical, {len(values_ns)} values"
            case None:
                return f"as recorded, of {self.n} measured"
        chance = "" if self.by_chance is None else f" (by chance up to {self.by_chance:.2f})"
        return f"{what}, of {self.n} measured; distance {self.distance:.2f}{chance}"


def fit_durations(measured: Mapping[str, Empirical], how: How) -> dict[str, Fitted]:
    """Fit each tool's durations.

    Args:
        measured: what calls took, by tool, as :func:`~scenarios.traces.latencies` gives it.
        how: what they are to be taken for.

    >>> fit_durations({"Read": Empirical(values=["10ms", "20ms", "40ms"])}, "lognormal")["Read"].how
    'empirical'
    """
    return {tool: _fit(sorted(durations.values_ns), how) for tool, durations in measured.items()}


def _fit(values_ns: Sequence[int], asked: How) -> Fitted:
    n = len(values_ns)
    order: list[How] = list(FEWEST)
    how = next(each for each in order[order.index(asked) :] if n >= FEWEST[each])
    if how == "recorded":
        return Fitted(n, how, None, None)
    if how == "empirical":
        kept_ns = _spread(values_ns)
        takes = Empirical(values=[f"{ns}ns" for ns in kept_ns])
        return Fitted(n, how, takes, _distance(values_ns, partial(_share, bisect_right, kept_ns)))
    logs = [math.log(max(ns, _SHORTEST_NS)) for ns in values_ns]
    if len(set(logs)) == 1:
        return _fit(values_ns, "empirical")
    normal = NormalDist(fmean(logs), pstdev(logs))
    median_ns, p95_ns = (_rounded(math.exp(normal.inv_cdf(share))) for share in (0.5, 0.95))

    def up_to(ns: int) -> float:
        return normal.cdf(math.log(max(ns, _SHORTEST_NS)))

    # It has no steps of its own: at each of theirs, the difference just before counts too.
    distance = max(_distance(values_ns, up_to), _distance(values_ns, up_to, bisect_left))
    return Fitted(n, how, LogNormal(median=f"{median_ns}ns", p95=f"{p95_ns}ns"), distance)


def _spread(values_ns: Sequence[int]) -> Sequence[int]:
    """Keep some of many values, evenly in order, the first and the last among them."""
    last = len(values_ns) - 1
    return values_ns if last < _KEPT else [values_ns[round(n * last / (_KEPT - 1))] for n in range(_KEPT)]


def _rounded(ns: float) -> int:
    return min(int(float(f"{ns:.{_DIGITS}g}")), LONGEST_NS)


def _distance(values_ns: Sequence[int], up_to: Callable[[int], float], bisect: Bisect = bisect_right) -> float:
    return max(abs(_share(bisect, values_ns, ns) - up_to(ns)) for ns in values_ns)


def _share(bisect: Bisect, values_ns: Sequence[int], ns: int) -> float:
    return bisect(values_ns, ns) / len(values_ns)
