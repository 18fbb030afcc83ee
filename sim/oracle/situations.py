"""Situations a rule can only be tested in: which of them a log reaches, and how often.

The rule: a campaign in which one was never reached has proven nothing about it, and says so.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from executor.events import Event, Kind

from .courses import COURSES
from .disturbances import DISTURBANCES
from .rule import Moment
from .situation import Situation
from .state import State
from .terms import Terms
from .walk import walk

SITUATIONS: Final[tuple[Situation, ...]] = (*COURSES, *DISTURBANCES)
"""Every situation that is counted."""

_BY_KIND: Final = {kind: [each for each in SITUATIONS if kind in each.kinds] for kind in Kind}


def situations(header: Mapping[str, Any], events: Iterable[Event]) -> Counter[str]:
    """Count the situations that a log reaches, by name.

    Args:
        header: as for :func:`~sim.oracle.judge.judge`.
        events: the rows in the order in which they happened.

    Raises:
        ValueError: a header or row whose details have the wrong type.
    """
    state, reached = State(Terms.read(header)), Counter[str]()

    def ask(occasion: Kind | Moment, event: Event | None) -> None:
        if event is None or state.ended is not None:
            return
        for situation in _BY_KIND[event.kind]:
            if situation.reached(state, event):
                reached[situation.name] += 1

    walk(state, events, ask)
    return reached


def unreached(reached: Mapping[str, int], features: Collection[str] = ()) -> list[str]:
    """Name the situations that were never reached although the scope contains them.

    Args:
        reached: how often each was, from :func:`situations`.
        features: what the scenarios of the scope use, in the words of a header's ``features``.

    >>> unreached({situation.name: 1 for situation in SITUATIONS})
    []
    """
    scope = [situation.name for situation in SITUATIONS if situation.needs <= set(features)]
    return [name for name in scope if not reached.get(name)]
