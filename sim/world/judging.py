"""A run judged by everything that can be said of it: the rules on its log, and the reference model (SPEC 10).

The rule: what cannot be judged is said to be skipped, with the reason. No times here.
"""

from dataclasses import replace

from executor.events import Kind
from scenarios.model import ENGINES
from sim.oracle import Verdict, Violation, judge
from sim.reference import compare_with_model, unpredictable

from .run import Run


def judge_run(run: Run) -> Verdict:
    """Judge a run by every rule, T1 among them where the reference model speaks of the scenario."""
    verdict = judge(run.header, run.events)
    rules = (*verdict.rules, "T1")
    if (reason := _why_not_by_model(run)) is not None:
        return replace(verdict, rules=rules, skipped={**verdict.skipped, "T1": reason})
    found = [*verdict.violations, *compare_with_model(run.scenario, run.header, run.events)]
    return replace(verdict, violations=tuple(sorted(found, key=lambda one: one.at_ns)), rules=rules)


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
