"""The oracle: judges the log of a turn by the rules of SPEC 10, from the outside view alone.

The rule: it knows the executor's nouns (events, outcomes) and nothing else, so that it can judge any executor. Times in
nanoseconds from the turn's start.
"""

from .comparison import compare_makespans, incomparable
from .judge import RULES, Verdict, check, judge
from .makespan import makespan_ns
from .situations import SITUATIONS, situations, unreached
from .violation import Violation

__all__ = [
    "RULES",
    "SITUATIONS",
    "Verdict",
    "Violation",
    "check",
    "compare_makespans",
    "incomparable",
    "judge",
    "makespan_ns",
    "situations",
    "unreached",
]
