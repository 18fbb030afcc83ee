"""How long turns take under each engine, all of them at once. Times in seconds."""

import math
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sim.show.amounts import ROUND_S, counted, precise, share

from .marks import ENGINES, GREY
from .paper import axes, estimates, left_out, name, note

_MOST_TICKS: Final = 9
_BESIDE: Final = 1.3
"""How much room an axis of ratios has beside what is drawn on it, as a factor."""


def latency_ecdf(turns: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw, for each engine, which share of the turns is over within a time.

    Args:
        turns: a row for each turn and engine, as ``compare(…).frame()`` or
            :func:`sim.analysis.frames.turns_frame` gives them.
        ax: where to draw; on a new figure without it.
    """
    ax = axes(ax)
    counts = dict(turns.attrs.get("left_out", {}))
    known = turns[turns["makespan_s"].notna()]
    for engine, of_engine in known.groupby("engine", sort=False):
        colour, line = ENGINES.get(str(engine), (GREY, "-"))
        ax.ecdf(
            of_engine["makespan_s"], label=f"{name(str(engine))}, {counted(len(of_engine), 'turn')}", color=colour,
            linestyle=line, linewidth=1.8,
        )  # fmt: skip
    timed_s = known["makespan_s"][known["makespan_s"] > 0]
    if len(timed_s):
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(_round_times(timed_s.min(), timed_s.max())))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xlim(timed_s.min() / _BESIDE, timed_s.max() * _BESIDE)
    else:
        ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda at_s, _: precise(round(at_s * 1e9))))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda part, _: share(part, 1)))
    ax.set_xlabel("makespan of a turn")
    ax.set_ylabel("turns that are over")
    ax.grid(alpha=0.3)
    if len(known):
        ax.legend(loc="lower right", frameon=False)
    timeless = len(known) - len(timed_s)
    # On an axis of ratios their place is infinitely far to the left: the curves begin at their share.
    told = [f"{counted(timeless, 'turn')} that took no time, left of all others"] * bool(timeless and len(timed_s))
    note(ax, [*([] if len(known) else ["no turns to draw"]), *told, *estimates(known), *left_out(counts)])
    return ax


def _round_times(least_s: float, most_s: float) -> list[float]:
    """Give the times that get a tick on an axis of ratios: of the round ones as many as there is room for."""
    within = [at_s for at_s in ROUND_S if least_s / _BESIDE <= at_s <= most_s * _BESIDE]
    return within[:: max(1, math.ceil(len(within) / _MOST_TICKS))]
