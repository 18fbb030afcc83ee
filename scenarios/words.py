"""What a message says about what it got.

The rule: one short line; for a word nobody knows the nearest known one, or, where none is near, all of them.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


def shown(value: object) -> str:
    """Show a value on one short line, as its author would know it."""
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def way_out(word: object, known: Iterable[str]) -> str:
    """Say which word was probably meant, or else which ones there are.

    >>> way_out("tkes", ["takes", "ends"])
    "did you mean 'takes'?"
    >>> way_out("colour", ["takes", "ends"])
    'known: ends, takes'
    """
    words = sorted(known)
    near = nearest(word, words)
    if near:
        return f"did you mean {near!r}?"
    return f"known: {', '.join(words)}" if words else "none is known here"


def nearest(word: object, known: Iterable[str]) -> str | None:
    """Give the known word that is nearest, None where none is near."""
    return next(iter(get_close_matches(str(word), sorted(known), n=1)), None)


def hint(word: object, known: Iterable[str]) -> str:
    """Give the end of a message that already says what there is: the nearest known word, where one is near.

    >>> hint("by_comand", ["by_command"]), hint(3, ["by_command"])
    ("; did you mean 'by_command'?", '')
    """
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def hint_at_file(path: str | Path) -> str:
    """Give the end of a message about a file that is not there: the nearest in its folder, where one is near."""
    folder, name = os.path.split(path)
    try:
        there = os.listdir(folder or os.curdir)
    except OSError:
        return ""
    near = nearest(name, there)
    return f"; did you mean {os.path.join(folder, near)!r}?" if near else ""
