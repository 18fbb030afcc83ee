"""Run scenarios over a virtual clock, judge every run, measure and draw it."""

from .clock import SimLoop
from .explore import Exploration, explore
from .oracle import Verdict, Violation, judge
from .world import ResponseFailed, Run, SessionTurn, Stage, check, simulate, simulate_session

__all__ = [
    "Exploration",
    "ResponseFailed",
    "Run",
    "SessionTurn",
    "SimLoop",
    "Stage",
    "Verdict",
    "Violation",
    "check",
    "explore",
    "judge",
    "simulate",
    "simulate_session",
]
