"""What was met on the way through a file: how much of everything, and everything that was wrong or odd.

The rule: whatever is passed over is counted, whatever is lost, changed or contradictory is reported with its line.
"""

from collections import Counter
from dataclasses import dataclass, field

from .model import Damage, StrayResult


@dataclass(slots=True)
class Counts:
    """Numbers of what a file holds; final once its last turn has been handed out."""

    lines: int = 0
    blank: int = 0
    records: int = 0
    types: Counter[str] = field(default_factory=Counter)
    unknown_types: Counter[str] = field(default_factory=Counter)
    responses: int = 0
    turns: int = 0
    calls: int = 0
    results: int = 0
    interrupts: int = 0
    synthetic: int = 0
    compactions: int = 0
    copied_lines: int = 0
    copied_calls: int = 0
    same_uuid: int = 0
    duplicate_results: int = 0
    stray_results: int = 0
    outside_results: int = 0
    withdrawn_calls: int = 0


@dataclass(slots=True)
class Findings:
    """The damage of one file, its counts, and the place (line, byte offset) of the record being read.

    ``layout`` is ``lines``, or what else the records come in: ``pretty`` and ``loglines`` are JSON without being JSON
    lines.
    """

    damage: list[Damage] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    versions: list[str] = field(default_factory=list)
    strays: list[StrayResult] = field(default_factory=list)
    layout: str = "lines"
    place: tuple[int, int] = (0, 0)

    def begin(self, line: int, offset: int) -> None:
        """Take note of the next record, and count it."""
        self.place = (line, offset)
        self.counts.records += 1

    def report(self, what: str, place: tuple[int, int] | None = None) -> None:
        """Note one damage, at the record being read or at an earlier place (line, byte offset)."""
        self.damage.append(Damage(*(place or self.place), what))

    def skipped(self) -> dict[str, int]:
        """Say what was passed over and how often; reasons that did not occur are left out."""
        counts = self.counts
        reasons = {
            "responses without tool calls": counts.responses - counts.turns,
            "synthetic responses": counts.synthetic,
            "lines that are copies of earlier ones": counts.copied_lines,
            "calls that an earlier line or file has already": counts.copied_calls,
            "blank lines": counts.blank,
            "results repeated, or of calls made before the file begins": counts.outside_results,
            "calls of responses that failed and were asked for again": counts.withdrawn_calls,
        }
        reasons |= {f"lines of unknown type {kind}": n for kind, n in counts.unknown_types.items()}
        return {reason: n for reason, n in reasons.items() if n}
