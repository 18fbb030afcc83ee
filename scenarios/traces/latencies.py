"""What calls took in recorded turns, as distributions for scenarios.

The rule: only measured durations of calls that ended by themselves count; guesses, people's answers and calls that were
cut short do not. Nanoseconds.
"""

from collections.abc import Iterable

from executor.calls.outcome import Outcome

from ..durations import LONGEST_NS, Empirical
from .model import RecordedTurn

BY_THEMSELVES = (Outcome.OK, Outcome.ERROR)
"""The outcomes of calls that nothing cut short."""


def latencies(turns: Iterable[RecordedTurn]) -> dict[str, Empirical]:
    """Give the durations of each tool's calls, by the tool's name; tools without a measured call are left out.

    Args:
        turns: recorded turns, of one session or of many.
    """
    took: dict[str, list[int]] = {}
    for turn in turns:
        for call in turn.calls:
            # What a tool measured itself is right, even where the file does not tell when exactly that was.
            sure = call.start_basis == "reported" or not call.estimated
            measured = call.outcome in BY_THEMSELVES and sure and not call.permission_wait
            duration_ns = call.duration_ns
            if measured and duration_ns is not None and 0 <= duration_ns <= LONGEST_NS:
                took.setdefault(call.tool, []).append(duration_ns)
    return {tool: Empirical(values=[f"{ns}ns" for ns in sorted(took[tool])]) for tool in sorted(took)}
