"""What ``interlock import`` prints with ``--json``."""

from typing import Literal

from typing_extensions import TypedDict

from .recordings import ChosenProfile
from .shape import answer

Known = Literal["told", "estimated", "unknown"]


@answer
class KnownFacts(TypedDict):
    """How what a scenario says of a call is known."""

    arrival: Known
    """When its block was complete."""
    start: Known
    """When it was admitted."""
    end: Known
    """When its result was there."""
    progress: Known
    """Its signs of life."""
    error: Known
    """Whether it failed, and in which way."""
    group: Known
    """Which calls belong to one response."""


@answer
class FittedTool(TypedDict):
    """What the durations of a tool's calls are drawn from."""

    how: str
    """The kind of distribution."""
    calls: int
    """How many recorded calls it rests on."""
    distance: float | None
    """The distance between it and the recorded calls; null where there is none."""
    by_chance: float | None
    """The distance up to which so many calls may well be log-normal; null where they are not taken for it."""


@answer
class ImportedTurn(TypedDict):
    """A recorded turn and the scenario made of it."""

    turn: int
    """Its number in the file, from 1."""
    line: int
    """The line on which it begins."""
    calls: int
    """How many calls it made."""
    file: str | None
    """The scenario; null where none was written."""
    why_not: str | None
    """Why none was; null where one was."""
    profile: ChosenProfile
    """The profile by which it was read."""
    engine: str
    """The engine that ran it."""
    starts: dict[str, int]
    """What the calls' starts are known from, and of how many."""
    estimated: int
    """How many calls have estimated times."""
    otherwise: list[str]
    """In what the scenario plays otherwise than was recorded."""


@answer
class Imported(TypedDict):
    """What ``interlock import --json`` prints."""

    file: str
    """The recorded session."""
    format: str
    """The kind of recording."""
    known: KnownFacts
    """How what it says of a call is known."""
    durations: dict[str, FittedTool]
    """With ``--durations``: what is drawn, by tool."""
    turns: list[ImportedTurn]
    """The turns that were asked for."""
