"""A whole session: its turns one after another, sub-agents beside them. Times in seconds."""

from collections.abc import Callable
from math import isnan
from typing import Final, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from sim.show.amounts import precise

from .marks import Span, draw_bars, draw_marks, legend
from .paper import axes, estimates, left_out, name, note, time_axis

LONGEST_GAP_S: Final = 60.0
_MOST_LABELS: Final = 8
"""How many cuts say how long they are: the longest."""
_NAMES_APART: Final = 0.02
"""How far apart the names of turns are at least, as a share of the whole: where they are closer, only the first is."""


class _Cut(NamedTuple):
    """A gap that is drawn shorter than it was: where in the drawing, and how long it was."""

    at_s: float
    was_s: float


def session_timeline(
    session: pd.DataFrame, ax: Axes | None = None, *, longest_gap_s: float | None = LONGEST_GAP_S
) -> Axes:
    """Draw the turns of a session, a row for each conversation or engine.

    Args:
        session: a row for each turn, as :func:`sim.analysis.frames.session_frame` gives them.
        ax: where to draw; on a new figure without it.
        longest_gap_s: time without any turn that is longer than this is cut down to it; ``None`` cuts nothing.
    """
    placed = session[session["began_s"].notna()].sort_values("began_s", kind="stable")
    lines = list(dict.fromkeys(placed["track"]))
    ax = axes(ax, width_in=10, height_in=1.5 + 0.5 * len(lines))
    ends_s = placed["began_s"] + placed["makespan_s"].fillna(0)
    drawn_at, cuts = _cut(placed["began_s"], ends_s, longest_gap_s)
    streams, tools, unknown = list[Span](), list[Span](), list[tuple[float, float]]()
    until_s = max((drawn_at(end_s) for end_s in ends_s), default=0.0)
    named = dict.fromkeys(lines, -until_s)
    for turn in placed.to_dict("records"):
        row, start_s, span_s = lines.index(turn["track"]), drawn_at(turn["began_s"]), turn["makespan_s"]
        if isnan(span_s):
            unknown.append((start_s, row))
            continue
        stream_s = 0.0 if isnan(turn["stream_s"]) else min(turn["stream_s"], span_s)
        streams.append((row, start_s, start_s + stream_s))
        tools.append((row, start_s + stream_s, start_s + span_s))
        if start_s - named[turn["track"]] >= _NAMES_APART * until_s:
            named[turn["track"]] = start_s
            ax.annotate(
                name(turn["name"].removeprefix("turn ")), (start_s, row - 0.3), va="bottom", fontsize=7, gid="name"
            )
    draw_bars(ax, "response", streams)
    draw_bars(ax, "after", tools)
    draw_marks(ax, "open", unknown)
    for cut in cuts:
        ax.axvline(cut.at_s, color="0.4", linestyle=":", linewidth=1, gid="cut", zorder=1)
    for cut in sorted(cuts, key=lambda cut: -cut.was_s)[:_MOST_LABELS]:
        ax.annotate(
            precise(round(cut.was_s * 1e9)), (cut.at_s, len(lines) - 0.45), xytext=(2, 0), textcoords="offset points",
            va="bottom", fontsize=7, color="0.25", gid="gap",
        )  # fmt: skip
    ax.set_yticks(range(len(lines)), [name(line) for line in lines])
    ax.set_ylim(max(len(lines), 1) - 0.4, -0.7)
    time_axis(ax, until_s, "from the first turn's start" + (", dotted gaps cut short" if cuts else ""))
    legend(ax)
    said = [] if len(placed) else ["no turns to draw"]
    note(ax, [*said, *estimates(placed), *left_out(session.attrs.get("left_out", {}))])
    return ax


def _cut(
    starts_s: pd.Series, ends_s: pd.Series, longest_gap_s: float | None
) -> tuple[Callable[[float], float], list[_Cut]]:
    """Find the gaps that are too long, and where an instant is drawn once they are cut."""
    removed: list[tuple[float, float]] = []
    cuts: list[_Cut] = []
    over_s = gone_s = 0.0
    for start_s, end_s in zip(starts_s, ends_s, strict=True):
        if longest_gap_s is not None and start_s - over_s > longest_gap_s:
            cuts.append(_Cut(over_s - gone_s + longest_gap_s / 2, start_s - over_s))
            gone_s += start_s - over_s - longest_gap_s
            removed.append((start_s, gone_s))
        over_s = max(over_s, end_s)

    def drawn_at(at_s: float) -> float:
        return at_s - max((gone for since_s, gone in removed if since_s <= at_s), default=0.0)

    return drawn_at, cuts
