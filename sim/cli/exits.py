"""How a command ends."""

from typing import Final

OK: Final = 0
BROKEN: Final = 1
"""A rule is broken, or an expectation is not met."""
UNUSABLE: Final = 2
"""The input cannot be used."""
INTERRUPTED: Final = 130
"""Ended by Ctrl-C, as shells tell it."""


class Unusable(Exception):
    """The input cannot be used; the message is one line: what, got, where, the way out."""
