"""What the commands for writers of scenarios print with ``--json``."""

from typing_extensions import TypedDict

from .shape import answer


@answer
class ShellVerdict(TypedDict):
    """What ``interlock shell --json`` prints."""

    concurrency_safe: bool
    """The command may run beside others."""
    why: str
    """The part that decided, and the reason."""


@answer
class FormattedFile(TypedDict):
    """A scenario file and its form."""

    file: str
    """As it was named."""
    changed: bool
    """It was not in its form; it is now, but for ``--check``."""


@answer
class Drawn(TypedDict):
    """What ``interlock plot --json`` prints."""

    file: str
    """The picture, as it was named."""
    kind: str
    """What was drawn."""
    notes: list[str]
    """What the picture says under itself: what it leaves out, how it is to be read."""
    left_out: list[str]
    """What could not be drawn at all."""


@answer
class Exported(TypedDict):
    """What ``interlock export --json`` prints."""

    file: str
    """What was written, as it was named."""
    form: str
    """As what."""
    left_out: list[str]
    """What could not be written."""


@answer
class Formatted(TypedDict):
    """What ``interlock fmt --json`` prints."""

    files: list[FormattedFile]
    """The files that could be read, as they were named."""
