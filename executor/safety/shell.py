"""Which shell commands may run beside others, and when a failing one has only answered.

The rule: a command is concurrency-safe if every part of it is known to do nothing but read; all else is exclusive (R1,
R2). Nothing here raises for what a model can send.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from .commands import NotReadOnly, check_words, name_of, status_1_is_an_answer
from .commands.wrappers import check_variable
from .grammar import parse
from .script import Redirection, Script, SimpleCommand
from .words import NotUnderstood

Classify = Literal["command", "tool"]
_LONGEST_QUOTE: Final = 60
_LONGEST_REASON: Final = 200
"""Characters: a reason is one line."""
_NEVER_FAILS: Final = frozenset({"echo", "true", ":", "pwd", "printf"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a shell command may do.

    Args:
        concurrency_safe: whether it may run beside other safe calls.
        why: the part that decided and the reason, in plain words.
    """

    concurrency_safe: bool
    why: str


def classify_command(text: str) -> Verdict:
    """Judge a whole shell command (R1, R2).

    Args:
        text: the command, as the shell would get it.

    >>> classify_command("git log --oneline | head -5")
    Verdict(concurrency_safe=True, why='only reads: git, head')
    >>> print(classify_command("ls; git branch newb").why)
    `git branch newb` creates a branch; with --list it would list
    >>> print(classify_command("cat a.txt > b.txt").why)
    `> b.txt` writes to a file
    """
    try:
        script = parse(text)
        _check(script)
    except (NotUnderstood, NotReadOnly) as reason:
        return Verdict(False, _on_one_line(str(reason), _LONGEST_REASON))
    names = dict.fromkeys(name_of(command.words) for command in script.commands)
    return Verdict(True, f"only reads: {', '.join(names)}" if names else "runs nothing")


def is_answer(text: str, exit_status: int) -> bool:
    """Whether an exit status of a command is an answer, not an error: 1 from ``grep`` or ``test`` and their like (R5).

    Of a pipeline the last command decides; of commands joined by ``&&`` each that may have given the status must be one
    whose 1 is an answer.

    Args:
        text: the command.
        exit_status: what the shell returned; 0 is no error and so an answer.

    >>> is_answer("cat big.log | grep -i nothing", 1), is_answer("grep x missing", 2)
    (True, False)
    >>> is_answer("make && grep x log", 1)
    False
    """
    if exit_status != 1:
        return exit_status == 0
    try:
        deciding = parse(text).deciding
        suspects = [each for each in deciding if name_of(each.words) not in _NEVER_FAILS]
    except (NotUnderstood, NotReadOnly):
        return False
    return bool(suspects) and all(status_1_is_an_answer(command.words) for command in suspects)


def shell_safety(classify: Classify = "command") -> Callable[[Mapping[str, Any]], bool]:
    """Make the `concurrency_safe` of a shell tool, which reads its input's `command` (R3).

    Args:
        classify: "command" judges each command; "tool" takes every shell call as exclusive.

    Raises:
        ValueError: `classify` is neither.

    >>> safety = shell_safety()
    >>> safety({"command": "ls -la"}), safety({"command": "rm a.txt"}), safety({"cmd": "ls"})
    (True, False, False)
    >>> shell_safety("tool")({"command": "ls -la"})
    False
    """
    if classify not in ("command", "tool"):
        raise ValueError(f"classify: expected 'command' or 'tool', got {classify!r}")

    def safety(validated: Mapping[str, Any]) -> bool:
        command = validated.get("command")
        return classify == "command" and isinstance(command, str) and classify_command(command).concurrency_safe

    return safety


def _check(script: Script) -> None:
    for change in script.changes:
        raise NotReadOnly(str(change))
    for redirection in script.redirections:
        _check_redirection(redirection)
    for command in script.commands:
        try:
            _check_command(command)
        except NotReadOnly as reason:
            raise NotReadOnly(f"{_quote(command.source)} {reason}") from None


def _check_command(command: SimpleCommand) -> None:
    for assignment in command.assignments:
        check_variable(assignment.name)
    check_words(command.words)


def _check_redirection(redirection: Redirection) -> None:
    """Let reading through, and writing to a descriptor or to nowhere."""
    operator, target, quoted = redirection.operator, redirection.target, _quote(redirection.source)
    if target is None:
        return
    if operator == "<":
        if target.prefix.startswith(("/dev/tcp", "/dev/udp") if target.text is not None else "/dev/"):
            raise NotReadOnly(f"{quoted} may open a connection")
    elif operator in ("<&", ">&") and (target.text or "").isdigit():
        return
    elif target.text != "/dev/null":
        raise NotReadOnly(f"{quoted} writes to a file")


def _quote(source: str) -> str:
    return f"`{_on_one_line(source, _LONGEST_QUOTE)}`"


def _on_one_line(text: str, longest: int) -> str:
    line = text.replace("\n", "⏎")
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
