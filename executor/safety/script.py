"""What a shell command consists of, as far as its effects are concerned.

The rule: flat. Whether a part stands in a loop or a substitution changes nothing: the whole is as safe as its parts
(R1).
"""

from dataclasses import dataclass

from .words import Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment in front of a command."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A command's name and arguments as words, and the assignments in front of it."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Redirection:
    """An operator such as ``>`` or ``<&`` and its target; closing a descriptor has none."""

    operator: str
    target: Word | None
    source: str


@dataclass(frozen=True, slots=True)
class Change:
    """Something done to the shell itself, or left behind.

    Args:
        source: the text that does it.
        does: what it does, the predicate of a sentence.
        is_command: whether the text is a command as people write it, ``export`` for one, which the grammar sets apart.
    """

    source: str
    does: str
    is_command: bool

    def __str__(self) -> str:
        return f"`{self.source}` {self.does}"


@dataclass(frozen=True, slots=True)
class Script:
    """What a command consists of.

    Args:
        commands: every simple command, substitutions and conditions included.
        redirections: every redirection to or from a file or descriptor.
        changes: what it does to the shell itself or leaves behind.
        deciding: the simple commands whose exit status can be the whole command's; empty where that is not known.
    """

    commands: tuple[SimpleCommand, ...]
    redirections: tuple[Redirection, ...]
    changes: tuple[Change, ...]
    deciding: tuple[SimpleCommand, ...]
