"""Pictures of turns: each takes a frame and ``ax=None`` and gives the axes back, so that they can be put together.

The rule: what a figure cannot show it names on itself, under its axis. Times in seconds. Needs the ``analysis`` extra.
Colours are those of Okabe and Ito; what differs in colour differs in hatch or shape too, for grey print.
"""

from .ecdf import latency_ecdf
from .gantt import gantt
from .outcomes import exploration_outcomes
from .paper import notes
from .saving import kind_of, save
from .savings import saving_by_calls, savings_map
from .session import session_timeline
from .side import side_by_side

__all__ = [
    "exploration_outcomes",
    "gantt",
    "kind_of",
    "latency_ecdf",
    "notes",
    "save",
    "saving_by_calls",
    "savings_map",
    "session_timeline",
    "side_by_side",
]
