"""Commands that run another command: they are peeled off, and what is inside is looked at.

The rule: the inner command must stand there in words; an assignment must be one that no program runs or loads.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..words import Word
from .model import Command, NotReadOnly, Rule, Words, names

HARMLESS_VARIABLES: Final = names(
    "LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANG TZ NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR "
    "COLUMNS LINES LS_COLORS GREP_COLOR GREP_COLORS BLOCKSIZE BLOCK_SIZE TIME_STYLE QUOTING_STYLE FOO BAR BAZ"
)
"""Variables that change how a command prints, and metasyntactic ones that no program reads."""


def check_variable(name: str) -> None:
    """Hold an assignment in front of a command against the list.

    Raises:
        NotReadOnly: programs may run or load what the variable says.
    """
    if name not in HARMLESS_VARIABLES:
        raise NotReadOnly(f"sets {name}, which is not known to be harmless to the program it starts")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A command whose operands are another command.

    Args:
        options: its own options.
        leading: how many operands stand before the inner command.
        assigns: whether assignments may stand there too.
        bare: whether it may stand without an inner command.
    """

    options: Command
    leading: int = 0
    assigns: bool = False
    bare: bool = False
    answers: bool = False

    def peel(self, words: Words) -> Words:
        """Take the wrapper off; nothing is left where it runs nothing."""
        inner = self.options.sort(words[1:]).operands[self.leading :]
        while self.assigns and inner:
            assigned = re.match(r"([A-Za-z_]\w*)=", inner[0].prefix)
            if assigned is None:
                break
            if inner[0].splits:
                raise NotReadOnly(f"has a word that only the shell knows ({inner[0].source})")
            check_variable(assigned[1])
            inner = inner[1:]
        if not inner and not self.bare:
            raise NotReadOnly("has no command to run")
        return inner

    def check(self, words: Words) -> Sequence[Words]:
        """Return the inner command."""
        inner = self.peel(words)
        return [inner] if inner else []


@dataclass(frozen=True, slots=True)
class CommandBuiltin:
    """``command``: describes a command, or runs it."""

    answers: bool = True

    def peel(self, words: Words) -> Words:
        """Take it off; nothing is left of ``command -v``."""
        sorted_ = Command("command", flags="-v -V -p", permutes=False, abbreviates=False).sort(words[1:])
        return () if sorted_.has("-v", "-V") else sorted_.operands

    def check(self, words: Words) -> Sequence[Words]:
        """Return the inner command."""
        inner = self.peel(words)
        return [inner] if inner else []


_XARGS: Final = Command(
    "xargs",
    flags="-0 --null -r --no-run-if-empty -t --verbose -x --exit",
    values="-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars",
    optional="-i --replace --max-lines",
    refused={
        "-p --interactive -o --open-tty": "asks at the terminal",
        "--process-slot-var": "sets a variable",
    },
    permutes=False,
)


class Xargs:
    """``xargs``: its inner command gets words that nobody knows."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Return the inner command with the words from the input marked as unknown."""
        arguments = _XARGS.sort(words[1:])
        inner = arguments.operands
        if not inner:
            return []
        if not arguments.has("-I", "-i", "--replace"):
            return [[*inner, Word("(words from the input)", None, "", several=True, splits=True)]]
        marks = [value.text for value in arguments.values("-I", "-i", "--replace")] or ["{}"]
        if len(marks) > 1 or not marks[0]:
            raise NotReadOnly("has no clear place for the words from the input")
        return [[replaced(word, marks[0], Word(word.source, None, "")) for word in inner]]


def replaced(word: Word, mark: str, unknown: Word) -> Word:
    """Mark a word as unknown where something will be put into it."""
    if word.text is None or mark not in word.text:
        if mark in word.source:
            raise NotReadOnly(f"has a word that is not clear ({word.source})")
        return word
    before = word.text.partition(mark)[0]
    return Word(word.source, None, before or unknown.prefix, unknown.several, bool(before) and unknown.splits)


WRAPPERS: dict[str, Rule] = {
    "env": Wrapper(
        Command(
            "env", flags="-0 --null", permutes=False, abbreviates=False, refused={"-S --split-string": "runs a line"}
        ),
        assigns=True,
        bare=True,
    ),
    "command": CommandBuiltin(),
    "builtin": Wrapper(Command("builtin", permutes=False, abbreviates=False)),
    "time": Wrapper(Command("time", flags="-p", permutes=False, abbreviates=False)),
    "nice": Wrapper(Command("nice", values="-n --adjustment", numbers=True, permutes=False), bare=True),
    "timeout": Wrapper(
        Command(
            "timeout",
            flags="--preserve-status --foreground -v --verbose",
            values="-k --kill-after -s --signal",
            permutes=False,
        ),
        leading=1,
    ),
    "stdbuf": Wrapper(Command("stdbuf", values="-i --input -o --output -e --error", permutes=False)),
    "xargs": Xargs(),
}
