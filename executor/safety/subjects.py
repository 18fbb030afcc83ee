"""What a shell command is about, part by part, for permission rules (H2, H3).

The rule: every part of a compound command counts by itself; a deny rule needs to meet one of them, an allow rule has to
cover all, so whatever a prefix might hide becomes a part of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .commands.wrappers import HARMLESS_VARIABLES
from .grammar import parse
from .script import Script, SimpleCommand
from .words import NotUnderstood

RUN_OTHERS: Final = frozenset(
    [
        "bash",
        "builtin",
        "chroot",
        "command",
        "coproc",
        "dash",
        "doas",
        "env",
        "eval",
        "exec",
        "find",
        "fish",
        "flock",
        "ionice",
        "ksh",
        "nice",
        "nohup",
        "parallel",
        "perl",
        "python",
        "python3",
        "sh",
        "setsid",
        "ssh",
        "stdbuf",
        "su",
        "sudo",
        "taskset",
        "time",
        "timeout",
        "unshare",
        "watch",
        "xargs",
        "zsh",
    ]
)
"""Commands whose arguments may be a command of their own."""


def shell_subjects(arguments: Mapping[str, Any]) -> list[str] | None:
    """Tell what a shell call is about: the ``subjects`` of a shell tool, which reads its input's ``command``.

    Quotes and doubled spaces are resolved where a word is literal; one that the shell expands stands as it was written.
    Redirections to files and assignments are parts too, and so is each tail of a command that runs others.

    Returns:
        The parts, ``None`` where they cannot be told: no allow rule with a pattern covers such a call, and a deny or
        ask rule with one asks.

    >>> shell_subjects({"command": "git log -3 && 'rm'  -rf build > out.txt"})
    ['git log -3', 'rm -rf build', '> out.txt']
    >>> shell_subjects({"command": "sudo rm x"})
    ['sudo rm x', 'rm x', 'x']
    >>> shell_subjects({"command": "$TOOL x"}) is None
    True
    """
    command = arguments.get("command")
    if not isinstance(command, str):
        return None
    try:
        return list(dict.fromkeys(_parts(parse(command))))
    except NotUnderstood:
        return None


def _parts(script: Script) -> Iterator[str]:
    for command in script.commands:
        yield from _parts_of(command)
    for redirection in script.redirections:
        target = redirection.target
        if target is not None and target.text != "/dev/null" and redirection.operator not in ("<", "<&", ">&"):
            yield f"{redirection.operator} {target.source if target.text is None else target.text}"
    for change in script.changes:
        # A function or an alias may make a harmless name mean anything: a sentence, which no allow rule foresees.
        yield change.source if change.is_command else str(change)


def _parts_of(command: SimpleCommand) -> Iterator[str]:
    for assignment in command.assignments:
        if assignment.name not in HARMLESS_VARIABLES:
            yield assignment.source
    words = [word.source if word.text is None else word.text for word in command.words]
    if not words:
        return
    if command.words[0].text is None:
        raise NotUnderstood("the command's name comes from an expansion")
    words[0] = words[0].rpartition("/")[2] or words[0]
    yield " ".join(words)
    if words[0] in RUN_OTHERS:
        for first in range(1, len(words)):
            yield " ".join(words[first:])
