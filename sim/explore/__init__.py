"""Exploration: one turn, or anybody's coroutine, under many schedules, latencies and interruptions.

The rule: whatever is found can be run again from one line. Times in nanoseconds.
"""

from .confidence import confidence
from .exploration import Exploration, Failure
from .explore import Scheduler, explore
from .plan import Cut, Plan

__all__ = ["Cut", "Exploration", "Failure", "Plan", "Scheduler", "confidence", "explore"]
