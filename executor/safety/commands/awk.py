"""``awk``: its program, read just far enough to know that it writes and runs nothing.

The rule: a program must be plain text; ``>`` only compares outside ``print``; pipes, ``system`` and ``getline`` are
refused wherever they stand outside strings and patterns. gawk opens connections for files below /inet.
"""

import re
from collections.abc import Sequence
from typing import Final

from .brackets import brackets
from .model import Command, NotReadOnly, Words, names

_OPTIONS: Final = Command("awk", values="-F -v", permutes=False, abbreviates=False)
_TOKEN: Final = re.compile(
    r"""(?P<blank>[ \t]+|\\\n|\#[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\d+(?:\.\d+)?|\.\d+)
    |(?P<operator>\|\||&&|==|!=|<=|>=|>>|\+\+|--|[-+*/%^]=|[-+*%^/!~<>=,;:?$(){}\[\]|&@\n])""",
    re.VERBOSE,
)
_PATTERN: Final = re.compile(rf"/(?:[^/\\\[\n]|\\[^\n]|{brackets('/')})+/")
_PATTERN_MAY_FOLLOW: Final = frozenset(["", "(", ",", "{", "}", ";", "!", "~", "&&", "||", "\n"])
_KEYWORDS: Final = names(
    "BEGIN END if else while do for in break continue delete next nextfile exit return print printf switch case default"
)
_REFUSED: Final = names(
    "system getline close fflush function func BEGINFILE ENDFILE load include extension PROCINFO ARGV"
)


class Awk:
    """The rule of every ``awk``."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Read the options and the program; what stands behind it is read as data."""
        operands = _OPTIONS.sort(words[1:]).operands
        if not operands:
            raise NotReadOnly("has no program")
        if any(word.prefix.startswith("/inet") for word in operands[1:]):
            raise NotReadOnly("may open a connection")
        program = operands[0].text
        if program is None:
            raise NotReadOnly("has a program that only the shell knows; in single quotes it would be clear")
        check_program(program)
        return ()


def check_program(program: str) -> None:
    """Hold a program against the rule.

    Raises:
        NotReadOnly: it writes or runs something, or is not understood.
    """
    at, before, printing = 0, "", False
    while at < len(program):
        if program[at] == "/" and before in _PATTERN_MAY_FOLLOW:
            match = _PATTERN.match(program, at)
            kind, token = "pattern", match[0] if match else ""
        else:
            match = _TOKEN.match(program, at)
            kind, token = (match.lastgroup or "", match[0]) if match else ("", "")
        if match is None or (token in ("/", "/=") and not _may_be_divided(before)):
            raise NotReadOnly(f"has a program that is not understood at {program[at : at + 20]!r}")
        at = match.end()
        if kind == "blank":
            continue
        if token in _REFUSED or token == "@":
            raise NotReadOnly(f"has a program that may write or run something ({token})")
        if token in ("|", "&") or (printing and token in (">", ">>")):
            raise NotReadOnly(f"has a program that writes or runs something ({token})")
        printing = token in ("print", "printf") or (printing and token not in (";", "}"))
        if kind in ("string", "number"):
            token = "operand"
        before = f"in {token}" if before == "in" else token


def _may_be_divided(before: str) -> bool:
    """Whether a ``/`` behind this token surely divides and begins no pattern.

    Some awks begin one behind a pattern, behind ``in names`` and behind ``length`` without parentheses.
    """
    return before in ("operand", "]") or (before.isidentifier() and before not in _KEYWORDS | {"length"})
