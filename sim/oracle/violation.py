"""What the oracle says when a rule does not hold.

The rule: a violation stands on its own: the rule in words, what was seen and when, and the line that shows it again.
Times in nanoseconds from the turn's start.
"""

from dataclasses import dataclass
from textwrap import indent

from .instants import in_words


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule in one log.

    Args:
        rule: its number, such as ``S1``.
        statement: the rule in one sentence.
        at_ns: the instant of the wrong act.
        calls: the ids concerned, the culprit first.
        message: what was seen.
        timeline: the smallest excerpt of the log that shows it, the rows of the instant marked with ``>``.
        reproduce: the command that shows it again.
    """

    rule: str
    statement: str
    at_ns: int
    calls: tuple[str, ...]
    message: str
    timeline: str
    reproduce: str

    def __str__(self) -> str:
        where = f"{self.rule} broken at {in_words(self.at_ns)}: {self.message}"
        return "\n".join(
            [where, f"  rule: {self.statement}", indent(self.timeline, "  "), f"  again: {self.reproduce}"]
        )
