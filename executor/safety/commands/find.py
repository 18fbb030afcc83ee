"""``find``: its expression, read from left to right.

The rule: each test is known by name and by how many words it takes; ``-exec`` is looked into.
"""

import re
from collections.abc import Sequence
from typing import Final

from ..words import Word
from .model import NotReadOnly, Words, names
from .wrappers import replaced

_ALONE: Final = names(
    "( ) ! , -not -a -and -o -or -print -print0 -ls -prune -quit -true -false -depth -d -empty -executable -readable "
    "-writable -nouser -nogroup -xdev -mount -noleaf -daystart -ignore_readdir_race -noignore_readdir_race -follow "
    "-nowarn -warn -H -L -P"
)
_WITH_A_VALUE: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size "
    "-perm -user -group -uid -gid -links -inum -samefile -newer -anewer -cnewer -mtime -ctime -atime "
    "-mmin -cmin -amin -used -fstype -maxdepth -mindepth -regextype -printf"
)
_REFUSED: Final = {
    "-delete": "removes files",
    "-execdir": "runs a program in other directories",
    "-ok": "asks at the terminal",
    "-okdir": "asks at the terminal",
    "-fprint": "writes its result to a file",
    "-fprint0": "writes its result to a file",
    "-fprintf": "writes its result to a file",
    "-fls": "writes its result to a file",
}


class Find:
    """The rule of ``find``."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Read the expression; return the commands of its ``-exec``."""
        inner: list[Words] = []
        at = 1
        while at < len(words):
            word = words[at]
            name = word.text
            at += 1
            if name is None or not (name.startswith("-") or name in _ALONE):
                if not word.is_operand_like:
                    raise NotReadOnly(f"has a word that only the shell knows ({word.source}); it may be -delete")
                if word.prefix.startswith("+"):
                    # `less +!x` runs x, and what is found below begins as this does.
                    raise NotReadOnly(f"has a starting point that programs may take for a command ({word.source})")
            elif name in _REFUSED:
                raise NotReadOnly(f"{_REFUSED[name]} ({name})")
            elif name == "-exec":
                command, at = self._command(words, at)
                inner.append(command)
            elif name in _WITH_A_VALUE or re.fullmatch(r"-newer[aBcm][aBcmt]", name):
                if at == len(words) or words[at].several:
                    raise NotReadOnly(f"has no clear value for {name}; in quotes it would be clear")
                at += 1
            elif name not in _ALONE:
                raise NotReadOnly(f"has a test that is not known to be harmless ({name})")
        return inner

    def _command(self, words: Words, at: int) -> tuple[Words, int]:
        command: list[Word] = []
        for end in range(at, len(words)):
            word = words[end]
            if word.several:
                break
            many = word.text == "+" and bool(command) and command[-1].text == "{}"
            if word.text == ";" or many:
                # What find puts in begins as the starting point does, so it is no option.
                found = Word("{}", None, "./", several=many)
                return [replaced(each, "{}", found) for each in command], end + 1
            command.append(word)
        raise NotReadOnly("has an -exec whose end is not clear")
