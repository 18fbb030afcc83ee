"""Writes figures to files: the same figure gives the same bytes, without a date. No units."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PNG_DPI = 120


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure of some axes; the file's name says as what: ``.svg``, ``.png`` or ``.pdf``.

    Args:
        ax: the axes, as every figure gives them back.
        path: where to write.

    Raises:
        ValueError: the name says nothing that a figure can be written as.
    """
    kind = Path(path).suffix.lower()
    dates = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
    if kind not in dates:
        raise ValueError(f"{path}: expected a name that ends in {', '.join(dates)}, got {kind or 'no ending'}")
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    with rc_context({"svg.hashsalt": "interlock"}):
        figure.savefig(path, dpi=PNG_DPI, metadata=dates[kind])
