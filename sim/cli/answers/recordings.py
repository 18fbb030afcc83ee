"""What the commands about recorded sessions print with ``--json``. Times in seconds."""

from typing import Any, Literal

from typing_extensions import TypedDict

from .shape import BrokenRule, Damage, answer


@answer
class Makespans(TypedDict):
    """From a turn's start to its end, in seconds; null where unknown."""

    recorded: float | None
    """As it was recorded."""
    streaming: float | None
    """As the streaming engine would have had it."""
    batch: float | None
    """As the batch engine would have had it."""
    serial: float | None
    """With one call at a time."""


@answer
class ChosenProfile(TypedDict):
    """How the program ran its calls."""

    name: str | None
    """One that ``interlock profiles`` lists; null where nothing tells."""
    why: str
    """What it was chosen by."""
    sure: bool
    """Whether that is certain."""


@answer
class ReplayedTurn(TypedDict):
    """A recorded turn, and what every engine would have made of it."""

    turn: int
    """Its number in the file, from 1."""
    line: int
    """The line on which it begins."""
    agent: str | None
    """The sub-agent whose turn it is; null in the main conversation."""
    profile: ChosenProfile
    """The profile by which it was replayed."""
    calls: int
    """How many calls it made."""
    makespan_s: Makespans
    """How long it took, and would have taken."""
    unknown: str | None
    """Why it could not be simulated; null if it was."""
    refutes_its_classes: bool
    """It was faster than its own engine could be, so that the classes assumed are wrong."""
    unanswered: list[str]
    """Calls without a result because the file ends before it."""
    violations: list[BrokenRule]
    """What the recording breaks."""
    simulated_violations: list[BrokenRule]
    """What a simulated run of it breaks: a defect of ours."""


@answer
class ReplayedFile(TypedDict):
    """A recorded session."""

    file: str
    """As it was named."""
    format: str
    """The kind of recording; ``interlock formats`` lists them."""
    damage: list[Damage]
    """What is wrong with the file."""
    turns: list[ReplayedTurn]
    """Its turns, in order."""
    violations: list[BrokenRule]
    """Results that belong to no turn."""


@answer
class Replayed(TypedDict):
    """What ``interlock replay --json`` prints."""

    files: list[ReplayedFile]
    """The files that could be read, as they were named."""


@answer
class CheckedFile(TypedDict):
    """What is to be said of a file by the rules."""

    file: str
    """As it was named."""
    format: str
    """``messages``, ``event_log``, or the kind of recording."""
    turns: int
    """How many turns it holds."""
    violations: list[BrokenRule]
    """The rules it breaks."""
    unanswered: list[str]
    """Calls without a result because the file ends before it."""
    damage: list[Damage]
    """What is wrong with the file."""


@answer
class Checked(TypedDict):
    """What ``interlock check --json`` prints."""

    files: list[CheckedFile]
    """The files that could be read, as they were named."""


@answer
class Deed(TypedDict):
    """A change that a repair made."""

    line: int
    """The line of the history as it was."""
    what: str
    """What was done."""
    taken: Any
    """What was taken out; null where nothing was."""


@answer
class Repaired(TypedDict):
    """What ``interlock repair --json`` prints."""

    file: str
    """The history."""
    out: str
    """The valid one."""
    deeds: list[Deed]
    """All that was done, by line."""
    damage: list[Damage]
    """What is wrong with the file."""


@answer
class Fact(TypedDict):
    """How a fact is known."""

    how: Literal["told", "estimated", "unknown"]
    """The file says so, it is derived, or it stays open."""
    by: str
    """What it is read from."""


@answer
class Facts(TypedDict):
    """What a kind of recording tells of each call."""

    arrival: Fact
    """When its block was complete."""
    start: Fact
    """When it was admitted."""
    end: Fact
    """When its result was there."""
    progress: Fact
    """Its signs of life."""
    error: Fact
    """Whether it failed, and in which way."""
    group: Fact
    """Which calls belong to one response."""


@answer
class KnownFormat(TypedDict):
    """A kind of recording."""

    title: str
    """What people call it."""
    facts: Facts
    """What it tells."""


@answer
class KnownProfile(TypedDict):
    """How a program ran its calls."""

    program: str
    """The program."""
    versions: str
    """Which of its versions."""
    engine: str
    """The engine that ran them."""
    emission: str
    """The order of its results."""
    cascade: str
    """Which errors cancelled siblings."""
    culprits: str | tuple[str, ...]
    """Whose errors did."""
    max_concurrency: int | None
    """How many ran at once at most; null for any number."""
    together: str
    """What ran side by side."""
    sources: dict[str, str]
    """What each of these rests on."""
