"""What an importer hands out: recorded turns and calls, and what was found damaged on the way.

The rule: a time that the file does not tell is ``None``, never a guess; a time that is only a bound is marked
``estimated`` (B120, B121). Unit: integer nanoseconds since the epoch of the file's own clock. Calls and turns are named
tuples because a long session has tens of thousands, and a frozen dataclass takes five times as long to make.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from executor.calls.outcome import Outcome
from executor.events import Event, has_contents
from executor.retelling import messages_of

from .choosing import Choice
from .fields import summary_of
from .profiles import Profile

StartBasis = Literal["recorded", "hook", "progress", "reported", "rule", "unknown"]
"""How a call's start was found, best first: the file's own record of it, a hook's line, the tool's first progress line
less the time it names, the duration the tool reports of itself, the schedule's rule; ``unknown`` if there is none."""

EventLog = tuple[Mapping[str, Any], tuple[Event, ...]]
"""The header and the rows of an event log, times in nanoseconds from the turn's start."""


class RecordedCall(NamedTuple):
    """One ``tool_use`` block of a recorded response, with what became of it.

    ``outcome`` is ``None`` where the file has no result for the call ("missing"). ``started_ns`` is the admission:
    hooks and the permission question are inside the duration. A call that never ran has no start. ``class_by`` is its
    class, or the profile that gives it.
    """

    id: str
    tool: str
    input: Mapping[str, Any] | None
    arrived_ns: int | None
    started_ns: int | None
    start_basis: StartBasis
    ended_ns: int | None
    outcome: Outcome | None
    class_by: bool | Profile
    line: int
    result_line: int | None
    result_count: int
    progress_ns: tuple[int, ...]
    permission_wait: bool
    split_by_compaction: bool
    estimated: bool

    @property
    def safe(self) -> bool:
        """Whether it may run beside others; reading a shell's command takes its time, so that is done when asked."""
        by = self.class_by
        return by if isinstance(by, bool) else by.is_safe(self.tool, self.input)

    @property
    def summary(self) -> str:
        """What it is about, in at most 40 characters: its command, path or pattern."""
        return summary_of(self.input)

    @property
    def duration_ns(self) -> int | None:
        """Nanoseconds from start to end, waits for hooks and permission included; ``None`` where either is unknown."""
        return None if self.started_ns is None or self.ended_ns is None else self.ended_ns - self.started_ns


@dataclass(frozen=True, slots=True)
class StrayResult:
    """A ``tool_result`` that answers nothing (P2), or answers what is answered already (P1)."""

    id: str
    line: int
    at_ns: int | None
    what: str


class RecordedTurn(NamedTuple):
    """One response that called tools: its calls in request order, and everything they did.

    ``number`` counts such responses from 1, in file order. ``emitted`` are the ids in the order of their first result
    lines. ``agent`` is ``None`` for the main conversation, else the sub-agent's id. ``segment`` counts the compactions
    before the response (B096). ``choice`` is the profile of what ran it. ``duplicates`` are further results of this
    turn's calls, ``unmatched`` results that stood between this turn's lines and belong to no call. ``arrival_bound``
    says that arrivals are only the latest possible ones, ``results_told`` that the source writes results at all: where
    it does not, none is missing. ``log`` is the turn's event log where the file is one and nothing of it was damaged:
    it tells all that can be told. ``unfinished`` says that the file ends with it, or its conversation does: what has no
    result may still have got one.
    """

    message_id: str
    number: int
    calls: tuple[RecordedCall, ...]
    first_ns: int | None
    last_block_ns: int | None
    version: str | None
    choice: Choice
    emitted: tuple[str, ...]
    interrupted_ns: int | None
    agent: str | None
    segment: int
    line: int
    duplicates: tuple[StrayResult, ...]
    unmatched: tuple[StrayResult, ...]
    arrival_bound: bool = False
    results_told: bool = True
    log: EventLog | None = None
    unfinished: bool = False

    def since_start_ns(self, at_ns: int | None) -> int:
        """Nanoseconds from the turn's first block to an instant; 0 for one that is unknown or before it."""
        return 0 if at_ns is None or self.first_ns is None else max(0, at_ns - self.first_ns)

    @property
    def messages(self) -> list[dict[str, Any]] | None:
        """The messages the model was given, byte for byte (B030); ``None`` where no log holds its contents.

        Raises:
            ValueError: what the log holds of a call or a result is none.
        """
        return messages_of(*self.log) if self.log is not None and has_contents(self.log[0]) else None

    @property
    def ended_ns(self) -> int | None:
        """The last instant the turn is known to have lived: its last result, block or interrupt."""
        known = [call.ended_ns for call in self.calls] + [self.last_block_ns, self.interrupted_ns]
        return max((at_ns for at_ns in known if at_ns is not None), default=None)

    @property
    def makespan_ns(self) -> int | None:
        """Nanoseconds from the first block to the last result; ``None`` where a time on the way is unknown."""
        ends = [call.ended_ns for call in self.calls]
        if self.first_ns is None or self.last_block_ns is None or None in ends:
            return None
        return max([end_ns for end_ns in ends if end_ns is not None] + [self.last_block_ns]) - self.first_ns


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing wrong with the file: the line, the byte offset of that line, and what was found and done."""

    line: int
    byte_offset: int
    what: str


class TraceError(ValueError):
    """The file as a whole cannot be read as a transcript; the message is one line fit for a user."""
