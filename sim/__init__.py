"""Run scenarios over a virtual clock, judge every run, measure and draw it."""

from .clock import SimLoop
from .oracle import Verdict, Violation, judge
from .world import ResponseFailed, Run, Stage, check, simulate

__all__ = ["ResponseFailed", "Run", "SimLoop", "Stage", "Verdict", "Violation", "check", "judge", "simulate"]
