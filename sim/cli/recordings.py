"""Reads the recordings a command is given, file by file; one that cannot be read is told and does not stop the rest."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import typer

from scenarios.files import is_named_as_scenario
from scenarios.traces import TraceError, TraceReader
from scenarios.traces.fingerprints import Fingerprints, Seen

from .answers.shape import BrokenRule
from .console import OnRead, reading
from .exits import Unusable

Opened = TypeVar("Opened", covariant=True)


class Opening(Protocol[Opened]):
    """Opens a file.

    ``seen`` is shared by the files of a command line, so that calls copied from an earlier one can be left out (B094).
    """

    def __call__(self, path: Path, *, seen: Seen, on_progress: OnRead | None) -> Opened:
        """Open a file, or raise :class:`TraceError` or :class:`Unusable`."""


class Recordings(Generic[Opened]):
    """The files of a command line.

    Args:
        paths: the files, in the order they are given.
        opening: what to open each with.
    """

    def __init__(self, paths: list[Path], opening: Opening[Opened]) -> None:
        self._paths = paths
        self._opening = opening
        self.unreadable = 0

    def __iter__(self) -> Iterator[Opened]:
        """Open each file that can be; use up what one gives before the next is taken."""
        seen = Fingerprints()
        with reading([size_bytes(path) for path in self._paths]) as of_file:
            for place, path in enumerate(self._paths):
                try:
                    opened = self._opening(path, seen=seen, on_progress=of_file(place))
                except (TraceError, Unusable) as error:
                    self.unreadable += 1
                    typer.echo(f"interlock: {error}{_hint_at_run(path)}", err=True)
                else:
                    yield opened


def _hint_at_run(path: Path) -> str:
    is_scenario = is_named_as_scenario(path) and path.is_file()
    return f"; a scenario is played and judged by: interlock run {shlex.quote(str(path))}" if is_scenario else ""


def hint_at_replay(path: Path) -> str:
    """Give the end of a message about a file that is no scenario and not named as one."""
    may_be_recording = os.path.isfile(path) and not is_named_as_scenario(path)
    return f"; a recorded session is shown and judged by: interlock replay {shlex.quote(str(path))}" * may_be_recording


def lonely_results(reader: TraceReader, met: set[int]) -> list[BrokenRule]:
    """Give the results that belong to no turn at all, once the file is read (P2); ``met`` are lines told already."""
    return [
        {"rule": "P2", "at_s": None, "line": stray.line, "calls": [stray.id], "message": stray.what}
        for stray in reader.strays
        if stray.line not in met
    ]


def size_bytes(path: Path) -> int:
    """Give the size of a file, 0 for one that cannot be looked at."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
