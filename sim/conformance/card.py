"""What came of an executor's examination, rule by rule.

The rule: what could not be seen is said to be so; it counts neither for the executor nor against it. No times here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Literal

from scenarios import Scenario, dump
from sim.oracle import Violation
from sim.show.amounts import counted

Mark = Literal["holds", "broken", "not observable"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The simplest scenario found in which a rule is broken, how it was broken there, and in how many scenarios."""

    scenario: Scenario
    violation: Violation
    count: int


@dataclass(frozen=True, slots=True)
class ReportCard:
    """The marks of one executor.

    Args:
        engine: the executor's name.
        played: how many scenarios were played.
        marks: each rule's mark, in the oracle's order.
        broken: the broken rules' counterexamples.
        unseen: why a rule is not observable.
    """

    engine: str
    played: int
    marks: Mapping[str, Mark]
    broken: Mapping[str, Counterexample]
    unseen: Mapping[str, str]

    @property
    def is_clean(self) -> bool:
        """Whether no rule is broken."""
        return not self.broken

    def __str__(self) -> str:
        lines = [f"{self.engine}: {counted(self.played, 'scenario')}"]
        for rule, mark in self.marks.items():
            lines.append(f"{rule:<3} {mark}" + (f": {self.unseen[rule]}" if rule in self.unseen else ""))
            if (found := self.broken.get(rule)) is not None:
                lines[-1] += f" in {found.count}: {found.violation.message}"
                lines += [indent(dump(found.scenario).rstrip(), "      "), f"    again: {found.violation.reproduce}"]
        return "\n".join(lines)
