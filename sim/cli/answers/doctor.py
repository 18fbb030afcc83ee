"""What ``interlock doctor`` prints with ``--json``."""

from typing_extensions import TypedDict

from .shape import answer


@answer
class NeededPackage(TypedDict):
    """A package, or a program, that something needs."""

    name: str
    """What it is called."""
    needed: str
    """Which versions will do; empty for any."""
    installed: str | None
    """The version that is here, of a program its place; null where there is none."""
    fits: bool
    """What is here will do."""


@answer
class Part(TypedDict):
    """Something that can be done with the project."""

    purpose: str
    """What it is."""
    extra: str | None
    """The extra of the installation that brings what it needs; null for the installation alone."""
    ready: bool
    """All that it needs is here."""
    packages: list[NeededPackage]
    """What it needs."""
    install: str
    """The command that installs it."""


@answer
class Terminal(TypedDict):
    """Where output goes."""

    is_terminal: bool
    """Standard output is a terminal."""
    columns: int
    """How wide drawings are."""
    colours: bool
    """Colours are shown."""
    unicode: bool
    """Drawings use characters beyond ASCII."""


@answer
class Health(TypedDict):
    """What ``interlock doctor --json`` prints."""

    interlock: str
    """The version of the project."""
    python: str
    """The version of Python."""
    platform: str
    """The operating system and the machine."""
    parts: list[Part]
    """What can be done, and what it needs."""
    grammar: str | None
    """What is wrong with the grammar of shell commands; null if it parses."""
    terminal: Terminal
    """What standard output can show."""
