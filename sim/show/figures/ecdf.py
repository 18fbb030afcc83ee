"""How long turns take under each engine, all of them at once. Times in seconds."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from sim.show.amounts import counted, precise, share

from .marks import ENGINES, GREY
from .paper import axes, left_out, name, note


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
    # A turn that took no time at all has no place on an axis of ratios.
    if len(known) and (known["makespan_s"] > 0).all():
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda at_s, _: precise(round(at_s * 1e9))))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda part, _: share(part, 1)))
    ax.set_xlabel("makespan of a turn")
    ax.set_ylabel("turns that are over")
    ax.grid(alpha=0.3)
    if len(known):
        ax.legend(loc="lower right", frameon=False)
    note(ax, [*([] if len(known) else ["no turns to draw"]), *left_out(counts)])
    return ax
