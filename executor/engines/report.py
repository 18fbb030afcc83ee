"""What an executor tells about itself: faults, what was discarded, what was left when it closed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from ..calls.call import Call
from ..calls.outcome import ABORTS
from ..calls.result import ToolResult


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that should not have been: a block that repeats an id, a modifier that raised.

    Args:
        call_id: the id it is about, possibly empty.
        what: what was wrong and what was done about it.
    """

    call_id: str
    what: str


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a discarded attempt may have changed in the world (A8, B066).

    Args:
        call_id: the id of the call whose body had begun.
        tool: the name the model called it by.
        how: whether the body came to its own end or was stopped on its way.
    """

    call_id: str
    tool: str
    how: Literal["finished", "stopped"]

    @classmethod
    def of(cls, call: Call) -> "Effect":
        """Say how far a call whose body had begun came."""
        stopped = call.result is None or call.result.outcome in ABORTS
        return cls(call.id, call.block.name, "stopped" if stopped else "finished")


@dataclass(frozen=True, slots=True)
class Discarded:
    """What the owner of a discarded attempt must know (A8).

    Args:
        withdrawn: ids of results that were handed on already and must be taken back.
        effects: exclusive calls whose body had begun.
    """

    withdrawn: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosingReport:
    """What was left when the executor closed (E10, P1).

    Args:
        unclaimed: final results that no consumer took, in request order.
        abandoned: ids of calls whose body still runs and cannot be stopped (A9); ``ID: hook NAME`` and the like for
            what else of them does.
        faults: see :class:`Fault`.
        background: ids of calls whose background work was ended because the executor closed (X8).
    """

    unclaimed: tuple[ToolResult, ...] = ()
    abandoned: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    background: tuple[str, ...] = ()

    @classmethod
    def of(cls, attempts: Sequence["ClosingReport"], faults: Iterable[Fault]) -> "ClosingReport":
        """Put the reports of a turn's attempts together; of given-up ones no result is left, but what they left is.

        Args:
            attempts: the reports of all attempts, the last one's results being the turn's.
            faults: those of the turn itself, told before the attempts' own.
        """
        return cls(
            attempts[-1].unclaimed,
            tuple(chain.from_iterable(report.abandoned for report in attempts)),
            tuple(chain(faults, *(report.faults for report in attempts))),
            tuple(chain.from_iterable(report.background for report in attempts)),
        )
