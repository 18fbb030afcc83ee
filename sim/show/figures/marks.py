"""How each thing of a turn looks: colours that colour-blind people tell apart, hatches and heights for grey print.

The rule: one entry here, one look in every figure. Heights are shares of a row.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

BLACK: Final = "#000000"
ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
YELLOW: Final = "#F0E442"
BLUE: Final = "#0072B2"
VERMILLION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"
GREY: Final = "#BBBBBB"


class Bar(NamedTuple):
    """The look of a stretch of time.

    Args:
        meaning: What the legend says of it.
        colour: Its colour.
        hatch: Its hatch, for grey print; empty for none.
        height: Its height as a part of the row's.
    """

    meaning: str
    colour: str
    hatch: str
    height: float


class Mark(NamedTuple):
    """The look of an instant.

    Args:
        meaning: What the legend says of it.
        colour: Its colour.
        shape: Its shape, as Matplotlib names markers.
    """

    meaning: str
    colour: str
    shape: str


_MOST_EDGED: Final = 400

Span = tuple[float, float, float]
"""A row, and a stretch's first and last second."""

BARS: Final = {
    "response": Bar("response streams", SKY, "", 0.5),
    "after": Bar("tools after it", GREEN, "", 0.5),
    "failed": Bar("response, failed or given up", SKY, "xx", 0.5),
    "queued": Bar("queued", GREY, "", 0.16),
    "hooks": Bar("hooks", YELLOW, "|||", 0.62),
    "question": Bar("permission", PURPLE, "\\\\\\\\", 0.62),
    "runs": Bar("runs, ends ok", GREEN, "", 0.62),
    "fails": Bar("runs, does not end ok", VERMILLION, "////", 0.62),
    "ends": Bar("runs, outcome not known", "#FFFFFF", "....", 0.62),
    "background": Bar("goes on in the background", ORANGE, "---", 0.4),
    "held": Bar("waits to be emitted", "#FFFFFF", "", 0.16),
}
MARKS: Final = {
    "block": Mark("block complete", BLACK, "|"),
    "emitted": Mark("emitted", BLACK, "o"),
    "open": Mark("end not known", BLACK, ">"),
    "broken": Mark("rule broken", VERMILLION, "X"),
}
ENGINES: Final = {"streaming": (GREEN, "-"), "batch": (BLUE, "--"), "serial": (ORANGE, "-."), "recorded": (BLACK, ":")}
"""The colour and the line of each engine."""


def draw_bars(ax: Axes, kind: str, spans: Iterable[Span]) -> None:
    """Draw stretches of one kind, as one collection whose ``gid`` is the kind; one of no length is a stroke.

    Args:
        ax: the axes.
        kind: which of :data:`BARS`.
        spans: the stretches.
    """
    bar = BARS[kind]
    half = bar.height / 2
    corners = [[(a, y - half), (b, y - half), (b, y + half), (a, y + half)] for y, a, b in spans]
    if corners:
        # Of very many the edges would be all that is seen.
        edge, width = (BLACK, 0.6) if len(corners) <= _MOST_EDGED else (bar.colour, 0.3)
        bars = PolyCollection(corners, facecolor=bar.colour, edgecolor=edge, linewidth=width, gid=kind, zorder=2)
        bars.set_hatch(bar.hatch if len(corners) <= _MOST_EDGED else "")
        ax.add_collection(bars)


def draw_marks(ax: Axes, kind: str, points: Iterable[tuple[float, float]]) -> None:
    """Draw instants of one kind, as one line whose ``gid`` is the kind.

    Args:
        ax: the axes.
        kind: which of :data:`MARKS`.
        points: second and row of each.
    """
    at = list(points)
    if at:
        ax.add_line(_line(kind, [x for x, _ in at], [y for _, y in at]))


def legend(ax: Axes) -> None:
    """Explain what was drawn, beside the axes, in the order of the tables above."""
    drawn = {artist.get_gid() for artist in (*ax.collections, *ax.lines)}
    bars = [
        Patch(facecolor=bar.colour, edgecolor=BLACK, linewidth=0.6, hatch=bar.hatch, label=bar.meaning)
        for kind, bar in BARS.items()
        if kind in drawn
    ]
    marks = [_line(kind, [], []) for kind, mark in MARKS.items() if kind in drawn]
    if bars or marks:
        ax.legend(handles=[*bars, *marks], loc="upper left", bbox_to_anchor=(1.005, 1), frameon=False, fontsize="small")


def _line(kind: str, xs: list[float], ys: list[float]) -> Line2D:
    mark = MARKS[kind]
    size = {"broken": 9, "block": 9}.get(kind, 5)
    return Line2D(
        xs,
        ys,
        linestyle="",
        marker=mark.shape,
        color=mark.colour,
        markeredgecolor=BLACK,
        markersize=size,
        zorder=3,
        gid=kind,
        label=mark.meaning,
    )
