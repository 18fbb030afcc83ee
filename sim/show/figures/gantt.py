"""The Gantt chart of a turn: when its response streamed, and what each call did when. Times in seconds."""

import pandas as pd
from matplotlib.axes import Axes

from .marks import legend
from .paper import axes, grow, heading, note, time_axis
from .turn import By, draw_turn, title, turns_of, untold


def gantt(calls: pd.DataFrame, ax: Axes | None = None, *, by: By | None = None) -> Axes:
    """Draw one turn.

    Args:
        calls: the calls of the turn, as :func:`sim.analysis.frames.calls_frame` gives them.
        ax: where to draw; on a new figure without it.
        by: what gets a row, ``call`` or ``lane``; lanes where there are many calls without it.

    Raises:
        ValueError: the calls are those of several turns.
    """
    turns = list(turns_of(calls))
    if len(turns) > 1:
        raise ValueError(
            f"expected the calls of one turn, got those of {len(turns)}: select one, such as calls[calls.turn == 2]"
        )
    is_ours, ax = ax is None, axes(ax)
    labels, until_s, notes = ["response"], 0.0, ["no turn to draw"]
    if turns:
        drawn = draw_turn(ax, turns[0], by=by)
        labels, until_s, notes = [*drawn.labels], drawn.until_s, [*drawn.notes]
        heading(ax, title(turns, engine=True))
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    time_axis(ax, until_s)
    legend(ax)
    note(ax, [*notes, *untold(calls)])
    if is_ours:
        grow(ax, len(labels))
    return ax
