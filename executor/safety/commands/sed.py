"""``sed``: its script, read command by command.

The rule: only editing and printing commands are known; ``w``, ``e``, ``r`` and their flags in ``s///`` are not.
"""

import re
from collections.abc import Sequence
from typing import Final

from .brackets import are_clear, brackets
from .model import Command, NotReadOnly, Words

_OPTIONS: Final = Command(
    "sed",
    flags="-n --quiet --silent -E -r --regexp-extended -u --unbuffered -z --null-data --posix --debug --sandbox "
    "-s --separate --help --version",
    values="-e --expression",
    refused={
        "-i --in-place": "edits files in place",
        "-I": "edits files in place on some systems",
        "-f --file": "takes its script from a file",
        "-l --line-length": "has an option that systems read in different ways",
        "--follow-symlinks": "belongs to editing in place",
    },
)
_ADDRESS: Final = re.compile(rf"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\[^\n]|{brackets('/')})*/[IM]*)")
_SECOND_ADDRESS: Final = re.compile(r"[ \t]*,[ \t]*(?:[+~]\d+|" + _ADDRESS.pattern + ")")
_ALONE: Final = re.compile(
    r"[pPdDhHgGxnN=zF][ \t]*|[qQl][ \t]*\d*[ \t]*|[btT][ \t]*[A-Za-z0-9_]*[ \t]*|:[ \t]*[A-Za-z0-9_]+[ \t]*"
)
_TEXT: Final = re.compile(r"[aic][ \t]*[^\\\n \t][^\\\n]*\Z|[aic]\\\n?[^\\\n]+\Z")
_FLAGS: Final = re.compile(r"[gpiI0-9]*[ \t]*")
_BLANKS: Final = re.compile(r"(?:[ \t;\n]|#[^\n]*)*")


class Sed:
    """The rule of ``sed``."""

    answers = False

    def check(self, words: Words) -> Sequence[Words]:
        """Read the options and every piece of script."""
        arguments = _OPTIONS.sort(words[1:])
        scripts = arguments.values("-e", "--expression")
        if not scripts:
            if not arguments.operands:
                raise NotReadOnly("has no script")
            scripts = [arguments.operands[0]]
        for script in scripts:
            if script.text is None:
                raise NotReadOnly("has a script that only the shell knows; in single quotes it would be clear")
            check_script(script.text)
        return ()


def check_script(script: str) -> None:
    """Hold a script against the rule.

    Raises:
        NotReadOnly: it writes or runs something, or is not understood.
    """
    at = 0
    while at < len(script):
        at = _end(_BLANKS, script, at)
        if at == len(script):
            return
        if address := _ADDRESS.match(script, at):
            at = address.end()
            at = _end(_SECOND_ADDRESS, script, at)
        at = _end(re.compile(r"[ \t]*(?:![ \t]*)?"), script, at)
        letter = script[at : at + 1]
        if letter in ("{", "}"):
            at += 1
        elif letter in ("s", "y"):
            at = _substitution(script, at)
        elif text := _TEXT.match(script, at):
            at = text.end()
        elif alone := _ALONE.match(script, at):
            at = alone.end()
            if script[at : at + 1] not in ("", ";", "\n", "}"):
                raise NotReadOnly(f"has a script that is not understood at {script[at : at + 20]!r}")
        else:
            raise NotReadOnly(f"has a script that may write or run something ({script[at : at + 20] or 'at its end'})")


def _end(pattern: re.Pattern[str], script: str, at: int) -> int:
    match = pattern.match(script, at)
    return match.end() if match else at


def _substitution(script: str, at: int) -> int:
    """Read ``s/…/…/flags`` or ``y/…/…/``; return where it ends."""
    command, delimiter = script[at], script[at + 1 : at + 2]
    if not delimiter or delimiter in "\\\n;{} \t" or delimiter.isalnum():
        raise NotReadOnly("has a script that is not understood")
    quoted = re.escape(delimiter)
    part = rf"((?:[^\\\n{quoted}]|\\[^\n])*)"
    match = re.compile(rf"[sy]{quoted}{part}{quoted}{part}{quoted}").match(script, at)
    if match is None or not are_clear(match[1]):
        raise NotReadOnly("has a script that is not understood: a part of s/…/…/ is not clear")
    end = match.end()
    if command == "s":
        end = _end(_FLAGS, script, end)
    if script[end : end + 1] not in ("", ";", "\n", "}"):
        raise NotReadOnly(f"has a script that may write or run something (s with {script[end : end + 5]!r})")
    return end
