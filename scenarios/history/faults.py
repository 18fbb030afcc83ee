"""What can be wrong with a history, and the rule that each fault breaks."""

from enum import StrEnum
from typing import Final, NamedTuple

from .blocks import Place


class FaultKind(StrEnum):
    """The kinds of faults."""

    UNANSWERED = "unanswered"
    DUPLICATE = "duplicate"
    SPLIT_BY_COMPACTION = "split_by_compaction"
    ORPHAN = "orphan"
    REPEATED_ID = "repeated_id"
    NO_ID = "no_id"
    EARLY = "early"
    LATE = "late"
    WRONG_ROLE = "wrong_role"
    NOT_FIRST = "not_first"
    SPLIT = "split"
    OUT_OF_ORDER = "out_of_order"


RULE_OF: Final = {
    FaultKind.UNANSWERED: "P1",
    FaultKind.DUPLICATE: "P1",
    FaultKind.SPLIT_BY_COMPACTION: "P1",
    FaultKind.ORPHAN: "P2",
    FaultKind.REPEATED_ID: "P2",
    FaultKind.NO_ID: "P2",
    FaultKind.EARLY: "P3",
    FaultKind.LATE: "P3",
    FaultKind.WRONG_ROLE: "P3",
    FaultKind.NOT_FIRST: "P3",
    FaultKind.SPLIT: "W7",
    FaultKind.OUT_OF_ORDER: "W7",
}
"""The rule that each kind of fault breaks."""


class End(NamedTuple):
    """One of the blocks that a fault is about: what it is, and where it stands."""

    what: str
    place: Place


class Fault(NamedTuple):
    """One broken rule in a history: its kind, the call, what was found, and the blocks concerned, the culprit first."""

    kind: FaultKind
    call: str
    what: str
    ends: tuple[End, ...]

    @property
    def rule(self) -> str:
        """The rule that is broken."""
        return RULE_OF[self.kind]

    @property
    def place(self) -> Place:
        """Where the culprit stands."""
        return self.ends[0].place

    def __str__(self) -> str:
        ends = ", ".join(f"{end.what} at {end.place}" for end in self.ends)
        return f"{self.rule} {self.kind}: {self.what} ({ends})"
