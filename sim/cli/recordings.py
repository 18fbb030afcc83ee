"""Reads the recordings a command is given, file by file; one that cannot be read is told and does not stop the rest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from scenarios.traces import TraceError, TraceReader, read_trace

from .console import reading


class Recordings:
    """The files of a command line; calls that a file has copied from an earlier one are left out (B094).

    Args:
        paths: the files, in the order they are given.
    """

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths
        self.unreadable = 0

    def __iter__(self) -> Iterator[TraceReader]:
        """Open each file that is a recording; use a reader up before the next is taken."""
        seen: set[int] = set()
        with reading([_size_bytes(path) for path in self._paths]) as of_file:
            for place, path in enumerate(self._paths):
                try:
                    reader = read_trace(path, seen=seen, on_progress=of_file(place))
                except TraceError as error:
                    self.refuse(error)
                else:
                    yield reader

    def refuse(self, error: Exception) -> None:
        """Tell of a file that cannot be read, and go on."""
        self.unreadable += 1
        typer.echo(f"interlock: {error}", err=True)


def lonely_results(reader: TraceReader, met: set[int]) -> list[dict[str, Any]]:
    """Give the results that belong to no turn at all, once the file is read (P2); ``met`` are lines told already."""
    return [
        {"rule": "P2", "at_s": None, "line": stray.line, "calls": [stray.id], "message": stray.what}
        for stray in reader.strays
        if stray.line not in met
    ]


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
