"""What recordings of Claude Code show by themselves, without a run: counted over responses with several calls.

The rule: a response counts under the profile of its version. Times in nanoseconds.
"""

from collections import Counter
from collections.abc import Iterable

from executor import Outcome
from scenarios.traces import RecordedTurn

AT_ONCE_NS = 2_000_000
"""What a sub-agent relays is stamped up to 2 ms later than it would be in a file of its own."""


def facts(turns: Iterable[RecordedTurn]) -> Counter[str]:
    """Count what such responses have and do."""
    seen: Counter[str] = Counter()
    for turn in turns:
        seen["responses"] += 1
        last_line = max(call.line for call in turn.calls)
        early = [call for call in turn.calls if call.result_line is not None and call.result_line < last_line]
        seen["a result before the last block"] += bool(early)
        answered = set(turn.emitted)
        seen["results out of order"] += turn.emitted != tuple(call.id for call in turn.calls if call.id in answered)
        seen += errors(turn)
    return seen


def errors(turn: RecordedTurn) -> Counter[str]:
    """Count what became of the calls behind the first error of a response."""
    ends = [(call.ended_ns, n) for n, call in enumerate(turn.calls) if call.outcome is Outcome.ERROR and call.ended_ns]
    if not ends:
        return Counter()
    error_ns, place = min(ends)
    first = turn.calls[place]
    # What had ended before the error was no longer to be cancelled.
    behind = [call for call in turn.calls[place + 1 :] if call.ended_ns is None or call.ended_ns >= error_ns]
    if not behind:
        return Counter()
    seen = Counter({"an error with calls behind it": 1})
    cancelled = [call for call in behind if call.outcome is Outcome.SIBLING_ERROR]
    seen["of those all cancelled"] += len(cancelled) == len(behind)
    seen["of those some cancelled"] += bool(cancelled)
    seen["of those by no shell"] += first.tool != "Bash"
    for call in cancelled:
        if call.arrived_ns is not None and call.ended_ns is not None and call.arrived_ns >= error_ns:
            seen["calls that arrived after the error"] += 1
            seen["of those answered at once"] += call.ended_ns - call.arrived_ns <= AT_ONCE_NS
    return seen
