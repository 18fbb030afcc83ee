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
class Script:
    """What a command consists of.

    Args:
        commands: every simple command, substitutions and conditions included.
        redirections: every redirection to or from a file or descriptor.
        changes: what it does to the shell itself or leaves behind, each as a sentence.
        deciding: the simple commands whose exit status can be the whole command's; empty where that is not known.
    """

    commands: tuple[SimpleCommand, ...]
    redirections: tuple[Redirection, ...]
    changes: tuple[str, ...]
    deciding: tuple[SimpleCommand, ...]
