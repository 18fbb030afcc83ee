"""Searches: which plans are tried, one after the other.

The rule: a search is a generator that gives a plan and is sent how its run ended, so that one that goes by what it saw
and one that does not look the same from outside. Times in nanoseconds.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import count

from .plan import Act, Cut, Plan
from .trial import Ended, Trial

Search = Generator[Plan, Ended, None]


def tried(search: Search, trial: Trial) -> Iterator[Ended]:
    """Run the plans of a search; gives how each ended."""
    plan = next(search, None)
    while plan is not None:
        ended = trial(plan)
        yield ended
        try:
            plan = search.send(ended)
        except StopIteration:
            return


def seeded(plan: Plan) -> Search:
    """Try the plan first-come, then draw every choice, and what else a seed chooses, by one seed after the other."""
    yield plan
    for n in count(1):
        yield replace(plan, seed=plan.seed + n, order_seed=plan.seed + n)


def exhaustive(plan: Plan, deviations: int | None = None) -> Search:
    """Try every order with up to so many deviations from first-come, each once, depth first; all orders without it."""
    open_: list[dict[int, int]] = [{}]
    while open_:
        choices = open_.pop()
        ended = yield replace(plan, choices=choices)
        if len(ended.counts) <= max(choices, default=-1):
            raise RuntimeError(
                f"expected the same program in every run, got one that has no choice point {max(choices)} this time: "
                "it depends on more than its schedule (interlock run --check-determinism)"
            )
        if deviations is not None and len(choices) >= deviations:
            continue
        for step in range(max(choices, default=-1) + 1, len(ended.counts)):
            open_ += [{**choices, step: pick} for pick in range(1, ended.counts[step])]


def sweep(plan: Plan, depth: int = 2) -> Search:
    """Cut the run short wherever that can make a difference, up to ``depth`` times in one run.

    The consumer is cancelled at each point at which it waits, at once and as it would go on, and the user stops or
    submits at each instant at which something happens, where the executor can be told of it; then again at each later
    one of the run that came of it.
    """
    acts = plan.acts
    open_: list[tuple[Cut, ...]] = [()]
    while open_:
        cuts = open_.pop()
        ended = yield replace(plan, cuts=cuts)
        if len(cuts) < depth:
            open_ += [(*cuts, cut) for cut in _later(cuts, ended, acts)]


def _later(cuts: tuple[Cut, ...], ended: Ended, acts: tuple[Act, ...]) -> Iterator[Cut]:
    """Give the places at which a run can be cut after the cuts that it had."""
    last = max((cut.at for cut in cuts if not cut.is_act), default=0)
    for point in range(last + 1, ended.waits + 1):
        yield Cut("cancel", point)
        yield Cut("wake", point)
    if last:
        return  # nobody is left who could act
    since_ns = max((cut.at for cut in cuts), default=-1)
    for at_ns in ended.instants_ns:
        if at_ns > since_ns:
            yield from (Cut(act, at_ns) for act in acts)
