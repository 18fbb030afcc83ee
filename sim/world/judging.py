"""A run judged by all that can be said of it: its log by the rules, its messages, the reference model (SPEC 10).

The rule: what cannot be judged is said to be skipped, with the reason. No times here.
"""

from collections.abc import Iterator
from typing import Final

from executor.events import Kind
from scenarios.history.lint import lint
from scenarios.model import ENGINES
from sim.oracle import Verdict, Violation, judge
from sim.reference import compare_with_model, unpredictable

from .run import Run

P3: Final = "In assembled messages results come after their response and before the next, first in their message."


def judge_run(run: Run) -> Verdict:
    """Judge a run: its log by every rule, its messages by P3, T1 where the reference model speaks of the scenario."""
    verdict = judge(run.header, run.events)
    found, skipped = [*verdict.violations, *_misplaced(run)], dict(verdict.skipped)
    if not run.messages:
        skipped["P3"] = "no messages were assembled"
    if (reason := _why_not_by_model(run)) is not None:
        skipped["T1"] = reason
    else:
        found += compare_with_model(run.scenario, run.header, run.events)
    found.sort(key=lambda one: one.at_ns)
    return Verdict(tuple(found), (*verdict.rules, "P3", "T1"), skipped)


def check(run: Run) -> list[Violation]:
    """Give the violations of a run, by instant, as :func:`judge_run` finds them."""
    return list(judge_run(run).violations)


def _why_not_by_model(run: Run) -> str | None:
    if run.engine not in ENGINES:
        return "the reference model predicts our engines only"
    if run.choices:
        return "the reference model takes what ties first come, first served, this run did not"
    if any(event.kind is Kind.CONSUMER_LEFT and event.detail["how"] == "cancelled" for event in run.events):
        return "the reference model does not speak of a consumer that is cancelled"
    gap = unpredictable(run.scenario)
    return f"the reference model does not speak of {gap}" if gap is not None else None


def _misplaced(run: Run) -> Iterator[Violation]:
    """Judge where results stand in a run's messages; that each has one, and its own, shows in the log."""
    for fault in lint(run.messages) if run.messages else ():
        if fault.rule in ("P3", "W7"):
            yield Violation(
                rule="P3",
                statement=P3,
                at_ns=run.events[-1].t_ns,
                calls=(fault.call,),
                message=fault.what,
                timeline="\n".join(f"  {end.what} at {end.place}" for end in fault.ends),
                reproduce=str(run.header.get("reproduce", f"(no command recorded: seed {run.seed})")),
            )
