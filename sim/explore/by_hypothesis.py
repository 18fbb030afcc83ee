"""Hypothesis chooses the order: sparse deviations from first-come, mixed with seeds that draw every pick.

The rule: sparse deviations shrink to the few that matter, seeds find what few deviations miss; so both are tried.
Needs the ``testing`` extra. No times here.
"""

from collections.abc import Callable
from dataclasses import replace

try:
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("exploring by Hypothesis needs it: pip install 'interlock[testing]'") from error

from .plan import Plan
from .trial import Ended, Trial

MOST_STEPS = 60
"""Deviations are drawn for so many choice points; later ones are reached by seeds."""


def orders(plan: Plan) -> st.SearchStrategy[Plan]:
    """Make plans that differ from one in their order only; they shrink towards first-come.

    >>> from hypothesis import find
    >>> find(orders(Plan()), lambda plan: True) == Plan()
    True
    """
    sparse = st.dictionaries(st.integers(0, MOST_STEPS), st.integers(1, 9), max_size=6)
    return st.one_of(
        sparse.map(lambda choices: replace(plan, choices=choices)),
        st.integers(0, 2**32).map(lambda order: replace(plan, order_seed=order)),
    )


def search(plan: Plan, trial: Trial, schedules: int, note: Callable[[Ended], None]) -> None:
    """Try so many orders, and the smaller ones of each that fails; ``note`` is told of every run."""

    @seed(plan.seed)
    @settings(
        max_examples=schedules,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(orders(plan))
    def attempt(order: Plan) -> None:
        ended = trial(order)
        note(ended)
        if ended.broken:
            raise _Broken

    try:
        attempt()
    except _Broken:
        return


class _Broken(Exception):
    """The order that was tried breaks something."""
