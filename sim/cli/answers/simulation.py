"""What the commands that simulate print with ``--json``. Times in seconds."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from .recordings import ReplayedFile
from .shape import BrokenRule, answer


@answer
class Expected(TypedDict):
    """Whether a run did what its file expects."""

    met: bool
    """It did."""
    failures: list[str]
    """What it did not, a line each."""


@answer
class LogDifference(TypedDict):
    """Where two logs of one run part."""

    twin: str
    """Which run is the other one."""
    at: int
    """The first line that differs; 0 is the header."""
    here: list[str]
    """That line and its neighbours."""
    there: list[str]
    """The same of the other run."""


@answer
class PlayedRun(TypedDict):
    """A scenario that was played and judged."""

    scenario: str
    """Its name."""
    engine: str
    """What ran the calls."""
    seed: int
    """What chose the durations left open."""
    digest: str
    """SHA-256 of the event log."""
    makespan_s: float | None
    """From the turn's start to its end; null if it never ended."""
    results: list[tuple[str, str]]
    """Each result in the order of emission: the call's id and its outcome."""
    started: list[str]
    """The calls whose bodies ran, in order."""
    violations: list[BrokenRule]
    """The rules it breaks."""
    expect: Expected
    """What the file expects of it."""
    deterministic: NotRequired[bool]
    """With ``--check-determinism``: every further run gave the same log."""
    differences: NotRequired[list[LogDifference]]
    """With ``--check-determinism``: where the logs part."""


@answer
class Played(TypedDict):
    """What ``interlock run --json`` prints."""

    runs: list[PlayedRun]
    """The scenarios that could be read, as they were named."""


@answer
class Shown(TypedDict):
    """What ``interlock demo --json`` prints."""

    runs: list[PlayedRun]
    """One turn under each engine."""
    files: list[ReplayedFile]
    """The recorded sessions that come with the project."""


@answer
class ShelfRun(TypedDict):
    """A scenario of the library under one engine."""

    path: str
    """The scenario."""
    engine: str
    """What ran the calls."""
    digest: str
    """SHA-256 of the event log."""
    wrong: list[str]
    """What is wrong with the run, a line each."""


@answer
class PlayedLibrary(TypedDict):
    """What ``interlock run --library --json`` prints."""

    runs: list[ShelfRun]
    """Every scenario that comes with the project, under every engine that it is about."""


@answer
class FoundFailure(TypedDict):
    """One kind of failure."""

    kind: str
    """The rule that is broken, or the error's name."""
    times: int
    """How many runs showed it."""
    plan: str
    """The smallest plan found that shows it, as words for ``interlock run``."""
    told: str
    """All there is to say about it."""


@answer
class Explored(TypedDict):
    """What ``interlock explore --json`` prints."""

    scenario: str
    """Its name."""
    engine: str
    """What ran the calls."""
    scheduler: str
    """How schedules were chosen."""
    seed: int
    """The first seed."""
    tried: int
    """How many schedules were run."""
    failing: int
    """How many of them broke something."""
    complete: bool
    """Every schedule within the bounds was run."""
    interrupted: bool
    """Ctrl-C ended it."""
    summary: str
    """What the schedules prove."""
    confidence: str
    """What that many runs say of the failure rate."""
    outcomes: dict[str, int]
    """How often each outcome came."""
    violations: list[FoundFailure]
    """The kinds of failure."""


@answer
class KeptScenario(TypedDict):
    """A scenario in the corpus."""

    file: str
    """Where it is."""
    broken: list[str]
    """The rules it breaks."""


@answer
class Fuzzed(TypedDict):
    """What ``interlock fuzz --json`` prints."""

    first_seed: int
    """The first seed of this campaign."""
    next_seed: int
    """Where the next one goes on."""
    interrupted: bool
    """Ctrl-C ended it."""
    turns: int
    """How many random turns were played."""
    failing: int
    """How many of them broke something."""
    runs: int
    """How many runs that took."""
    confidence: str
    """What that many turns say of the failure rate."""
    situations: dict[str, int]
    """How often each situation was reached."""
    simulated_s: float
    """Virtual seconds."""
    spent_s: float
    """Seconds it took."""
    kept: list[KeptScenario]
    """What failed, made small."""
    replayed: list[KeptScenario]
    """What was in the corpus, played again first."""


@answer
class MarkedRule(TypedDict):
    """How an executor does by a rule."""

    mark: Literal["holds", "broken", "not observable"]
    """The verdict."""
    scenarios: NotRequired[int]
    """In how many scenarios it is broken."""
    violation: NotRequired[BrokenRule]
    """The simplest counterexample's."""
    why: NotRequired[str]
    """Why it cannot be seen."""


@answer
class Examined(TypedDict):
    """What ``interlock conform --json`` prints."""

    engine: str
    """The executor."""
    played: int
    """How many scenarios it was given."""
    rules: dict[str, MarkedRule]
    """By the rule's number."""
