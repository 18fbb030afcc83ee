"""Making a plan that fails as small as it can be while it still fails in the same way.

The rule: a step is kept only if the run breaks what it broke before, so the smallest plan shows the same fault. No
times here.
"""

from collections.abc import Iterator
from dataclasses import replace

from .plan import Plan
from .trial import Ended, Trial


def shrunk(ended: Ended, kind: str, trial: Trial) -> Ended:
    """Leave out of a failing run's plan what ``kind`` of failure does not need: choices, cuts, jitter, a seed.

    Gives the last run that failed; it is one that no single step makes smaller.
    """
    while True:
        for plan in _smaller(ended.plan):
            smaller = trial(plan)
            if kind in smaller.broken:
                ended = smaller
                break
        else:
            return ended


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Give plans with less in them, the boldest first."""
    steps = sorted(plan.choices)
    size = len(steps)
    while size:
        for start in range(0, len(steps), size):
            dropped = steps[start : start + size]
            yield replace(plan, choices={step: pick for step, pick in plan.choices.items() if step not in dropped})
        size //= 2
    for cut in plan.cuts:
        yield replace(plan, cuts=tuple(other for other in plan.cuts if other != cut))
    if plan.jitter_ns:
        yield replace(plan, jitter_ns=0)
    if plan.seed:
        yield replace(plan, seed=0)
    for step, pick in plan.choices.items():
        if pick > 1:
            yield replace(plan, choices={**plan.choices, step: pick - 1})
