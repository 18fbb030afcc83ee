"""Turns as tables, a row for each call: CSV and Parquet, with the columns of :func:`sim.analysis.frames.calls_frame`.

The rule: what is not known is an empty cell; in CSV, which is text, foreign text is made visible. Times in seconds, and
exact in nanoseconds where a column says so. Needs the ``analysis`` extra.
"""

from collections.abc import Iterable
from typing import BinaryIO, TextIO

import pandas as pd

from sim.analysis.columns import COLUMNS
from sim.analysis.frames import calls_frame
from sim.analysis.placed import PlacedTurn
from sim.show.amounts import tally
from sim.show.visible import visible


def write_csv(turns: Iterable[PlacedTurn], out: TextIO) -> list[str]:
    """Write the calls of turns as CSV with a header.

    Args:
        turns: in order.
        out: where to write.

    Returns:
        What is missing in it, a line each.
    """
    frame, left_out = _calls(turns)
    for column in COLUMNS["calls"]:
        if column.dtype == "string":
            frame[column.name] = frame[column.name].map(visible, na_action="ignore")
    frame.to_csv(out, index=False, lineterminator="\n")
    return left_out


def write_parquet(turns: Iterable[PlacedTurn], out: BinaryIO) -> list[str]:
    """Write the calls of turns as Parquet.

    Args:
        turns: in order.
        out: where to write.

    Returns:
        What is missing in it, a line each.
    """
    frame, left_out = _calls(turns)
    frame.to_parquet(out, engine="pyarrow", index=False)
    return left_out


def _calls(turns: Iterable[PlacedTurn]) -> tuple[pd.DataFrame, list[str]]:
    frame = calls_frame(turn.course for turn in turns)
    return frame, tally(frame.attrs["left_out"])
