"""What an importer declares of its source: how it is known, and which facts its files tell.

The rule: a fact is ``told`` only where the file writes it itself; what is derived or a bound is ``estimated``, and what
is neither is ``unknown``. ``interlock formats`` prints these declarations. No times here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from .collecting import Collector

How = Literal["told", "estimated", "unknown"]


class Fact(NamedTuple):
    """One thing that may be known of every call: how it is, and what it is read from."""

    how: How
    by: str = ""


class Facts(NamedTuple):
    """What a source tells of each call.

    Args:
        arrival: when its block was complete.
        start: when it was admitted.
        end: when its result was there.
        progress: its signs of life.
        error: whether it failed, and in which way.
        group: which calls belong to one response.
    """

    arrival: Fact
    start: Fact
    end: Fact
    progress: Fact
    error: Fact
    group: Fact


UNKNOWN: Final = Fact("unknown")


@dataclass(frozen=True, slots=True)
class Format:
    """One source of recordings.

    Args:
        name: what reports call it.
        title: what people call it.
        facts: what its files tell.
        fits: says whether a record is one that only this source writes.
        collector: takes its records.
    """

    name: str
    title: str
    facts: Facts
    fits: Callable[[dict[str, Any]], bool]
    collector: type[Collector]


def told(by: str) -> Fact:
    """Declare a fact that the file writes itself."""
    return Fact("told", by)


def estimated(by: str) -> Fact:
    """Declare a fact that is derived from others, or a bound."""
    return Fact("estimated", by)
