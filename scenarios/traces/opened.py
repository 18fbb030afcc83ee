"""Turns and calls while their lines are still being read, and the conversations they belong to.

The rule: a result pairs by its call's id within its own conversation, the main one or one sub-agent's, never across
(B097); what pairs with nothing is kept as a stray. Times in nanoseconds, places as (line, byte offset).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from executor.calls.outcome import Outcome

from .choosing import Choice
from .model import EventLog, StrayResult
from .tool_class import ToolClass


@dataclass(frozen=True, slots=True)
class Habits:
    """What holds for all responses of one source.

    Args:
        program: who ran them, by the name that its profiles have; ``None`` where that has none.
        ruled: whether a start may be read from the schedule's rule.
        arrival_bound: whether a call is written when its whole response was there, so that it arrived then at the
            latest.
        own_ids: whether its ids are unlike those of any other file, so that a call seen before is a copy (B094).
        results_told: whether the source writes results at all; where it does not, none is missing.
    """

    program: str | None = None
    ruled: bool = False
    arrival_bound: bool = False
    own_ids: bool = False
    results_told: bool = True


TRANSCRIPT: Final = Habits(program="Claude Code", ruled=True, own_ids=True)
"""Session transcripts: each block and each result has a line of its own, written when it was there."""


@dataclass(slots=True)
class OpenCall:
    """A call whose result may still come; ``copy`` marks one that an earlier file had already (B094).

    ``started_ns`` is a start that the file itself tells; ``end_bound`` marks an end that is only the latest possible
    (B121); ``asked`` marks one whose time holds a question to a person; ``class_told`` says that its class is the
    file's own word.
    """

    id: str
    tool: str
    tool_class: ToolClass
    input: Mapping[str, Any] | None
    place: tuple[int, int]
    arrived_ns: int | None
    copy: bool = False
    result_place: tuple[int, int] | None = None
    result_count: int = 0
    ended_ns: int | None = None
    outcome: Outcome | None = None
    end_bound: bool = False
    split: bool = False
    asked: bool = False
    class_told: bool = False
    started_ns: int | None = None
    hook_ns: int | None = None
    first_progress_ns: int | None = None
    reported_ns: int | None = None
    progress_ns: list[int] = field(default_factory=list)


@dataclass(slots=True)
class OpenTurn:
    """A response to which more lines may still belong.

    ``choice`` is how its calls were run where the file tells it; ``copied`` says that it has calls that are copies.
    """

    key: str
    place: tuple[int, int]
    agent: str | None
    segment: int
    habits: Habits = TRANSCRIPT
    choice: Choice | None = None
    version: str | None = None
    first_ns: int | None = None
    last_block_ns: int | None = None
    interleaved: bool = False
    calls: dict[str, OpenCall] = field(default_factory=dict)
    emitted: list[str] = field(default_factory=list)
    duplicates: list[StrayResult] = field(default_factory=list)
    unmatched: list[StrayResult] = field(default_factory=list)
    interrupted_ns: int | None = None
    stamp_shared: bool = False
    later_responses: int = 0
    closed: bool = False
    log: EventLog | None = None
    unfinished: bool = False
    copied: bool = False

    @property
    def answered(self) -> bool:
        """Whether every call has a result."""
        return len(self.emitted) == len(self.calls)

    def arrived(self, at_ns: int | None) -> None:
        """Take note of one more line of the response; a result before it makes the turn interleaved."""
        self.interleaved = self.interleaved or bool(self.emitted)
        if at_ns is not None:
            self.first_ns = at_ns if self.first_ns is None else self.first_ns
            self.last_block_ns = at_ns if self.last_block_ns is None else max(at_ns, self.last_block_ns)


@dataclass(slots=True)
class Conversation:
    """The main conversation (``agent`` None) or one sub-agent's, with its open turns.

    ``last_ns`` and ``last_turn`` belong to its last message line; ``silent`` counts the main conversation's responses
    since then.
    """

    agent: str | None
    turns: dict[str, OpenTurn] = field(default_factory=dict)
    calls: dict[str, tuple[OpenTurn, OpenCall]] = field(default_factory=dict)
    current: OpenTurn | None = None
    last_ns: int | None = None
    last_turn: OpenTurn | None = None
    silent: int = 0
    strays: list[StrayResult] = field(default_factory=list)

    def begin(self, turn: OpenTurn) -> None:
        """Enter a new response, and close the ones before it that nothing more can belong to.

        The next request is only sent when every call has a result, so an answered turn closes with the next response;
        an unanswered one (its results may be missing for ever) is given one response more.
        """
        for earlier in list(self.turns.values()):
            earlier.later_responses += 1
            if earlier.answered or earlier.later_responses > 1:
                self.close(earlier)
        if self.last_ns is not None and self.last_ns == turn.first_ns:
            # A model cannot answer within the millisecond: both stamps were made when the file was written.
            turn.stamp_shared = True
            if self.last_turn is not None:
                self.last_turn.stamp_shared = True
        turn.unmatched += self.strays
        self.strays.clear()
        self.turns[turn.key] = self.current = turn

    def close(self, turn: OpenTurn) -> None:
        """Give a turn up: what comes for it from now on is a stray."""
        turn.closed = True
        del self.turns[turn.key]
        for call_id in turn.calls:
            self.calls.pop(call_id, None)

    def end(self) -> None:
        """Close all that is open: the conversation is over."""
        for turn in list(self.turns.values()):
            self.close(turn)

    def break_off(self) -> None:
        """Close all that is open: the file is over, in the midst of the last response unless that was answered."""
        if self.current is not None and not self.current.closed:
            self.current.unfinished = True
        self.end()

    def saw(self, at_ns: int | None, turn: OpenTurn | None) -> None:
        """Remember the last message line."""
        self.last_ns, self.last_turn, self.silent = at_ns, turn, 0
