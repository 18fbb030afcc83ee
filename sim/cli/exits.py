"""How a command ends: its exit code."""

from collections.abc import Mapping
from typing import Final

OK: Final = 0
BROKEN: Final = 1
UNUSABLE: Final = 2
INTERRUPTED: Final = 130

MEANINGS: Final[Mapping[int, str]] = {
    OK: "all is well",
    BROKEN: "a rule is broken, an expectation is not met, a file is not in its form (fmt --check), or something is "
    "missing (doctor)",
    UNUSABLE: "the input, an option or the output cannot be used; one line says what, where, and the way out",
    INTERRUPTED: "ended by Ctrl-C; a fuzz campaign, which goes on where it was ended, ends with 0 or 1",
}
"""What each exit code says, for every command."""


def told() -> str:
    """Tell the exit codes in a line."""
    return f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in MEANINGS.items())}."


class Unusable(Exception):
    """The input cannot be used; the message is one line: what, got, where, the way out."""
