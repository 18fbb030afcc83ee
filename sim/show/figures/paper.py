"""What every figure is drawn on: axes without a window, ticks at round times, names that fonts can draw, notes.

The rule: nothing here touches pyplot's figures or matplotlib's settings. Times in seconds.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from textwrap import wrap
from typing import Final

import pandas as pd

try:
    from matplotlib.axes import Axes
except ImportError as error:
    raise ImportError("figures need matplotlib: pip install 'interlock[analysis]'") from error
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, Locator

from sim.show.amounts import counted, parted, step, tick
from sim.show.visible import visible

_NOTE_SIZE: Final = 8
_NOTE_CELLS: Final = 110
_MOST_NOTES: Final = 6
_HEADING_CELLS: Final = 80
_MOST_TICKS: Final = 10
_MISSING: Final = "\N{REPLACEMENT CHARACTER}"


def axes(ax: Axes | None, width_in: float = 8, height_in: float = 4) -> Axes:
    """Give the axes to draw on: those there are, or new ones on a figure that no window knows.

    Args:
        ax: the axes, if there are any.
        width_in: the new figure's width, in inches.
        height_in: and its height.
    """
    if ax is not None:
        return ax
    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def grow(ax: Axes, rows: int, row_in: float = 0.28) -> None:
    """Make a figure of our own as high as its rows need; never one that was given to us.

    Args:
        ax: the axes.
        rows: how many rows there are, besides what stands around them.
        row_in: inches for each.
    """
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.set_figheight(1.3 + row_in * max(rows, 2))


def time_axis(ax: Axes, until_s: float, label: str = "from the turn's start") -> None:
    """Put an axis of time under a figure, from 0 on, with ticks at round times.

    Args:
        ax: the axes.
        until_s: the last instant shown.
        label: what the times are.
    """
    until_s = until_s or 1.0
    ax.set_xlim(-0.01 * until_s, 1.02 * until_s)
    ax.xaxis.set_major_locator(RoundTimes())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda at_s, _: tick(round(at_s * 1e9), round(until_s * 1e9))))
    ax.set_xlabel(label)


class RoundTimes(Locator):
    """Puts ticks at round times, as many as there is room for their labels on an axis of seconds from 0 on."""

    def __call__(self) -> list[float]:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Give the ticks between two seconds."""
        # matplotlib allows for labels of three times their height; ours, "350 ms", are twice as wide.
        room = self.axis.get_tick_space() // 2  # type: ignore[union-attr]
        step_s = step(round(vmax * 1e9), max(1, min(room, _MOST_TICKS))) / 1e9
        return [number * step_s for number in range(int(vmax / step_s) + 1)]


def heading(ax: Axes, text: str) -> None:
    """Write a figure's title above it, in as many lines as it needs.

    Args:
        ax: the axes.
        text: the title.
    """
    ax.set_title("\n".join(wrap(text, _HEADING_CELLS)), loc="left", fontsize="medium")


def estimates(turns: pd.DataFrame) -> list[str]:
    """Say of how many turns of a frame the times are estimates (B121).

    Args:
        turns: a row for each turn, with the column ``estimated``.
    """
    count = int(turns["estimated"].fillna(False).astype(bool).sum())
    return [f"estimated: the times of {counted(count, 'turn')}"] * bool(count)


def name(text: str, longest: int = 32) -> str:
    """Make a name fit for a figure: controls escaped, cut, drawable by the font, never read as mathematics.

    Args:
        text: the name.
        longest: how many characters are shown.
    """
    shown = visible(text)
    if len(shown) > longest:
        shown = f"{shown[: longest - 1]}…"
    known = _characters()
    return "".join(char if ord(char) in known else _MISSING for char in shown).replace("$", r"\$")


def note(ax: Axes, lines: Iterable[str]) -> None:
    """Write under a figure what it leaves out, or how it is to be read, once all else is drawn.

    Args:
        ax: the axes.
        lines: the notes; none are drawn for none, and no more than fit under a figure; :func:`notes` gives them all.
    """
    told = list(lines)
    if any(_MISSING in text.get_text() for text in ax.findobj(Text)):
        told.append(f"{_MISSING} stands for characters that the font does not have")
    wrapped = [part for line in told for part in wrap(line, _NOTE_CELLS)]
    if wrapped:
        more = [f"… and {counted(len(wrapped) - _MOST_NOTES, 'more line')}"] if len(wrapped) > _MOST_NOTES else []
        ax.annotate(
            "\n".join(wrapped[:_MOST_NOTES] + more),
            (0, 0),
            xycoords="axes fraction",
            xytext=(0, -36),
            textcoords="offset points",
            va="top",
            fontsize=_NOTE_SIZE,
            color="0.25",
            gid="note",
            label="\n".join(told),
        )


def notes(ax: Axes) -> list[str]:
    """Give what was written under a figure, line by line and whole."""
    return [line for text in ax.texts if text.get_gid() == "note" for line in str(text.get_label()).split("\n")]


def left_out(counts: Mapping[str, int]) -> list[str]:
    """Say what a frame has left out; nothing where it is whole."""
    told = ", ".join(f"{counted(count, of)}{name(rest, 100)}" for count, (of, rest) in parted(counts))
    return [f"left out: {told}"] if told else []


@lru_cache(maxsize=4)
def _characters_of(path: str) -> frozenset[int]:
    return frozenset(get_font(path).get_charmap())


def _characters() -> frozenset[int]:
    """Give the characters of the font that matplotlib is set to."""
    return _characters_of(findfont(FontProperties()))
