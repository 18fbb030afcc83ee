"""Run scenarios over a virtual clock, judge every run, measure and draw it."""

from .clock import SimLoop
from .explore import Exploration, explore
from .oracle import Verdict, Violation, judge
from .world import ResponseFailed, Run, Stage, check, simulate

__all__ = [
    "Exploration",
    "ResponseFailed",
    "Run",
    "SimLoop",
    "Stage",
    "Verdict",
    "Violation",
    "check",
    "explore",
    "judge",
    "simulate",
]
