"""What a situation is: a short function that looks at a row and the state before it.

The rule: a situation's name is its function's, and all of them stand in one register. Times in nanoseconds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from executor.events import Event, Kind

from .state import State

Reached = Callable[[State, Event], bool]
"""Whether a row, with the state before it, is a situation."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One situation: its name, the kinds of rows it shows by, and the features a scenario needs for it."""

    name: str
    kinds: tuple[Kind, ...]
    needs: frozenset[str]
    reached: Reached


class Register(list[Situation]):
    """The situations of one family, in the order in which they are written down."""

    def at(self, *kinds: Kind, needs: Iterable[str] = ()) -> Callable[[Reached], Reached]:
        """Enter a function that tells whether rows of some kinds are a situation."""

        def enter(reached: Reached) -> Reached:
            self.append(Situation(reached.__name__.replace("_", " "), kinds, frozenset(needs), reached))
            return reached

        return enter
