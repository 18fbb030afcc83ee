"""Where commands write: results to standard output, progress to standard error, and only to a terminal."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

WIDTH_OF_A_FILE: Final = 120
"""Columns, where the output is no terminal and has no width of its own."""
_LONG_BYTES: Final = 2_000_000

OnRead = Callable[[int, int], None]
"""Told of the bytes read and the bytes in all of the file that is being read."""


def console() -> Console:
    """Open standard output for tables and text."""
    return Console(width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE, highlight=False, soft_wrap=False)


def can_draw_unicode() -> bool:
    """Whether standard output can write the characters of a drawing."""
    try:
        "·━│≈".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def may_colour() -> bool:
    """Whether standard output shows colours and nobody minds (``NO_COLOR``)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write_json(value: Any) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def reading(paths_bytes: int) -> Iterator[OnRead | None]:
    """Show how far reading has come, for long input on a terminal.

    Args:
        paths_bytes: bytes in all files together.
    """
    if paths_bytes < _LONG_BYTES or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=paths_bytes)
        done, latest = 0, 0

        def on_read(read: int, _total: int) -> None:
            nonlocal done, latest
            done += read if read < latest else read - latest
            latest = read
            progress.update(task, completed=done)

        yield on_read
