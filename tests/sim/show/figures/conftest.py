"""What is drawn, read back from the artists."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="the analysis extra brings it")
pytest.importorskip("pandas", reason="the analysis extra brings it")

Spans = list[tuple[float, float, float]]


@pytest.fixture
def bars() -> Callable[[Any, str], Spans]:
    """Give the bars of one kind as row, start and end, rounded to a nanosecond."""

    def read(ax: Any, kind: str) -> Spans:
        found = []
        for collection in ax.collections:
            if collection.get_gid() == kind:
                for path in collection.get_paths():
                    box = path.get_extents()
                    found.append((round((box.y0 + box.y1) / 2, 6), round(box.x0, 9), round(box.x1, 9)))
        return found

    return read


@pytest.fixture
def points() -> Callable[[Any, str], list[tuple[float, float]]]:
    """Give the marks of one kind as instant and row."""

    def read(ax: Any, kind: str) -> list[tuple[float, float]]:
        return [
            (round(float(x), 9), float(y))
            for line in ax.lines
            if line.get_gid() == kind
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        ]

    return read


@pytest.fixture
def notes() -> Callable[[Any], list[str]]:
    """Give what is written under a figure, line by line."""

    def read(ax: Any) -> list[str]:
        return [line for text in ax.texts if text.get_gid() == "note" for line in text.get_text().splitlines()]

    return read
