"""How true a replay is to its recording: a recorded turn beside a run of ours under the profile of what wrote it.

The rule: what is compared is not put in. The run is given arrivals, ends, outcomes of the tools' own, and the user's
stop, with starts by the schedule's rule; hooks' lines, which witness starts, are kept from it, and the witnesses know
of no rule. What it gives is when calls start, which are cancelled, and the order of results. Nanoseconds from the
turn's first block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from executor.calls.outcome import Outcome
from executor.events import Kind
from scenarios.traces import Profile, RecordedCall, RecordedTurn, TraceReader, obstacle, read_trace, to_scenario
from scenarios.traces.claude import CLAUDE_TRANSCRIPT
from scenarios.traces.lines import Record
from scenarios.traces.messages import Sorter
from scenarios.traces.opened import TRANSCRIPT
from sim.oracle import Violation
from sim.world import Run, simulate

from .courses import courses
from .metrics import peak

SHELLS: Final = ("Bash", "bash", "exec_command")
EXACT: Final = ("hook", "recorded")
"""What saw a start itself."""

_SHARP: Final = (*EXACT, "progress")
"""What tells a start so well, to 0.1 s at least, that an overlap shows; what tools report of themselves does not."""


class Start(NamedTuple):
    """When a call started by the run, and by a witness that the run was not given."""

    call: RecordedCall
    predicted_ns: int
    witnessed_ns: int

    @property
    def is_exact(self) -> bool:
        """Whether the witness saw the start itself; others count it back from a later sign, 0.1 s off and more."""
        return self.call.start_basis in EXACT

    @property
    def error_ns(self) -> int:
        """How much later it was than predicted."""
        return self.witnessed_ns - self.predicted_ns


class Neighbours(NamedTuple):
    """Two shell commands in a row, the second of which was there before the first had ended.

    ``predicted`` and ``recorded`` say whether they ran side by side; ``recorded`` is ``None`` where nothing tells.
    """

    first: RecordedCall
    second: RecordedCall
    predicted: bool
    recorded: bool | None
    witness: str


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A response beside its run.

    Args:
        turn: as it was recorded.
        emitted: the ids in the order of the run's results.
        cancelled: the ids that the run cancelled because of a sibling's error.
        starts: of the calls with a witness.
        neighbours: of its shell commands.
        lengths_ns: how long the run was told that calls take, with their tool: those that ended well and asked nobody.
        peak: how many bodies the run had side by side at most.
        violations: the rules that the run breaks: a defect of ours, not of the recording.
        why_not: why it could not be played, ``None`` if it was.
    """

    turn: RecordedTurn
    emitted: tuple[str, ...] = ()
    cancelled: frozenset[str] = frozenset()
    starts: tuple[Start, ...] = ()
    neighbours: tuple[Neighbours, ...] = ()
    lengths_ns: tuple[tuple[str, int], ...] = ()
    peak: int = 0
    violations: tuple[Violation, ...] = ()
    why_not: str | None = None

    @property
    def recorded_cancelled(self) -> frozenset[str]:
        """The ids that were cancelled because of a sibling's error."""
        return frozenset(call.id for call in self.turn.calls if call.outcome is Outcome.SIBLING_ERROR)

    @property
    def inversions(self) -> list[tuple[RecordedCall, RecordedCall]]:
        """Each two calls whose results came in one order and come in the other."""
        place = {call: n for n, call in enumerate(self.emitted)}
        calls = {call.id: call for call in self.turn.calls}
        pairs = combinations([call for call in self.turn.emitted if call in place], 2)
        return [(calls[first], calls[second]) for first, second in pairs if place[first] > place[second]]

    @property
    def order(self) -> Literal["same", "tied", "other"]:
        """Whether results come in the recorded order; ``tied`` if only calls that ended in one millisecond do not."""
        if self.emitted == self.turn.emitted:
            return "same"
        one_stamp = all(first.ended_ns == second.ended_ns for first, second in self.inversions)
        return "tied" if one_stamp and set(self.emitted) == set(self.turn.emitted) else "other"


def fidelities(path: Path) -> Iterator[Fidelity]:
    """Play each response of a recording that has several calls, or one whose start is told.

    Args:
        path: the recording.

    Raises:
        TraceError: the file is no recording.
    """
    for turn, witness in witnessed(path):
        if is_telling(witness):
            yield fidelity(turn, witness)


def is_telling(witness: RecordedTurn) -> bool:
    """Whether a response is worth a run: it has several calls, or the start of its only one was seen."""
    return len(witness.calls) > 1 or witness.calls[0].start_basis in EXACT


