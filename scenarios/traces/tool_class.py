"""What can be said of a tool without its call: how it behaves beside others.

The rule: what is not said is the most careful: exclusive, blocking, harming nobody. No times here.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class ToolClass:
    """How a tool behaves beside others.

    ``safe``: may run beside other safe calls. ``cascades``: its error cancels its siblings (A2). ``interrupt``: what a
    submit does to it (A7). ``asks``: a person answers, so its duration is human time. ``command``: the field of its
    input that holds a shell command, which may decide the class of each call (R1).
    """

    safe: bool = False
    cascades: bool = False
    interrupt: Literal["cancel", "block"] = "block"
    asks: bool = False
    command: str | None = None


READS: Final = ToolClass(safe=True, interrupt="cancel")
"""Half a read or half a search harms nobody, so it may be cut off."""

SAFE: Final = ToolClass(safe=True)
EXCLUSIVE: Final = ToolClass()
ASKS: Final = ToolClass(asks=True)
