"""Where commands write: results to standard output, progress to standard error, and only to a terminal."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from typing import Any, Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

WIDTH_OF_A_FILE: Final = 120
"""Columns, where the output is no terminal and ``COLUMNS`` does not say."""
_LONG_BYTES: Final = 2_000_000

OnRead = Callable[[int, int], None]
"""Told of the bytes read and the bytes in all of the file that is being read."""


def console() -> Console:
    """Open standard output for tables and text."""
    has_width = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return Console(width=None if has_width else WIDTH_OF_A_FILE, highlight=False, soft_wrap=False)


def can_draw_unicode() -> bool:
    """Whether standard output can write the characters of a drawing."""
    try:
        "·━│≈".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def may_colour() -> bool:
    """Whether standard output shows colours: a terminal that can, or ``FORCE_COLOR``, and no ``NO_COLOR``."""
    out = console()
    return out.color_system is not None and not out.no_color


def write_json(value: Any) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=not can_draw_unicode(), indent=2))


def aside() -> AbstractContextManager[Any]:
    """Let what executors of the user's own print go to standard error: standard output is for results."""
    return redirect_stdout(sys.stderr)


@contextmanager
def reading(sizes_bytes: list[int]) -> Iterator[Callable[[int], OnRead | None]]:
    """Show how far reading has come, for long input on a terminal.

    Args:
        sizes_bytes: bytes in each file.

    Yields:
        A function that gives, for the file of that place, whom to tell of the bytes read; ``None`` for nobody.
    """
    if sum(sizes_bytes) < _LONG_BYTES or not sys.stderr.isatty():
        yield lambda _place: None
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=sum(sizes_bytes))

        def of_file(place: int) -> OnRead:
            before = sum(sizes_bytes[:place])
            return lambda read, _total: progress.update(task, completed=before + read)

        yield of_file


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show how far a count has come, on a terminal; what is printed meanwhile goes to standard error.

    Yields:
        Whom to tell of the count, and of how many there are where that was not known before.
    """
    if not sys.stderr.isatty():
        with aside():
            yield lambda _done, _total=None: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done, of=total: progress.update(task, completed=done, total=of)


@contextmanager
def saying(what: str) -> Iterator[Callable[[str], None]]:
    """Show one line that says how far something without a known end has come, as :func:`counting` does.

    Yields:
        Whom to tell the line.
    """
    if not sys.stderr.isatty():
        with aside():
            yield lambda _line: None
        return
    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda line: progress.update(task, description=line)
