"""One turn under several engines, one above the other on one axis of time. Times in seconds."""

import pandas as pd
from matplotlib.axes import Axes

from sim.show.amounts import about, precise

from .marks import legend
from .paper import axes, grow, heading, name, note, time_axis
from .turn import By, draw_turn, over, title, turns_of, untold


def side_by_side(calls: pd.DataFrame, ax: Axes | None = None, *, by: By | None = None) -> Axes:
    """Draw a turn as each engine runs it, with a line where its last result came.

    Args:
        calls: the calls of one turn under each engine, as ``calls_frame([run, other_run])`` gives them.
        ax: where to draw; on a new figure without it.
        by: what gets a row, as for :func:`~sim.show.figures.gantt`.
    """
    turns = list(turns_of(calls))
    is_ours, ax = ax is None, axes(ax, width_in=9)
    labels, rows, notes, until_s, row = list[str](), list[int](), list[str](), 0.0, 0
    if turns:
        heading(ax, title(turns, engine=False))
    for turn in turns:
        drawn = draw_turn(ax, turn, row, by)
        amount = about if turn["estimated"].any() else precise
        engine = turn.attrs["engine"]
        over_s = over(turn)
        if over_s is not None:
            last = row + len(drawn.labels) - 0.5
            ax.plot([over_s, over_s], [row - 0.5, last], color="black", linewidth=1.2, gid="over")
            ax.annotate(
                amount(round(over_s * 1e9)), (over_s, row - 0.5), xytext=(4, -1), textcoords="offset points", va="top",
                weight="bold", fontsize=9,
            )  # fmt: skip
        labels += [name(engine), *drawn.labels[1:]]
        rows += range(row, row + len(drawn.labels))
        notes += [f"{name(engine)}: {text}" for text in drawn.notes]
        until_s = max(until_s, drawn.until_s)
        row += len(drawn.labels) + 1
    ax.set_yticks(rows, labels)
    for label in ax.get_yticklabels():
        if label.get_text() in {name(turn.attrs["engine"]) for turn in turns}:
            label.set_fontweight("bold")
    ax.set_ylim(max(row - 1, 1) - 0.4, -0.8)
    time_axis(ax, until_s * 1.12)
    legend(ax)
    note(ax, [*notes, *([] if turns else ["no turn to draw"]), *untold(calls)])
    if is_ours:
        grow(ax, row)
    return ax
