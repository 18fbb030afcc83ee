"""Write docs/frames.md: the columns of every frame with their types, units and meanings, from their one table.

Run as ``python tests/docs/frames_page.py`` in the project's root (``make docs``). No times here.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sim.analysis.columns import COLUMNS, Column

PAGE: Final = Path(__file__).parents[2] / "docs" / "frames.md"
HEAD: Final = """# Frames

<!-- Written by `make docs` from the table of columns. -->

Pandas frames of whatever has a log: a run, a recording, a log of yours (the extra `analysis`). A time is there twice,
`NAME_s` in seconds (`float64`, `NaN` where it is not known) and `NAME_ns` exact (`Int64`, `NA`); instants count from
the turn's start. Strings, numbers and truths may be missing (`NA`) too. `frame.attrs["left_out"]` says what has no row
or no time, and how often.
"""
TITLES: Final = {
    "calls": ("A row for each call", "`run.tools_frame()`, `sim.analysis.frames.calls_frame(turns)`"),
    "events": ("A row for each event", "`sim.analysis.frames.events_frame(turns)`"),
    "turns": ("A row for each turn", "`sim.analysis.frames.turns_frame(turns)`, `sim.compare(…).frame()`"),
    "session": ("A row for each turn of a session", "`sim.analysis.frames.session_frame(turns)`"),
    "explored": ("A row for each outcome of an exploration", "`sim.analysis.frames.explored_frame(exploration)`"),
}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Give the page."""
    lines = [HEAD.rstrip("\n")]
    for name, columns in COLUMNS.items():
        title, doors = TITLES[name]
        lines += ["", f"## {title}", "", f"{doors}", "", "| column | type | meaning |", "| --- | --- | --- |"]
        lines += rows(columns)
    return "\n".join(lines) + "\n"


def rows(columns: tuple[Column, ...]) -> Iterator[str]:
    """Give a row for each column; a time's two columns share one."""
    for column in columns:
        if column.unit == "ns":
            continue
        stem = column.name.removesuffix("_s")
        name = f"`{column.name}`, `{stem}_ns`" if column.unit else f"`{column.name}`"
        yield f"| {name} | {'time' if column.unit else column.dtype} | {column.meaning} |"


if __name__ == "__main__":
    main()
