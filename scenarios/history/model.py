"""Histories as they were read from a file: their messages, and the line on which each block stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from ..traces.model import Damage
from .blocks import Message, Place, content_of
from .faults import Fault
from .lint import lint, open_calls

Form = Literal["messages", "bodies", "message_lines", "session"]
"""How a file holds histories: a list of messages, or one; request bodies; messages line by line; a session."""


@dataclass(frozen=True, slots=True)
class History:
    """One conversation of a file.

    ``lines`` has, for each message and each block in it, the line of the file. ``starts`` are the numbers of messages
    before which it was compacted. ``growing`` says that results come one by one, so that the last may be missing yet.
    ``rest`` is what stands beside the messages: the other members of a request body, or whose conversation it is.
    """

    messages: Sequence[Message]
    lines: Sequence[Sequence[int]]
    starts: tuple[int, ...] = ()
    growing: bool = False
    rest: dict[str, Any] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        """The number of messages that call tools."""
        return sum(any(part.get("type") == "tool_use" for part in content_of(one)) for one in self.messages)

    def line(self, place: Place) -> int:
        """Give the line on which a block stands."""
        return self.lines[place.message][place.block]

    def segments(self) -> "list[History]":
        """Part the history where it was compacted, for only what follows is sent from there on (B096)."""
        borders = [0, *self.starts, len(self.messages)]
        told = [{**self.rest, "segment": n} if self.starts else self.rest for n in range(len(borders) - 1)]
        return [
            History(self.messages[start:end], self.lines[start:end], (), self.growing, rest)
            for rest, (start, end) in zip(told, pairwise(borders), strict=True)
        ]

    def faults(self) -> list[Fault]:
        """Judge the history (P1, P2, P3, W7)."""
        return lint(self.messages, starts=self.starts, growing=self.growing)

    def open_calls(self) -> list[str]:
        """Name the calls that it ends with before their results."""
        return open_calls(self.messages, starts=self.starts, growing=self.growing)


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """What one file holds, in which form, what was damaged in it, and which program's format it has."""

    form: Form
    histories: list[History]
    damage: list[Damage]
    source: str = "messages"
