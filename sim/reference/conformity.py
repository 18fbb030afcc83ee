"""T1: a run against the reference model, exactly.

The rule: whatever differs is wrong, and only the first difference is told, for the rest follows from it. Times in
nanoseconds from the turn's start.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from executor.events import Event
from scenarios.model import Scenario
from sim.oracle import Violation
from sim.oracle.excerpt import draw_rows
from sim.oracle.terms import Terms

from .account import account_of, first_difference
from .scope import unpredictable
from .turn import predict

STATEMENT: Final = (
    "Bodies begin and end, results are taken and the turn ends at exactly the reference model's instants."
)


def compare_with_model(scenario: Scenario, header: Mapping[str, Any], events: Sequence[Event]) -> list[Violation]:
    """Compare a run with what the reference model says of its scenario (T1).

    Args:
        scenario: what was played, by the standard driver (E13), ties taken first come, first served.
        header: the log's header; its engine and seed are those to predict.
        events: the log.

    Raises:
        ValueError: the model does not speak of what the scenario contains.
    """
    if (gap := unpredictable(scenario)) is not None:
        raise ValueError(f"the reference model does not speak of {gap}: ask unpredictable(scenario) before")
    terms = Terms.read(header)
    found = first_difference(account_of(events), predict(scenario, terms.engine, terms.seed))
    if found is None:
        return []
    at_ns, calls, message = found
    timeline = draw_rows([event for event in events if event.call in calls], at_ns)
    return [Violation("T1", STATEMENT, at_ns, tuple(calls), message, timeline, terms.reproduce)]
