"""What streaming saves against batch: by how many calls a turn has, and by how the model's time stands to the tools'.

The rule: a turn counts where both engines' makespans are known; shares are of the batch engine's makespan. Times in
seconds.
"""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sim.show.amounts import counted, share

from .marks import BLACK, BLUE, VERMILLION
from .paper import axes, estimates, left_out, note

_CALLS: Final = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 9), (10, 14), (15, 24), (25, 49), (50, 99), (100, 10**9))
_RATIOS: Final = tuple(2.0**power for power in range(-6, 7))
"""Bounds of the map's columns: think time over act time, from 1/64 to 64; what lies beyond counts to the outermost."""

_LEAST_SHARE: Final = 0.05
"""Which share, saved and lost, the axis shows at least."""


def savings(turns: pd.DataFrame) -> pd.DataFrame:
    """Give a row for each turn that ran under both engines, with what streaming saves of it.

    The columns are ``calls``, ``estimated``, ``ratio``, ``batch_s``, ``saved_s`` and ``saved``. ``ratio`` is the
    response's time over the bodies' added up; ``saved`` the share of the batch engine's makespan.
    ``attrs["timeless"]`` says how many turns have no share because they took no time.

    Args:
        turns: as ``compare(…).frame()`` gives them.
    """
    by_engine = {
        engine: turns[turns["engine"] == engine].set_index(["source", "turn", "policy"])
        for engine in ("streaming", "batch")
    }
    streaming, batch = by_engine["streaming"], by_engine["batch"]
    both = pd.DataFrame(
        {
            "calls": batch["calls"],
            "estimated": batch["estimated"],
            "ratio": (batch["stream_s"] / batch["total_s"]).where(batch["total_s"] > 0),
            "batch_s": batch["makespan_s"],
            "saved_s": batch["makespan_s"] - streaming["makespan_s"],
        }
    )
    both = both[both["saved_s"].notna()]
    timed = both[both["batch_s"] > 0].assign(saved=lambda row: row["saved_s"] / row["batch_s"]).reset_index()
    timed.attrs = {"timeless": len(both) - len(timed)}
    return timed


def saving_by_calls(turns: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the share that streaming saves of each turn against how many calls it has, and the median of each number.

    Args:
        turns: a row for each turn and engine, as ``compare(…).frame()`` gives them.
        ax: where to draw; on a new figure without it.
    """
    ax = axes(ax)
    saved = savings(turns)
    ax.axhline(0, color=BLACK, linewidth=0.8)
    ax.scatter(saved["calls"], saved["saved"], s=14, color=BLUE, alpha=0.35, linewidths=0, gid="turn", label="a turn")
    medians = saved.groupby("calls")["saved"].median()
    ax.plot(
        medians.index,
        medians,
        color=VERMILLION,
        marker="D",
        markersize=5,
        markeredgecolor=BLACK,
        gid="median",
        label="median",
    )
    ax.yaxis.set_major_formatter(FuncFormatter(lambda part, _: share(part, 1)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    # Labels are whole per cents: on less than some of them they would all be one.
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, -_LEAST_SHARE), max(high, _LEAST_SHARE))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=(1, 2, 5, 10)))
    ax.set_xlabel("calls in a turn")
    ax.set_ylabel("saved by streaming, of batch's time")
    ax.grid(alpha=0.3)
    if len(saved):
        ax.legend(frameon=False)
    note(ax, _notes(turns, saved))
    return ax


def savings_map(turns: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what streaming saves as a map: across, think time over act time; upwards, calls in a turn.

    A field's number is the share saved of all its turns' time under batch; it is printed, and the darker the more:
    blue where streaming is sooner over, red where it is later.

    Args:
        turns: a row for each turn and engine, as ``compare(…).frame()`` gives them.
        ax: where to draw; on a new figure without it.
    """
    ax = axes(ax)
    saved = savings(turns)
    placed = saved[saved["ratio"].notna() & (saved["ratio"] > 0) & (saved["calls"] > 0)]
    bounds = [low for low, _ in _CALLS]
    rows = np.searchsorted(bounds, placed["calls"].to_numpy(dtype="int64"), side="right") - 1
    columns = np.clip(
        np.searchsorted(_RATIOS, placed["ratio"].to_numpy(dtype="float64"), side="right") - 1, 0, len(_RATIOS) - 2
    )
    sums = placed.assign(row=rows, column=columns).groupby(["row", "column"])[["saved_s", "batch_s"]].sum()
    field = np.full((len(_CALLS), len(_RATIOS) - 1), np.nan)
    for (row, column), (saved_s, batch_s) in zip(sums.index, sums.to_numpy(), strict=True):
        field[row, column] = saved_s / batch_s
    field = field[: rows.max(initial=0) + 1]
    ax.pcolormesh(np.ma.masked_invalid(field), cmap="RdBu", vmin=-0.5, vmax=0.5, edgecolors="0.8", linewidth=0.5)
    for (row, column), part in np.ndenumerate(field):
        if not np.isnan(part):
            ax.text(
                column + 0.5, row + 0.5, share(part, 1).replace(" %", ""), ha="center", va="center", fontsize=8,
                color="white" if abs(part) > 0.3 else "black", gid="saved",
            )  # fmt: skip
    ax.set_xticks(range(len(_RATIOS)), [f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}" for ratio in _RATIOS])
    ax.set_yticks([row + 0.5 for row in range(len(field))], [_range(*_CALLS[row]) for row in range(len(field))])
    ax.set_xlabel("time of the response / time of the tools")
    ax.set_ylabel("calls in a turn")
    ax.set_title("saved by streaming, in % of batch's time", loc="left", fontsize="medium")
    beyond = len(saved) - len(placed)
    told = [f"left out: {counted(beyond, 'turn')} without a response or without work"] * bool(beyond)
    note(ax, [*told, *_notes(turns, saved)])
    return ax


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}+" if high >= 10**9 else f"{low}-{high}"


def _notes(turns: pd.DataFrame, saved: pd.DataFrame) -> list[str]:
    timeless = saved.attrs["timeless"]
    return [
        *([] if len(saved) or timeless else ["no turns that ran under streaming and batch"]),
        *([f"left out: {counted(timeless, 'turn')} that took no time"] if timeless else []),
        *estimates(saved),
        *left_out(turns.attrs.get("left_out", {})),
    ]
