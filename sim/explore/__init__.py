"""Exploration: one turn, or anybody's coroutine, under many schedules, latencies and interruptions.

The rule: whatever is found can be run again from one line. Times in nanoseconds.
"""

from .confidence import confidence
from .exploration import Exploration, Failure
from .explore import Scheduler, explore
from .interrupts import Interrupted
from .plan import Cut, Plan

__all__ = ["Cut", "Exploration", "Failure", "Interrupted", "Plan", "Scheduler", "confidence", "explore"]
