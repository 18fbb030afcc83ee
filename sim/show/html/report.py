"""Gathers turns for the page, within bounds.

The rule: however much comes, the file stays small enough to open: of what does not fit, the turns with most to see are
kept, and what was left out is said. Times in nanoseconds from each turn's start.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sim.analysis.courses import TurnCourse

from ..amounts import counted
from .drawing import broken, drawing, shown
from .page import page

MAX_TURNS: Final = 50_000
"""How many turns are listed."""

MAX_CALLS: Final = 10_000
"""How many calls of a turn are drawn."""

MAX_ROOM: Final = 40_000
"""How many calls are drawn in all turns and views together."""

MAX_BROKEN: Final = 2_000
"""How many broken rules are told."""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of the report.

    Args:
        name: what it is listed as.
        session: where it comes from, if others come from there too.
        courses: the ways to draw it, by their names, the first of them shown first.
        spans_ns: its measures; ``None`` where unknown.
        abouts: what its calls are about, by id.
        note: what else there is to say of it.
        estimated: whether its times are estimates (B121).
    """

    name: str
    courses: Mapping[str, TurnCourse]
    spans_ns: Sequence[int | None] = ()
    abouts: Mapping[str, str] = field(default_factory=dict)
    session: str = ""
    note: str = ""
    estimated: bool = False


class HtmlReport:
    """A report that takes turn after turn and becomes a page.

    Args:
        title: its head.
        measures: what ``spans_ns`` of each turn are called.

    >>> from scenarios import Call, Scenario
    >>> from sim import simulate
    >>> from sim.analysis.courses import courses
    >>> report = HtmlReport("one turn", ["makespan"])
    >>> report.add(TurnRow("a read", {"streaming": courses(simulate(Scenario(calls=[Call(id="a")])))}, [0]))
    >>> report.page({"turns": "1"}).startswith("<!doctype html>")
    True
    """

    def __init__(self, title: str, measures: Sequence[str]) -> None:
        self._title = title
        self._measures = list(measures)
        self._turns: list[dict[str, Any]] = []
        self._drawn: list[tuple[tuple[bool, int, int], int, int]] = []
        """A heap: how much there is to see, the turn's place counted down, the calls it draws."""
        self._room = self._broken = self._unlisted = self._untold = 0

    def add(self, row: TurnRow) -> None:
        """Take in a turn."""
        if len(self._turns) >= MAX_TURNS:
            self._unlisted += 1
            return
        found = [broken(one, view) for view, course in row.courses.items() for one in course.violations]
        kept = found[: MAX_BROKEN - self._broken]
        self._broken += len(kept)
        self._untold += len(found) - len(kept)
        first = next(iter(row.courses.values()))
        views = {shown(view): drawing(course, row.abouts, most=MAX_CALLS) for view, course in row.courses.items()}
        turn = {
            "name": shown(row.name),
            "session": shown(row.session),
            "tools": _tools(first),
            "calls": len(first.calls),
            "spans": list(row.spans_ns),
            "note": shown(row.note),
            "estimated": row.estimated,
            "broken": kept,
            "views": views,
        }
        worth = (bool(found), len(first.calls), first.span_ns)
        calls = sum(len(view["calls"]) for view in views.values())
        heapq.heappush(self._drawn, (worth, -len(self._turns), calls))
        self._turns.append(turn)
        self._room += calls
        while self._room > MAX_ROOM:
            _, place, calls = heapq.heappop(self._drawn)
            del self._turns[-place]["views"]
            self._room -= calls

    def page(
        self,
        facts: Mapping[str, str],
        *,
        totals_ns: Mapping[str, int] | None = None,
        totals_told: str = "",
        notes: Iterable[str] = (),
    ) -> str:
        """Give the file.

        Args:
            facts: what the summary tells.
            totals_ns: times that it compares.
            totals_told: what these are.
            notes: what was left out or found damaged, besides what the report itself leaves out.
        """
        best = max(self._drawn, default=((), 0, 0))
        return page(
            {
                "title": shown(self._title),
                "facts": [[name, shown(text)] for name, text in facts.items()],
                "spans": list((totals_ns or {}).items()),
                "spans_told": totals_told,
                "estimated": any(turn["estimated"] for turn in self._turns),
                "measures": self._measures,
                "turns": self._turns,
                "first": -best[1],
                "notes": [*self._left_out(), *map(shown, notes)],
            }
        )

    def _left_out(self) -> Iterable[str]:
        if self._unlisted:
            yield f"{counted(self._unlisted, 'turn')} beyond the first {MAX_TURNS}: neither listed nor drawn"
        if undrawn := len(self._turns) - len(self._drawn):
            yield f"{counted(undrawn, 'turn')} listed but not drawn: the report draws {MAX_ROOM} calls at most"
        if self._untold:
            yield f"{counted(self._untold, 'broken rule')} beyond the first {MAX_BROKEN}: not told"


def _tools(course: TurnCourse) -> str:
    counts = Counter(call.tool for call in course.calls).most_common()
    named = [f"{shown(tool)} {count}" if count > 1 else shown(tool) for tool, count in counts[:_TOOLS]]
    more = [f"{len(counts) - _TOOLS} more"] if len(counts) > _TOOLS else []
    return ", ".join(named + more)


_TOOLS: Final = 5
