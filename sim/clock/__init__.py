"""The deterministic clock: an asyncio event loop on a SimPy environment that counts integer nanoseconds.

The rule: time moves only when nothing is ready, and the same program takes the same steps in every process. Unit: ns.
"""

from .choices import Choices, SeededChoices, format_choices, parse_choices
from .environment import Environment, Rank
from .escape import SimulationEscape
from .instant import NS_PER_S, Instant, ns, seconds
from .loop import SimLoop
from .run import Course, run
from .stuck import Deadlock, Livelock
from .waits import Waits
from .watch import watching

__all__ = [
    "NS_PER_S",
    "Choices",
    "Course",
    "Deadlock",
    "Environment",
    "Instant",
    "Livelock",
    "Rank",
    "SeededChoices",
    "SimLoop",
    "SimulationEscape",
    "Waits",
    "format_choices",
    "ns",
    "parse_choices",
    "run",
    "seconds",
    "watching",
]
