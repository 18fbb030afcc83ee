"""What an exploration came to: how often each outcome came, and what failed. No units."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from sim.show.amounts import counted

from .marks import BLACK, SKY, VERMILLION
from .paper import axes, heading, name, note

MOST: int = 20
"""How many outcomes are drawn, the most frequent; the others are counted."""


def exploration_outcomes(explored: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a bar for each outcome of an exploration, and one for each kind of failure.

    Args:
        explored: a row for each, as :func:`sim.analysis.frames.explored_frame` gives them.
        ax: where to draw; on a new figure without it.
    """
    failures = explored[explored["what"] == "failure"]
    outcomes = explored[explored["what"] == "outcome"].sort_values("times", ascending=False, kind="stable")
    shown = outcomes.head(MOST)
    ax = axes(ax, height_in=1.3 + 0.3 * (len(shown) + len(failures)))
    for first, rows, colour, hatch, label in (
        (0, shown, SKY, "", "outcome"),
        (len(shown), failures, VERMILLION, "////", "failure"),
    ):
        if len(rows):
            bars = ax.barh(
                range(first, first + len(rows)), rows["times"].to_list(), color=colour, edgecolor=BLACK, linewidth=0.6,
                hatch=hatch, label=label, gid=label,
            )  # fmt: skip
            ax.bar_label(bars, [f"{times:,}" for times in rows["times"]], padding=3, fontsize=8)
    labels = [name(text, 60) for text in (*shown["text"], *failures["text"])]
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.margins(x=0.12)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("schedules")
    if len(failures):
        ax.legend(loc="upper left", bbox_to_anchor=(1.005, 1), frameon=False, fontsize="small")
    heading(ax, name(str(explored.attrs.get("said", "")), 160))
    rest = outcomes.iloc[MOST:]
    note(
        ax,
        [f"left out: {counted(len(rest), 'outcome')} of {counted(int(rest['times'].sum()), 'schedule')}"]
        * bool(len(rest)),
    )
    return ax
