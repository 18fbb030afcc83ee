"""Derive what a transcript does not write: when calls started, what ran them, which times are only bounds.

The rule: a start is read from the best witness there is (the file's own record, a hook's line, then the
schedule's rule where the source follows it, then progress, then the tool's own report) and says which; without one it
is unknown. Unit: nanoseconds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from executor.calls.outcome import Outcome

from .choosing import Choice, choose
from .model import RecordedCall, RecordedTurn, StartBasis
from .opened import OpenCall, OpenTurn

_OWN_ERRORS: Final = (Outcome.ERROR, Outcome.INVALID_INPUT, Outcome.UNKNOWN_TOOL)
_STOPPED: Final = (Outcome.SIBLING_ERROR, Outcome.USER_INTERRUPTED, Outcome.STREAMING_FALLBACK)
_BY_A_PERSON: Final = (Outcome.DENIED,)
_NEVER_RUN: Final = (Outcome.INVALID_INPUT, Outcome.UNKNOWN_TOOL)

Report = Callable[[str, tuple[int, int] | None], None]
"""Takes what was found and its place: line and byte offset."""


def choose_for(turn: OpenTurn) -> Choice:
    """Choose a turn's profile: as the file says, by its program's version, or by what came when."""
    if turn.choice is not None:
        return turn.choice
    by_version = choose(turn.habits.program, turn.version)
    if by_version.sure:
        return by_version
    cancelled = any(call.outcome is Outcome.SIBLING_ERROR for call in turn.calls.values())
    return choose(turn.habits.program, turn.version, interleaved=turn.interleaved, cancelled=cancelled)


def finish(turn: OpenTurn, number: int, report: Report, choice: Choice | None = None) -> RecordedTurn:
    """Make the record of a closed turn: ends first, then each call's start in request order.

    Args:
        turn: the turn.
        number: its place among the file's.
        report: told of every end before its own beginning, which is moved up to it (B100).
        choice: the profile that the user chose; by itself the one of what wrote the turn.
    """
    calls = turn.calls.values()
    if turn.stamp_shared and _all_one_stamp(turn):
        report("all lines of this response carry the stamp of a neighbouring one: its times are unknown", turn.place)
        turn.first_ns = turn.last_block_ns = turn.interrupted_ns = None
        for call in calls:
            call.arrived_ns = call.ended_ns = call.hook_ns = call.first_progress_ns = call.reported_ns = None
            call.progress_ns.clear()
    for call in calls:
        if call.ended_ns is not None and call.arrived_ns is not None and call.ended_ns < call.arrived_ns:
            early_ms = (call.arrived_ns - call.ended_ns) // 1_000_000
            report(f"result of {call.id} is stamped {early_ms} ms before its call, taken as 0 s", call.result_place)
            call.ended_ns = call.arrived_ns
    choice = choice or choose_for(turn)
    return RecordedTurn(
        message_id=turn.key,
        number=number,
        calls=tuple(_finish_calls(turn, choice)),
        first_ns=turn.first_ns,
        last_block_ns=turn.last_block_ns,
        version=turn.version,
        choice=choice,
        emitted=tuple(turn.emitted),
        interrupted_ns=turn.interrupted_ns,
        agent=turn.agent,
        segment=turn.segment,
        line=turn.place[0],
        duplicates=tuple(turn.duplicates),
        unmatched=tuple(turn.unmatched),
        arrival_bound=turn.habits.arrival_bound,
        results_told=turn.habits.results_told,
        log=turn.log,
        unfinished=turn.unfinished,
    )


def _all_one_stamp(turn: OpenTurn) -> bool:
    ends = {call.ended_ns for call in turn.calls.values() if call.result_place is not None}
    return len({turn.first_ns, turn.last_block_ns} | ends) == 1


@dataclass(slots=True)
class _Gate:
    """What a call has to wait for: the latest end of the calls noted, and whether all their ends are certain."""

    latest_ns: int = 0
    certain: bool = True

    def note(self, call: OpenCall) -> None:
        # An end that is only a bound (B121) must not push the start of the next call up to itself.
        if call.ended_ns is None or call.end_bound:
            self.certain = False
        else:
            self.latest_ns = max(self.latest_ns, call.ended_ns)


def _finish_calls(turn: OpenTurn, choice: Choice) -> Iterator[RecordedCall]:
    calls, assumed = turn.calls.values(), choice.assumed
    # A call that is alone waits for nobody, whatever its class.
    may_wait = turn.habits.ruled and len(calls) > 1
    errors = [call.ended_ns for call in calls if call.outcome in _OWN_ERRORS and call.ended_ns is not None]
    first_error_ns = min(errors, default=None)
    exclusive_ones, all_of_them = _Gate(), _Gate()
    for call in calls:
        class_by = call.tool_class.safe if call.class_told else assumed
        if may_wait and class_by is assumed:
            class_by = assumed.is_safe(call.tool, call.input)
        gate = all_of_them if class_by is False else exclusive_ones
        started_ns, basis, sure = _start(call, turn, choice, gate, first_error_ns)
        yield RecordedCall(
            id=call.id,
            tool=call.tool,
            input=call.input,
            arrived_ns=call.arrived_ns,
            started_ns=started_ns,
            start_basis=basis,
            ended_ns=call.ended_ns,
            outcome=call.outcome,
            class_by=class_by,
            line=call.place[0],
            result_line=None if call.result_place is None else call.result_place[0],
            result_count=call.result_count,
            progress_ns=tuple(call.progress_ns),
            permission_wait=call.asked or call.tool_class.asks or call.outcome in _BY_A_PERSON,
            split_by_compaction=call.split,
            estimated=call.end_bound or not sure,
        )
        if may_wait:
            all_of_them.note(call)
            if class_by is False:
                exclusive_ones.note(call)


def _start(
    call: OpenCall, turn: OpenTurn, choice: Choice, gate: _Gate, first_error_ns: int | None
) -> tuple[int | None, StartBasis, bool]:
    """Find a call's start, the witness it rests on, and whether that witness is unopposed.

    ``gate`` is what the call had to wait for by the rule; ``first_error_ns`` the instant of the turn's first own error.
    """
    arrived_ns, ended_ns = call.arrived_ns, call.ended_ns
    if call.outcome in _NEVER_RUN:
        return None, "unknown", True
    if call.started_ns is not None:
        return _within(call.started_ns, arrived_ns, ended_ns), "recorded", True
    if call.hook_ns is not None:
        return _within(call.hook_ns, arrived_ns, ended_ns), "hook", True
    if arrived_ns is None or not turn.habits.ruled:
        return _witnessed(call) or (None, "unknown", True)
    free_ns = max(arrived_ns, turn.last_block_ns or arrived_ns) if choice.assumed.engine != "streaming" else arrived_ns
    ruled_ns = max(free_ns, gate.latest_ns)
    if call.outcome in _STOPPED and _never_started(call, ruled_ns, first_error_ns):
        return None, "unknown", True
    rule_knows = gate.certain and (choice.sure or arrived_ns == turn.last_block_ns)
    if rule_knows and (ended_ns is None or ruled_ns <= ended_ns):
        return ruled_ns, "rule", True
    if ended_ns is None:
        return _witnessed(call) or (None, "unknown", True)
    # The class or the profile is refuted or unknown here: better witnesses first, then the freest rule, as an estimate.
    return _witnessed(call) or (_within(ruled_ns if ruled_ns <= ended_ns else free_ns, None, ended_ns), "rule", False)


def _witnessed(call: OpenCall) -> tuple[int, StartBasis, bool] | None:
    """Read a start from the tool's own progress, or count its reported duration back from its end."""
    if call.first_progress_ns is not None:
        return _within(call.first_progress_ns, call.arrived_ns, call.ended_ns), "progress", True
    if call.reported_ns is not None and call.ended_ns is not None:
        return _within(call.ended_ns - call.reported_ns, call.arrived_ns, call.ended_ns), "reported", True
    return None


def _never_started(call: OpenCall, ruled_ns: int, first_error_ns: int | None) -> bool:
    """Tell a call stopped in the queue, or arriving after the error, from one stopped while it ran."""
    if call.ended_ns is None or call.progress_ns:
        return False
    if ruled_ns >= call.ended_ns:
        return True
    return call.outcome is Outcome.SIBLING_ERROR and first_error_ns is not None and ruled_ns >= first_error_ns


def _within(at_ns: int, first_ns: int | None, last_ns: int | None) -> int:
    """Move an instant into the span a call can have lived."""
    if last_ns is not None:
        at_ns = min(at_ns, last_ns)
    return at_ns if first_ns is None else max(at_ns, first_ns)
