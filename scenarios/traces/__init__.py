"""Recorded sessions as data: one importer per source, and the way from a recorded turn to a scenario.

The rule: what a file does not tell is unknown, what is damaged is reported, nothing is lost in silence. Nanoseconds.
"""

from .fit import obstacle, to_scenario
from .latencies import latencies
from .model import Damage, RecordedCall, RecordedTurn, StrayResult, TraceError
from .reader import TraceReader, read_trace, read_traces

__all__ = [
    "Damage",
    "RecordedCall",
    "RecordedTurn",
    "StrayResult",
    "TraceError",
    "TraceReader",
    "latencies",
    "obstacle",
    "read_trace",
    "read_traces",
    "to_scenario",
]
