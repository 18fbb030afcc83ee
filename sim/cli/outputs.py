"""Files that options name to be written: looked at before anything is done, written at the end.

The rule: what cannot be written is refused before a command works or draws.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from .exits import Unusable


def writable(option: str, path: Path | None, read: Iterable[Path] = ()) -> None:
    """Make sure that a file can be written, and is none of those that are read.

    Args:
        option: what names it.
        path: the file; ``None`` where the option was not given.
        read: the files that the command reads.

    Raises:
        Unusable: it cannot be written, or would be written over what is read.
    """
    if path is None:
        return
    if path.exists() and any(file.exists() and file.samefile(path) for file in read):
        raise Unusable(f"{option} {path}: that file is read; choose another path")
    reason = (
        "it is a folder"
        if path.is_dir()
        else f"there is no folder {path.parent}"
        if not path.parent.is_dir()
        else "no permission"
        if not os.access(path if path.exists() else path.parent, os.W_OK)
        else None
    )
    if reason is not None:
        raise Unusable(f"{option} {path}: cannot write it: {reason}; choose another path")


def write_text(option: str, path: Path, text: str) -> None:
    """Write a file, whatever its text says.

    Raises:
        Unusable: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Unusable(f"{option} {path}: cannot write it: {error.strerror or error}; choose another path") from error
