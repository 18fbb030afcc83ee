"""Writes reports as files, for ``--html``."""

from collections.abc import Iterable
from pathlib import Path

import typer

from .exits import Unusable


def apart_from(page: Path | None, files: Iterable[Path]) -> None:
    """Make sure that a page is not written over what is read.

    Raises:
        Unusable: it would be.
    """
    if page is not None and page.exists() and any(file.exists() and file.samefile(page) for file in files):
        raise Unusable(f"--html {page}: that file is read; choose another path")


def write_page(page: Path, text: str) -> None:
    """Write a page, and say where.

    Raises:
        Unusable: it cannot be written.
    """
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"--html {page}: cannot write it: {error.strerror or error}; choose another path") from error
    typer.echo(f"interlock: wrote {page}", err=True)
