"""What a rule is: a short function whose docstring is the rule, and when it is asked.

The rule: a rule sees the state *before* the row it is asked about, and yields what it finds. Times in nanoseconds.
"""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from enum import Enum
from inspect import cleandoc
from typing import NamedTuple

from executor.events import INSIDE, Event, Kind

from .state import State
from .terms import Terms
from .view import CallView

OUTSIDE = frozenset(Kind) - INSIDE
"""The kinds that any executor's log can have."""


class Moment(Enum):
    """When a rule is asked apart from single rows."""

    INSTANT_OVER = "time is about to move, or can move no more"
    AT_REST = "nothing has happened for longer than instants of the log's clock may be apart"
    LOG_OVER = "the log has no more rows"


class Finding(NamedTuple):
    """A breach as a rule sees it: the instant of the wrong act, the calls (culprit first), and what was seen.

    ``rows`` are numbered rows that belong to it and name none of its calls: a stop, a discard.
    """

    at_ns: int
    calls: tuple[CallView, ...]
    message: str
    rows: tuple[tuple[int, Event], ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its number in SPEC 10, its words, when it is asked, and what a log must tell to be judged by it."""

    id: str
    statement: str
    asked: Set[Kind | Moment]
    needs: Set[Kind]
    unfit: Callable[[Terms], str | None]
    find: Callable[[State, Event | None], Iterable[Finding]]

    def why_not(self, terms: Terms, told: Set[Kind | Moment]) -> str | None:
        """Say why a log of these terms and kinds cannot be judged by the rule, ``None`` if it can."""
        if missing := sorted(self.needs - told):
            return f"the log has no {' and no '.join(missing)}"
        return self.unfit(terms)


def _always_fit(terms: Terms) -> str | None:
    return None


def at_rows(
    id_: str, *kinds: Kind, needs: Iterable[Kind] = (), unfit: Callable[[Terms], str | None] = _always_fit
) -> Callable[[Callable[[State, Event], Iterable[Finding]]], Rule]:
    """Make a rule of a function that looks at rows of some kinds; its docstring's first paragraph is the rule."""

    def make(find: Callable[[State, Event], Iterable[Finding]]) -> Rule:
        def find_in_row(state: State, event: Event | None) -> Iterable[Finding]:
            return find(state, event) if event is not None else ()

        return Rule(id_, _statement(find), frozenset(kinds), frozenset(needs), unfit, find_in_row)

    return make


def at(
    id_: str, *occasions: Kind | Moment, needs: Iterable[Kind] = (), unfit: Callable[[Terms], str | None] = _always_fit
) -> Callable[[Callable[[State, Event | None], Iterable[Finding]]], Rule]:
    """Make a rule of a function that looks at rows and moments; at a moment it is given no row."""

    def make(find: Callable[[State, Event | None], Iterable[Finding]]) -> Rule:
        return Rule(id_, _statement(find), frozenset(occasions), frozenset(needs), unfit, find)

    return make


def at_moment(
    id_: str, moment: Moment, *, needs: Iterable[Kind] = (), unfit: Callable[[Terms], str | None] = _always_fit
) -> Callable[[Callable[[State], Iterable[Finding]]], Rule]:
    """Make a rule of a function that looks at the state at a moment; its docstring's first paragraph is the rule."""

    def make(find: Callable[[State], Iterable[Finding]]) -> Rule:
        def find_at_moment(state: State, event: Event | None) -> Iterable[Finding]:
            return find(state)

        return Rule(id_, _statement(find), frozenset({moment}), frozenset(needs), unfit, find_at_moment)

    return make


def _statement(find: Callable[..., object]) -> str:
    return cleandoc(find.__doc__ or "").split("\n\n")[0].replace("\n", " ")
