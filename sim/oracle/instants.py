"""Instants in words, for people who read a verdict.

The rule: nothing is rounded, because two instants that differ by a nanosecond are two instants.
"""

from decimal import Decimal
from typing import Final

_UNITS: Final = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))


def in_words(t_ns: int) -> str:
    """Write nanoseconds exactly, in the largest unit that does not exceed them.

    >>> in_words(1_200_000_000), in_words(350_000_000), in_words(0)
    ('1.2 s', '350 ms', '0 s')
    """
    if t_ns == 0:
        return "0 s"
    size_ns, unit = next((size, unit) for size, unit in _UNITS if size <= abs(t_ns))
    return f"{(Decimal(t_ns) / size_ns).normalize():f} {unit}"
