"""Judge a log: every rule over every row, once.

The rule: a rule that the log cannot be judged by is skipped and said to be skipped. Times in nanoseconds.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from executor.events import Event, Kind

from . import contexts, failures, inside, liveness, pairing, progress, safety, stops
from .excerpt import excerpt
from .rule import Finding, Moment, Rule
from .state import State
from .terms import Terms
from .view import CallView
from .violation import Violation
from .walk import walk

RULES: Final[tuple[Rule, ...]] = (
    pairing.one_result_each,
    pairing.no_result_alone,
    pairing.in_request_order,
    pairing.content_is_its_own,
    safety.exclusive_runs_alone,
    safety.nobody_overtakes,
    safety.nobody_waits_for_nothing,
    safety.block_comes_first,
    safety.limit_holds,
    safety.doubt_means_alone,
    safety.body_runs_once,
    inside.status_moves_forwards,
    failures.a_cascade_stops_all,
    failures.nobody_suffers_for_nothing,
    failures.the_truth_is_told,
    stops.a_stop_ends_the_turn,
    stops.users_are_obeyed,
    stops.a_discard_is_final,
    inside.nothing_else_rises,
    progress.progress_goes_out,
    contexts.contexts_move_in_order,
    inside.nobody_runs_unpermitted,
    liveness.turn_ends,
    liveness.aborts_are_prompt,
    liveness.nothing_left_behind,
)
"""The rules for a single log; T2 compares several (:func:`~sim.oracle.comparison.compare_makespans`)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of judging one log.

    Args:
        violations: what broke a rule, by instant.
        rules: the numbers of the rules asked for.
        skipped: those of them that the log gives no answer to, each with why.
    """

    violations: tuple[Violation, ...]
    rules: tuple[str, ...]
    skipped: Mapping[str, str]


def check(header: Mapping[str, Any], events: Iterable[Event]) -> list[Violation]:
    """Give the violations of a log, by instant; arguments and errors as for :func:`judge`."""
    return list(judge(header, events).violations)


def judge(header: Mapping[str, Any], events: Iterable[Event], *, rules: Collection[str] | None = None) -> Verdict:
    """Judge a log by the rules of SPEC 10, row by row; rules that need the inside view are skipped without it.

    Args:
        header: engine, scenario, seed, tools, options and, if known, the command that reproduces the run.
        events: the rows in the order in which they happened; each is looked at once.
        rules: the ids of the rules to judge by; all without it.

    Raises:
        ValueError: a rule that does not exist, or a header or row whose details have the wrong type.
    """
    asked = _choose(rules)
    terms = Terms.read(header)
    bench = _Bench(State(terms), asked)
    walk(bench.state, events, bench.ask)
    # What a log tells is known at its end only: until then every rule has listened.
    skipped = {rule.id: reason for rule in asked if (reason := rule.why_not(terms, bench.told)) is not None}
    found = sorted(bench.violations, key=lambda violation: violation.at_ns)
    return Verdict(
        tuple(violation for violation in found if violation.rule not in skipped),
        tuple(rule.id for rule in asked),
        skipped,
    )


def _choose(ids: Collection[str] | None) -> list[Rule]:
    known = {rule.id: rule for rule in RULES}
    if unknown := sorted(set(ids or ()) - known.keys()):
        raise ValueError(f"rules: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    return [rule for rule in RULES if ids is None or rule.id in ids]


class _Bench:
    """The rules that sit over one log, each asked only about what it watches."""

    def __init__(self, state: State, rules: Iterable[Rule]) -> None:
        self.state = state
        self.violations: list[Violation] = []
        self.told: set[Kind | Moment] = set()
        self._seen: set[tuple[str, tuple[CallView, ...]]] = set()
        self._asked: dict[Kind | Moment, list[Rule]] = {}
        for rule in rules:
            for occasion in rule.asked:
                self._asked.setdefault(occasion, []).append(rule)

    def ask(self, occasion: Kind | Moment, event: Event | None) -> None:
        """Ask each rule that watches this occasion."""
        self.told.add(occasion)
        for rule in self._asked.get(occasion, ()):
            for finding in rule.find(self.state, event):
                self._note(rule, finding, event)

    def _note(self, rule: Rule, finding: Finding, event: Event | None) -> None:
        if (rule.id, finding.calls) in self._seen:
            return
        self._seen.add((rule.id, finding.calls))
        latest = (self.state.count, event) if event is not None else self.state.latest
        rows = finding.rows if latest is None else (*finding.rows, latest)
        self.violations.append(
            Violation(
                rule=rule.id,
                statement=rule.statement,
                at_ns=finding.at_ns,
                calls=tuple(call.id for call in finding.calls),
                message=finding.message,
                timeline=excerpt(finding.calls, rows, finding.at_ns),
                reproduce=self.state.terms.reproduce,
            )
        )
