"""Amounts as people read them. Unit in: nanoseconds.

The rule: an estimate never shows more than two digits (B121).
"""

from collections.abc import Iterator, Mapping
from string import ascii_letters
from typing import Final

_S: Final = 1_000_000_000
_UNITS: Final = (
    (120 * 60 * _S, 3600 * _S, "h"),
    (120 * _S, 60 * _S, "min"),
    (_S, _S, "s"),
    (1_000_000, 1_000_000, "ms"),
    (1_000, 1_000, "µs"),
    (0, 1, "ns"),
)
"""From how many nanoseconds on a unit is used, its size, its name."""

_STEPS: Final = (
    *(factor * 10**power for power in range(10) for factor in (1, 2, 5)),
    *(seconds * _S for seconds in (10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200)),
    *(factor * 86400 * _S for factor in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
)


ROUND_S: Final = tuple(step_ns / _S for step_ns in _STEPS)
"""Times that read well on an axis of ratios, in seconds."""


def step(span_ns: int, most: int) -> int:
    """Give the round time between the ticks of an axis, so that there are at most so many of them after the first.

    >>> step(2_600_000_000, 10), step(7200 * 10**9, 10)
    (500000000, 900000000000)
    """
    return next((step_ns for step_ns in _STEPS if step_ns * most >= span_ns), max(span_ns, 1))


def tick(at_ns: int, until_ns: int) -> str:
    """Write an instant of an axis, all of one axis in the unit that fits its end.

    >>> tick(3_600_000_000_000, 7_200_000_000_000), tick(500_000_000, 2_000_000_000), tick(0, 7_200_000_000_000)
    ('1 h', '0.5 s', '0 h')
    """
    size_ns, unit = _unit(until_ns)
    return f"{at_ns / size_ns:.6g} {unit}"


def precise(amount_ns: int) -> str:
    """Write a time with three digits, in the unit that fits.

    >>> precise(1_200_000_000), precise(350_000_000), precise(0), precise(9_000_000_000_000)
    ('1.2 s', '350 ms', '0 s', '2.5 h')
    """
    return _in_unit(amount_ns, 3)


def about(amount_ns: int | None) -> str:
    """Write an estimated time with two digits, marked as one; ``?`` where it is unknown.

    >>> about(1_234_000_000), about(87_654_000), about(3_725_000_000_000), about(0), about(None)
    ('≈1.2 s', '≈88 ms', '≈62 min', '0 s', '?')
    """
    if amount_ns is None:
        return "?"
    sign = "-" if amount_ns < 0 else ""
    return f"{sign}≈{_in_unit(abs(amount_ns), 2)}" if amount_ns else "0 s"


def counted(count: int, what: str) -> str:
    """Write a number of things.

    >>> counted(1, "turn"), counted(2_000, "turn")
    ('1 turn', '2,000 turns')
    """
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def tally(counts: Mapping[str, int]) -> list[str]:
    """Write how many there are of what, where that begins with the many: ``calls whose end is not known``.

    >>> tally({"calls whose end is not known": 1, "turns: no result": 2_000, "files": 0})
    ['1 call whose end is not known', '2,000 turns: no result']
    """
    return [f"{counted(count, one)}{rest}" for count, (one, rest) in parted(counts) if count]


def parted(counts: Mapping[str, int]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Part what is counted into the one of it and what is said of them: ``turns: why`` begins with the many."""
    for what, count in counts.items():
        many = what[: len(what) - len(what.lstrip(ascii_letters))]
        yield count, (many.removesuffix("s"), what[len(many) :])


def _in_unit(amount_ns: int, digits: int) -> str:
    rounded_ns = round(float(f"{amount_ns:.{digits - 1}e}"))
    if rounded_ns == 0:
        return "0 s"
    size_ns, unit = _unit(rounded_ns)
    value = float(f"{amount_ns / size_ns:.{digits - 1}e}")
    return f"{value:.0f} {unit}" if abs(value) >= 100 else f"{value:g} {unit}"


def _unit(amount_ns: int) -> tuple[int, str]:
    return next((size_ns, unit) for least_ns, size_ns, unit in _UNITS if abs(amount_ns) >= least_ns)


def share(part: float, whole: float) -> str:
    """Write a part of a whole in per cent; ``-`` of nothing.

    >>> share(1, 3), share(0, 0)
    ('33 %', '-')
    """
    return f"{100 * part / whole:.0f} %" if whole else "-"


def seconds(span_ns: int | None) -> float | None:
    """Give a time in seconds, for data; ``None`` where it is not known."""
    return None if span_ns is None else span_ns / _S
