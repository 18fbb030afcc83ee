"""Reads the recordings a command is given, file by file; one that cannot be read is told and does not stop the rest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from scenarios.traces import TraceError, TraceReader, read_traces

from .console import reading


class Recordings:
    """The files of a command line.

    Args:
        paths: the files, in the order they are given.
    """

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.unreadable = 0

    def __iter__(self) -> Iterator[TraceReader]:
        """Open each file that is a recording; use a reader up before the next is taken."""
        total = sum(path.stat().st_size for path in self.paths if path.is_file())
        with reading(total) as on_read:
            readers = read_traces(self.paths, on_progress=on_read)
            for _ in self.paths:
                try:
                    reader = next(readers)
                except TraceError as error:
                    self.unreadable += 1
                    typer.echo(f"interlock: {error}", err=True)
                else:
                    yield reader


def lonely_results(reader: TraceReader, met: set[int]) -> list[dict[str, Any]]:
    """Give the results that belong to no turn at all, once the file is read (P2); ``met`` are lines told already."""
    return [
        {"rule": "P2", "line": stray.line, "calls": [stray.id], "message": f"line {stray.line}: {stray.what}"}
        for stray in reader.strays
        if stray.line not in met
    ]
