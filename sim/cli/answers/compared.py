"""What ``interlock compare`` prints with ``--json``. Times in seconds."""

from typing_extensions import TypedDict

from .shape import answer


@answer
class Mean(TypedDict):
    """A mean over turns, and the bounds of its 95 % interval."""

    low: float
    """The lower bound."""
    mean: float
    """The mean."""
    high: float
    """The upper bound."""


@answer
class ComparedTotal(TypedDict):
    """All compared turns under one policy and engine."""

    policy: str
    """The options, in words; ``as given`` where the turns' own were kept."""
    engine: str
    """What ran the calls."""
    turns: int
    """How many turns were compared."""
    makespan_s: float
    """Their times added up."""
    lower_bound_s: float
    """What no engine beats that keeps calls in order and exclusive ones alone."""
    saving_s: float
    """How much less that is than under the batch engine with the turns' own options."""
    saving_per_turn_s: Mean | None
    """The same for one turn."""
    faster: int
    """How many turns are faster."""
    slower: int
    """How many are slower."""
    broken: dict[str, int]
    """The rules that runs break, and in how many turns."""


@answer
class PathStep(TypedDict):
    """One step of what a turn's time is made of."""

    call: str | None
    """The call; null where it is no call's time."""
    tool: str | None
    """Its tool."""
    doing: str
    """``streams``, ``runs``, ``hook``, ``permission``, ``background``, ``held``, ``user`` or ``pause``."""
    since_s: float
    """From when."""
    until_s: float
    """Until when."""


@answer
class ComparedTurn(TypedDict):
    """One turn under one policy and engine."""

    source: str
    """The file, or the scenario's name."""
    turn: int
    """The turn's number in it, from 1."""
    line: int | None
    """The line on which a recorded turn begins."""
    policy: str
    """The options, in words."""
    engine: str
    """What ran the calls."""
    estimated: bool
    """Whether its times rest on those of a recording."""
    broken: list[str]
    """The rules that the run breaks."""
    makespan_s: float | None
    """From its start to its end."""
    recorded_s: float | None
    """As it was recorded."""
    lower_bound_s: float | None
    """What no engine beats that keeps calls in order and exclusive ones alone."""
    model_s: float | None
    """The response streamed and nothing ran."""
    overlap_s: float | None
    """It streamed and calls ran."""
    tools_s: float | None
    """Calls ran and nothing streamed."""
    waiting_s: float | None
    """Neither: hooks, questions, a consumer that is busy."""
    critical: list[PathStep]
    """What its time is made of, in order, without a gap."""


@answer
class Compared(TypedDict):
    """What ``interlock compare --json`` prints."""

    files: int
    """How many files were read."""
    turns: int
    """How many turns were compared."""
    interrupted: bool
    """Whether Ctrl-C ended it early."""
    left_out: dict[str, int]
    """Why other turns were not compared, and how many."""
    damaged: dict[str, int]
    """The files with damage in them, and how much."""
    unreadable: dict[str, str]
    """The files that could not be read, and why."""
    totals: list[ComparedTotal]
    """The sums by policy and engine."""
    rows: list[ComparedTurn]
    """Every turn, by policy and engine."""
