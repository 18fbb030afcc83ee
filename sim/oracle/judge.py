"""Judge a log: every rule over every row, once.

The rule: a rule that the log cannot be judged by is skipped and said to be skipped. Times in nanoseconds.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from executor.events import INSIDE, Event, Kind

from . import liveness, pairing, safety
from .excerpt import excerpt
from .rule import Finding, Moment, Rule
from .state import State
from .terms import Terms
from .view import CallView
from .violation import Violation

RULES: Final[tuple[Rule, ...]] = (
    pairing.one_result_each,
    pairing.no_result_alone,
    pairing.in_request_order,
    safety.exclusive_runs_alone,
    safety.nobody_overtakes,
    safety.nobody_waits_for_nothing,
    safety.block_comes_first,
    safety.limit_holds,
    safety.body_runs_once,
    liveness.turn_ends,
    liveness.nothing_left_behind,
)
"""The rules for a single log; T2 compares several (:func:`~sim.oracle.comparison.compare_makespans`)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of judging one log: the violations by instant, the rules asked for, those skipped and why."""

    violations: tuple[Violation, ...]
    rules: tuple[str, ...]
    skipped: Mapping[str, str]


def check(header: Mapping[str, Any], events: Sequence[Event]) -> list[Violation]:
    """Give the violations of a log, by instant; arguments and errors as for :func:`judge`."""
    return list(judge(header, events).violations)


def judge(header: Mapping[str, Any], events: Sequence[Event], *, rules: Collection[str] | None = None) -> Verdict:
    """Judge the outside view of a log by the rules of SPEC 10.

    Args:
        header: engine, scenario, seed, tools, options and, if known, the command that reproduces the run.
        events: the rows in the order in which they happened.
        rules: the ids of the rules to judge by; all without it.

    Raises:
        ValueError: a rule that does not exist, or a header or row whose details have the wrong type.
    """
    asked = _choose(rules)
    terms = Terms.read(header)
    told = {event.kind for event in events}
    skipped = {rule.id: reason for rule in asked if (reason := rule.why_not(terms, told)) is not None}
    bench = _Bench(State(terms), [rule for rule in asked if rule.id not in skipped])
    for event in events:
        if event.kind not in INSIDE:
            bench.hear(event)
    bench.close()
    found = sorted(bench.violations, key=lambda violation: violation.at_ns)
    return Verdict(tuple(found), tuple(rule.id for rule in asked), skipped)


def _choose(ids: Collection[str] | None) -> list[Rule]:
    known = {rule.id: rule for rule in RULES}
    if unknown := sorted(set(ids or ()) - known.keys()):
        raise ValueError(f"rules: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    return [rule for rule in RULES if ids is None or rule.id in ids]


class _Bench:
    """The rules that sit over one log, each asked only about what it watches."""

    def __init__(self, state: State, rules: Iterable[Rule]) -> None:
        self.violations: list[Violation] = []
        self._state = state
        self._seen: set[tuple[str, tuple[CallView, ...]]] = set()
        self._asked: dict[Kind | Moment, list[Rule]] = {}
        for rule in rules:
            for occasion in rule.asked:
                self._asked.setdefault(occasion, []).append(rule)

    def hear(self, event: Event) -> None:
        state = self._state
        if event.t_ns > state.now_ns:
            self._ask(Moment.INSTANT_OVER)
            while (deadline_ns := state.deadline_ns()) is not None and deadline_ns < event.t_ns:
                state.move_to(deadline_ns)
                self._ask(Moment.INSTANT_OVER)
            state.move_to(event.t_ns)
        self._ask(event.kind, event)
        state.apply(event)

    def close(self) -> None:
        halted = self._state.halted
        if halted is not None and halted.detail.get("why") == "deadlock":
            # Nothing is scheduled any more, so the last instant is over although time does not move.
            self._ask(Moment.INSTANT_OVER)
        self._ask(Moment.LOG_OVER)

    def _ask(self, occasion: Kind | Moment, event: Event | None = None) -> None:
        for rule in self._asked.get(occasion, ()):
            for finding in rule.find(self._state, event):
                self._note(rule, finding, event)

    def _note(self, rule: Rule, finding: Finding, event: Event | None) -> None:
        state = self._state
        if (rule.id, finding.calls) in self._seen:
            return
        self._seen.add((rule.id, finding.calls))
        self.violations.append(
            Violation(
                rule=rule.id,
                statement=rule.statement,
                at_ns=finding.at_ns,
                calls=tuple(call.id for call in finding.calls),
                message=finding.message,
                timeline=excerpt(finding.calls, (state.count, event) if event else state.latest, finding.at_ns),
                reproduce=state.terms.reproduce,
            )
        )
