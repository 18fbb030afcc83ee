"""Run scenarios over a virtual clock, judge every run, measure and draw it."""

from .clock import SimLoop
from .conformance import ReportCard, check_engine
from .explore import Exploration, explore
from .oracle import Verdict, Violation, judge
from .world import (
    OwnEngine,
    OwnStage,
    ResponseFailed,
    Run,
    SessionTurn,
    check,
    from_coroutine,
    from_object,
    from_turn,
    simulate,
    simulate_session,
)

__all__ = [
    "Exploration",
    "OwnEngine",
    "OwnStage",
    "ReportCard",
    "ResponseFailed",
    "Run",
    "SessionTurn",
    "SimLoop",
    "Verdict",
    "Violation",
    "check",
    "check_engine",
    "explore",
    "from_coroutine",
    "from_object",
    "from_turn",
    "judge",
    "simulate",
    "simulate_session",
]
