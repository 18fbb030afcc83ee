"""What the shell itself runs: neutral commands, tests, and those that change the shell.

The rule: neither a name nor an arithmetic expression may reach the shell unread, since it runs what it finds in
``a[$(…)]``: ``test -v``, ``printf -v`` and ``[[ x -eq y ]]`` evaluate such words.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..words import Word
from .model import Arguments, Command, NotReadOnly, Refused, Rule, Words, names, table

_UNARY: Final = names("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -n -z")
_BINARY: Final = names("= == != =~ < > -nt -ot -ef")
_NUMERIC: Final = names("-eq -ne -lt -le -gt -ge")
_CLOSING: Final = {"[": "]", "[[": "]]"}
_COUNTS_LETTERS: Final = re.compile(r"%[-+ #0-9.*'hlLqjzt]*n")


class Test:
    """``test``, ``[`` and ``[[``, as far as their shape is clear."""

    answers = True

    def check(self, words: Words) -> Sequence[Words]:
        """Hold each comparison against the shapes that evaluate nothing."""
        name, inner = words[0].text or "", list(words[1:])
        if name != "test" and (not inner or inner.pop().text != _CLOSING[name]):
            raise NotReadOnly("is a test without its end")
        for part in self._parts(inner) if name == "[[" else [inner]:
            self._check_comparison(part, words_stay_whole=name == "[[")
        return ()

    def _parts(self, words: list[Word]) -> Iterator[list[Word]]:
        part: list[Word] = []
        for word in words:
            if word.source in ("&&", "||", "(", ")"):
                if part:
                    yield part
                part = []
            else:
                part.append(word)
        if part:
            yield part

    def _check_comparison(self, words: list[Word], *, words_stay_whole: bool) -> None:
        while words and words[0].text == "!":
            words = words[1:]
        if not words_stay_whole and any(word.several for word in words):
            raise NotReadOnly("has words that only the shell knows; in quotes they would be clear")
        if len(words) <= 1:
            return
        if len(words) == 2 and words[0].text in _UNARY:
            return
        if len(words) == 3 and words[1].text in _BINARY:
            return
        if len(words) == 3 and words[1].text in _NUMERIC:
            numbers = all(word.text is not None and re.fullmatch(r"-?\d+", word.text) for word in (words[0], words[2]))
            if numbers or not words_stay_whole:
                return
        raise NotReadOnly("is a test that may evaluate something; clear ones are -f x, x = y, 1 -lt 2")


def _check_format(arguments: Arguments) -> None:
    if not arguments.operands:
        return
    format_ = arguments.operands[0].text
    if format_ is None or _COUNTS_LETTERS.search(format_):
        raise NotReadOnly("sets a variable, or may: its format must be plain and without %n")


BUILTINS: dict[str, Rule] = table(
    Command("echo true false : pwd break continue", any_option=True),
    Command("type", any_option=True, answers=True),
    Command("printf", permutes=False, refused={"-v": "sets a variable"}, also=_check_format),
    Refused("cd pushd popd dirs chdir", "changes the shell's directory"),
    Refused(
        "export declare typeset local readonly unset read mapfile readarray getopts let",
        "changes the shell's variables",
    ),
    Refused(
        "set shopt alias unalias umask ulimit trap hash enable bind complete compopt history fc disown",
        "changes the shell",
    ),
    Refused("exit return logout exec suspend", "ends or replaces the shell"),
    Refused("eval source .", "runs what only the shell will read"),
    Refused("coproc bg fg wait jobs kill", "deals with other processes"),
)
BUILTINS |= {"test": Test(), "[": Test(), "[[": Test()}
