"""Recorded sessions as data: one importer per source, and the way from a recorded turn to a scenario.

The rule: what a file does not tell is unknown, what is damaged is reported, nothing is lost in silence. Nanoseconds.
"""

from .choosing import Choice, choose
from .fit import obstacle, to_scenario
from .fitted import fit_durations
from .latencies import latencies
from .model import Damage, RecordedCall, RecordedTurn, StrayResult, TraceError
from .profiles import PROFILES, Profile, profile_named
from .reader import TraceReader, read_trace, read_traces

__all__ = [
    "PROFILES",
    "Choice",
    "Damage",
    "Profile",
    "RecordedCall",
    "RecordedTurn",
    "StrayResult",
    "TraceError",
    "TraceReader",
    "choose",
    "fit_durations",
    "latencies",
    "obstacle",
    "profile_named",
    "read_trace",
    "read_traces",
    "to_scenario",
]