def witnessed(path: Path) -> Iterator[tuple[RecordedTurn, RecordedTurn]]:
    """Give each response of a recording twice: what a run is made of, and with all that the file tells.

    Args:
        path: the recording.

    Raises:
        TraceError: the file is no recording.
    """
    reader = read_trace(path)
    if reader.format != CLAUDE_TRANSCRIPT.name:
        yield from ((turn, turn) for turn in reader)
    else:
        # As if its program had no rule: a start is then what something in the file tells of it, or unknown.
        yield from zip(without_hooks(path), _read_by(_WithoutRule, path, None), strict=True)


def without_hooks(path: Path, profile: Profile | None = None) -> TraceReader:
    """Open a recording as if no hook had written a line in it.

    Args:
        path: the recording.
        profile: how the calls were run, where that is not to be told by the file.

    Raises:
        TraceError: the file is no recording.
    """
    return _read_by(_WithoutHooks, path, profile)


def _read_by(collector: type[Sorter], path: Path, profile: Profile | None) -> TraceReader:
    """Open a transcript by a collector of its kind; other recordings, which tell starts themselves, as ever."""
    reader = read_trace(path, profile=profile)
    if reader.format != CLAUDE_TRANSCRIPT.name:
        return reader
    return TraceReader(path, replace(CLAUDE_TRANSCRIPT, collector=collector), profile=profile)


def fidelity(turn: RecordedTurn, witness: RecordedTurn) -> Fidelity:
    """Play a recorded turn under its profile, and set it beside what was recorded.

    Args:
        turn: what the run is made of.
        witness: the same turn with all that the file tells.
    """
    scenario = to_scenario(turn)
    if scenario is None:
        return Fidelity(witness, why_not=obstacle(turn))
    run = simulate(scenario, turn.choice.assumed.engine)
    entered, left = _instants(run, Kind.ENTERED), _instants(run, Kind.LEFT)
    course = courses(run)
    return Fidelity(
        turn=witness,
        emitted=tuple(result.call_id for result in run.results),
        cancelled=frozenset(result.call_id for result in run.results if result.outcome is Outcome.SIBLING_ERROR),
        starts=tuple(_starts(witness, entered)),
        neighbours=tuple(_neighbours(witness, entered, left)),
        lengths_ns=tuple(lengths_ns(turn)),
        peak=peak(course) or 0,
        violations=course.violations,
    )


def lengths_ns(turn: RecordedTurn) -> Iterator[tuple[str, int]]:
    """Give how long calls took that ended well and asked nobody, by tool."""
    for call in turn.calls:
        if call.outcome is Outcome.OK and not call.permission_wait and call.duration_ns is not None:
            yield call.tool, call.duration_ns


class _WithoutHooks(Sorter):
    """Takes the records of a transcript as if no hook had written any."""

    def take(self, record: Record) -> None:
        data = record.value.get("data")
        if not isinstance(data, dict) or data.get("type") != "hook_progress":
            super().take(record)


class _WithoutRule(Sorter):
    """Takes the records of a transcript of whose program nothing is known."""

    habits = replace(TRANSCRIPT, ruled=False)


def _instants(run: Run, kind: Kind) -> dict[str, int]:
    return {event.call: event.t_ns for event in run.events if event.kind is kind and event.call is not None}


def _starts(witness: RecordedTurn, entered: dict[str, int]) -> Iterator[Start]:
    for call in witness.calls:
        # Where an arrival is only a bound, what is not seen itself is no more.
        known = call.start_basis in EXACT or not (call.estimated or witness.arrival_bound)
        if known and call.started_ns is not None and call.id in entered:
            yield Start(call, entered[call.id], witness.since_start_ns(call.started_ns))


def _neighbours(witness: RecordedTurn, entered: dict[str, int], left: dict[str, int]) -> Iterator[Neighbours]:
    for first, second in pairwise(witness.calls):
        if first.tool not in SHELLS or second.tool not in SHELLS:
            continue
        if first.estimated or first.id not in left or second.id not in entered:
            continue
        if first.ended_ns is None or second.arrived_ns is None:
            continue
        if second.arrived_ns < first.ended_ns:
            predicted = entered[second.id] < left[first.id]
            yield Neighbours(first, second, predicted, *_witnessed(first, second, first.ended_ns))


def _witnessed(first: RecordedCall, second: RecordedCall, first_ended_ns: int) -> tuple[bool | None, str]:
    """Say whether two calls ran side by side, and what tells it."""
    if second.ended_ns is not None and second.ended_ns < first_ended_ns:
        return True, "the second ended first"
    if second.start_basis in _SHARP and second.started_ns is not None:
        return second.started_ns < first_ended_ns, f"the second's {second.start_basis}"
    return None, "nothing"
