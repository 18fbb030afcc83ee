"""Seconds and nanoseconds: the one place where they are exchanged.

The rule: inside the clock a time is an integer number of nanoseconds; seconds exist where people and asyncio meet it.
"""

from __future__ import annotations

import math
from fractions import Fraction

NS_PER_S = 1_000_000_000

# A float product below 2**50 is at most 1/4 ns away from the exact one, so rounding it cannot choose the wrong
# neighbour as long as it lies within 1/4 ns of a whole number.
_FAST_BELOW_NS = float(2**50)


def ns(value_s: float) -> int:
    """Return a number of seconds in nanoseconds, rounded to the nearest as it is written in decimal, ties to even.

    `value_s` is an `int`, a finite `float` or an `Instant` (which is exact already).
    Raises ValueError for what is no finite number of seconds (B108).

    >>> ns(0.1), ns(0.1 + 0.1 + 0.1), ns(1_700_000_000.1), ns(2.5e-9)
    (100000000, 300000000, 1700000000100000000, 2)
    """
    if type(value_s) is float:
        product = value_s * 1e9
        if 0.0 <= product < _FAST_BELOW_NS:
            whole = int(product + 0.5)
            if -0.25 < product - whole < 0.25:
                return whole
    if isinstance(value_s, int):
        return value_s * NS_PER_S
    if isinstance(value_s, Instant):
        return value_s.ns
    if not math.isfinite(value_s):
        raise ValueError(f"expected a finite number of seconds, got {value_s!r}")
    return round(Fraction(float.__repr__(float(value_s))) * NS_PER_S)


def seconds(value_ns: int) -> int | float:
    """Return nanoseconds in seconds: an `int` when whole, as SimPy's models expect, else the nearest `float`.

    >>> seconds(3_000_000_000), seconds(300_000_000)
    (3, 0.3)
    """
    whole, rest = divmod(value_ns, NS_PER_S)
    return value_ns / NS_PER_S if rest else whole


def _grid(other: float) -> int | float:
    """Return the nanosecond a float means; infinities and NaN have none and compare as they are."""
    return ns(other) if math.isfinite(other) else other


class Instant(float):
    """A point on the clock: a float in seconds that carries its exact nanosecond as `.ns`.

    Adding a delay, taking a difference and comparing use the nanoseconds, so that `loop.time() + 0.3` names
    the instant 0.3 s ahead however late it is (B108, B109). Every other operation is the float's.

    >>> start = Instant(1_700_000_000 * NS_PER_S)
    >>> (start + 0.3).ns - start.ns, (start + 0.3) - start
    (300000000, 0.3)
    """

    __slots__ = ("ns",)
    ns: int

    def __new__(cls, at_ns: int) -> Instant:
        self = super().__new__(cls, at_ns / NS_PER_S)
        self.ns = at_ns
        return self

    def __getnewargs__(self) -> tuple[int]:
        return (self.ns,)

    def __add__(self, other: float) -> float:
        if not isinstance(other, (int, float)):
            return NotImplemented
        return Instant(self.ns + ns(other)) if math.isfinite(other) else float(self) + other

    __radd__ = __add__

    def __sub__(self, other: float) -> float:
        if not isinstance(other, (int, float)):
            return NotImplemented
        if isinstance(other, Instant):
            return (self.ns - other.ns) / NS_PER_S
        return Instant(self.ns - ns(other)) if math.isfinite(other) else float(self) - other

    def __rsub__(self, other: float) -> float:
        if not isinstance(other, (int, float)):
            return NotImplemented
        return (ns(other) - self.ns) / NS_PER_S if math.isfinite(other) else other - float(self)

    def __eq__(self, other: object) -> bool:
        return self.ns == _grid(other) if isinstance(other, (int, float)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return self.ns != _grid(other) if isinstance(other, (int, float)) else NotImplemented

    def __lt__(self, other: float) -> bool:
        return self.ns < _grid(other) if isinstance(other, (int, float)) else NotImplemented

    def __le__(self, other: float) -> bool:
        return self.ns <= _grid(other) if isinstance(other, (int, float)) else NotImplemented

    def __gt__(self, other: float) -> bool:
        return self.ns > _grid(other) if isinstance(other, (int, float)) else NotImplemented

    def __ge__(self, other: float) -> bool:
        return self.ns >= _grid(other) if isinstance(other, (int, float)) else NotImplemented

    # A float that is equal and lies on the grid hashes alike, so an Instant can be looked up by its seconds.
    __hash__ = float.__hash__
