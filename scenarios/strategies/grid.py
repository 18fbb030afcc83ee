"""The grid on which random instants and durations lie, so that they often coincide. Unit: ticks of 100 ms."""

from typing import Final

from hypothesis import strategies as st

TICKS: Final = st.integers(0, 10)
"""Instants and durations, in ticks."""


def time(tick: int) -> str:
    """Give a number of ticks as a duration in words."""
    return f"{tick * 100}ms"
