"""Simulated runs as a page. Times in nanoseconds from each turn's start.

The rule: a row tells what its run was judged to be, and judges nothing itself.
"""

from collections.abc import Sequence
from pathlib import Path

from scenarios.traces.fields import summary_of
from sim.analysis.courses import courses
from sim.oracle import Violation, makespan_ns
from sim.world import Run

from .drawing import LONGEST_TEXT
from .report import HtmlReport, TurnRow


class PlayedReport:
    """A report of runs.

    Args:
        title: its head.
    """

    def __init__(self, title: str) -> None:
        self._report = HtmlReport(title, ["makespan"])
        self._turns = self._calls = self._broken = self._unmet = 0

    def add_run(self, name: str, run: Run, violations: Sequence[Violation], unmet: Sequence[str]) -> None:
        """Show a run.

        Args:
            name: what it is listed as.
            run: what was played.
            violations: the rules it breaks.
            unmet: what its scenario expected in vain.
        """
        course = courses(run, violations=violations)
        self._turns += 1
        self._calls += len(course.calls)
        self._broken += len(violations)
        self._unmet += bool(unmet)
        notes = [run.scenario.name, *(f"not as expected: {failure}" for failure in unmet)]
        self._report.add(
            TurnRow(
                Path(name).name,
                {run.engine: course},
                [makespan_ns(run.events)],
                {call.id: summary_of(call.input, most=LONGEST_TEXT) for call in run.scenario.every_call},
                note="; ".join(filter(None, notes)),
            )
        )

    def page(self) -> str:
        """Give the page."""
        facts = {
            "turns": self._turns,
            "calls": self._calls,
            "broken rules": self._broken,
            "not as expected": self._unmet,
        }
        return self._report.page({name: str(count) for name, count in facts.items()})
