"""T2: the same scenario under several engines, compared by makespan.

The rule: logs are compared only where nothing but the schedule can make them differ. Times in nanoseconds.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .instants import in_words
from .makespan import makespan_ns
from .terms import Terms
from .view import results_in
from .violation import Violation

Log = tuple[Mapping[str, Any], Sequence[Event]]
"""A header and its events, as :func:`executor.events.load_lines` gives them."""

FASTEST_FIRST: Final = ("streaming", "batch", "serial")

STATEMENT: Final = (
    "Without failures, with a prompt consumer and answers by latency: streaming ≤ batch ≤ serial in makespan."
)

_DISTURBANCES: Final = frozenset({Kind.RESPONSE_FAILED, Kind.STOP, Kind.SUBMIT, Kind.DISCARD, Kind.HALTED})
_UNDISTURBED: Final = frozenset({Outcome.OK, Outcome.INVALID_INPUT, Outcome.UNKNOWN_TOOL})


def compare_makespans(logs: Mapping[str, Log]) -> list[Violation]:
    """Compare runs of one scenario by makespan (T2); nothing is found where :func:`incomparable` gives a reason.

    Args:
        logs: by engine, ``streaming``, ``batch`` and ``serial`` (two suffice; other engines are ignored). That the
            consumer took everything at once is the caller's to know: a log cannot tell a slow consumer from a late
            executor.
    """
    if incomparable(logs) is not None:
        return []
    spans = {engine: makespan_ns(logs[engine][1]) or 0 for engine in FASTEST_FIRST if engine in logs}
    return [_slower(fast, slow, spans, logs[fast][0]) for fast, slow in pairwise(spans) if spans[fast] > spans[slow]]


def incomparable(logs: Mapping[str, Log]) -> str | None:
    """Say why the makespans of these logs prove nothing: a failure, a user's act, a turn that did not complete."""
    for engine in FASTEST_FIRST:
        for event in logs.get(engine, ({}, ()))[1]:
            if event.kind in _DISTURBANCES:
                return f"{engine}: {event.kind.value} at {in_words(event.t_ns)}"
            for id_, outcome in results_in(event):
                if outcome not in _UNDISTURBED or event.kind is Kind.TURN_ENDED:
                    taken = "is untaken" if event.kind is Kind.TURN_ENDED else f"ended in {outcome}"
                    return f"{engine}: {id_} {taken} at {in_words(event.t_ns)}"
    return None


def _slower(fast: str, slow: str, spans: Mapping[str, int], header: Mapping[str, Any]) -> Violation:
    return Violation(
        rule="T2",
        statement=STATEMENT,
        at_ns=spans[fast],
        calls=(),
        message=f"{fast} took {in_words(spans[fast])}, {slow} only {in_words(spans[slow])}",
        timeline="\n".join(f"  {engine:<9}  {in_words(span_ns)}" for engine, span_ns in spans.items()),
        reproduce=Terms.read(header).reproduce,
    )
