"""What one turn came to, call by call, wherever its log came from: the nouns that metrics, frames and drawings share.

The rule: what is not known is ``None``, never a number. Times are integer nanoseconds from the turn's start.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from sim.oracle import Violation

Why = Literal["response", "exclusive", "limit", "predecessor", "hook", "permission", "rewrite", "abort"]
"""What a call waits for: the rest of the response; a call that may not run beside it, or that it may not run beside; a
free slot; a call of the attempt before (A8); hooks before its body; an answer; earlier calls, after a rewrite made it
exclusive (H8). ``abort``: it never started, for an abort came first."""


TIMELESS: Final = "calls without any known time"
UNKNOWN_END: Final = "calls whose end is not known"
"""What the calls are called whose body was entered and has no known end."""


class Wait(NamedTuple):
    """One wait of a call before its body; ``call`` is the id of the call whose end ended it, where one did."""

    why: Why
    call: str | None
    since_ns: int
    until_ns: int


class Hook(NamedTuple):
    """One hook that spoke before or after a body; ``ended_ns`` is ``None`` where it did not end."""

    name: str
    started_ns: int
    ended_ns: int | None


@dataclass(slots=True)
class CallCourse:
    """The instants of one call's life (X7), and what it waited for.

    Args:
        call: its id, which a later attempt may use again.
        tool: the tool's name, ``?`` where no block tells it.
        concurrency_safe: its class, as it was in the end (H8); ``None`` where it is not told.
        hardened: whether a rewrite made it exclusive (H8).
        runnable: whether its tool is known and its input valid.
        attempt: which attempt at the response asked for it.
        arrived_ns: its block was complete.
        queued_ns: it was handed to the engine.
        admitted_ns: it got its slot (E3).
        started_ns: its body was entered.
        ended_ns: its body was left.
        settled_ns: it had its final outcome.
        emitted_ns: the consumer took its result.
        background_until_ns: the work that went on after its result was over (X8).
        detached: whether others may run beside that work.
        question_asked_ns: somebody was asked whether it may run.
        question_answered_ns: that question was closed.
        signalled_ns: its abort signal fired.
        progress_ns: when its body reported progress.
        hooks: the hooks around its body.
        waits: what kept it from starting, in order.
        outcome: how it ended; ``None`` where there is no result.
        started: whether its body ran at all.
        abandoned: whether it was given up while its body still ran (A9).
        taken_back: its attempt was given up: ``withdrawn`` if its result had been handed over, else ``discarded``.
        untaken: whether its result was only in the closing report (E10).
        start_basis: how its start is known, ``recorded`` or as :data:`scenarios.traces.model.StartBasis` says.
        estimated: whether one of its times is only a bound (B121).
        lane: in which lane it can be drawn so that nothing in a lane overlaps (B122).
    """

    call: str
    tool: str = "?"
    concurrency_safe: bool | None = None
    hardened: bool = False
    runnable: bool = True
    attempt: int = 0
    arrived_ns: int | None = None
    queued_ns: int | None = None
    admitted_ns: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    settled_ns: int | None = None
    emitted_ns: int | None = None
    background_until_ns: int | None = None
    detached: bool = False
    question_asked_ns: int | None = None
    question_answered_ns: int | None = None
    signalled_ns: int | None = None
    progress_ns: list[int] = field(default_factory=list)
    hooks: tuple[Hook, ...] = ()
    waits: tuple[Wait, ...] = ()
    outcome: str | None = None
    started: bool = False
    abandoned: bool = False
    taken_back: Literal["withdrawn", "discarded"] | None = None
    untaken: bool = False
    start_basis: str = "recorded"
    estimated: bool = False
    lane: int = 0

    @property
    def ran_ns(self) -> int | None:
        """How long the body ran; ``None`` where it did not, or where either end is not known."""
        return None if self.started_ns is None or self.ended_ns is None else self.ended_ns - self.started_ns

    @property
    def last_wait(self) -> Wait | None:
        """The wait that let it start in the end; of several the one for admission: hooks and questions are its own."""
        for_admission = [wait for wait in self.waits if wait.why not in ("hook", "permission", "rewrite")]
        return next(reversed(for_admission or self.waits), None)

    @property
    def blocked_by(self) -> str | None:
        """The id of the call whose end let this one start, else what did; ``None`` for a call that did not wait."""
        wait = self.last_wait
        return None if wait is None else wait.call or wait.why

    @property
    def blocked_why(self) -> Why | None:
        """How that held it up."""
        wait = self.last_wait
        return None if wait is None else wait.why

    @property
    def life_ns(self) -> tuple[int, int] | None:
        """The first and the last instant known of the call; ``None`` where none is."""
        last = (self.started_ns, self.ended_ns, self.settled_ns, self.emitted_ns, self.background_until_ns)
        known = [at_ns for at_ns in (self.arrived_ns, *last) if at_ns is not None]
        return (min(known), max(known)) if known else None


@dataclass(frozen=True, slots=True)
class Response:
    """One attempt at the response: when its stream began and was over, and whether it failed."""

    attempt: int
    started_ns: int | None
    ended_ns: int | None
    failed: bool = False


@dataclass(frozen=True)
class TurnCourse:
    """One turn: its calls in order of arrival, its responses, what the user did, how it ended.

    Args:
        header: the log's.
        calls: see :class:`CallCourse`.
        responses: the attempts in order.
        stops: when the user acted, and how: ``stop`` or ``submit``.
        ended: how the turn ended, ``not ended`` where the log does not say.
        turn_ended_ns: when.
        halted: why the simulator gave up; empty where it did not.
        violations: the rules that were broken, as far as the log can be judged.
    """

    header: Mapping[str, Any]
    calls: tuple[CallCourse, ...]
    responses: tuple[Response, ...]
    stops: tuple[tuple[int, str], ...] = ()
    ended: str = "not ended"
    turn_ended_ns: int | None = None
    halted: str = ""
    violations: tuple[Violation, ...] = ()

    @property
    def response_started_ns(self) -> int | None:
        """When the first response began."""
        return self.responses[0].started_ns if self.responses else None

    @property
    def response_ended_ns(self) -> int | None:
        """When the last response was over."""
        return self.responses[-1].ended_ns if self.responses else None

    @property
    def untold(self) -> Counter[str]:
        """What is not known of the calls, in words, and of how many."""
        return Counter(
            {
                TIMELESS: sum(call.life_ns is None for call in self.calls),
                UNKNOWN_END: sum(call.started and call.ended_ns is None for call in self.calls),
            }
        )

    def as_estimate(self) -> "TurnCourse":
        """Give the same course with its calls' times marked as estimates: a replay is no surer than its recording."""
        return replace(self, calls=tuple(replace(call, estimated=True) for call in self.calls))

    @cached_property
    def span_ns(self) -> int:
        """The last instant known of the turn."""
        known = [self.turn_ended_ns, *(response.ended_ns for response in self.responses)]
        known += [life[1] for call in self.calls if (life := call.life_ns) is not None]
        known += [at_ns for at_ns, _ in self.stops]
        return max((at_ns for at_ns in known if at_ns is not None), default=0)
