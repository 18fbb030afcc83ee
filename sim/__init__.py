"""Run scenarios over a virtual clock, judge every run, measure and draw it."""

from .clock import SimLoop
from .oracle import Verdict, Violation, check, judge
from .world import ResponseFailed, Run, Stage, simulate

__all__ = ["ResponseFailed", "Run", "SimLoop", "Stage", "Verdict", "Violation", "check", "judge", "simulate"]
