"""Writes figures to files: the same figure gives the same bytes, without a date. No units."""

from pathlib import Path
from typing import Final

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PNG_DPI: Final = 120
_UNDATED: Final = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
"""What a figure can be written as, and what is kept out of the file for it to be the same every time."""


def kind_of(path: str | Path) -> str:
    """Say as what a file's name asks for a figure: by its ending.

    Args:
        path: the file.

    Raises:
        ValueError: the name says nothing that a figure can be written as.
    """
    kind = Path(path).suffix.lower()
    if kind not in _UNDATED:
        raise ValueError(f"{path}: expected a name that ends in {', '.join(_UNDATED)}, got {kind or 'no ending'}")
    return kind


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure of some axes; the file's name says as what: ``.svg``, ``.png`` or ``.pdf``.

    Args:
        ax: the axes, as every figure gives them back.
        path: where to write.

    Raises:
        ValueError: the name says nothing that a figure can be written as.
    """
    kind = kind_of(path)
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    with rc_context({"svg.hashsalt": "interlock"}):
        figure.savefig(path, dpi=PNG_DPI, metadata=_UNDATED[kind])
