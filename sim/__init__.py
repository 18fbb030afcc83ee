"""Run scenarios over a virtual clock, judge every run, measure and draw it.

The rule: importing this package does not import Hypothesis; ``executor_machine`` is fetched when first asked for.
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from .testing.machine import executor_machine

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
    "executor_machine",
    "explore",
    "from_coroutine",
    "from_object",
    "from_turn",
    "judge",
    "simulate",
    "simulate_session",
]


def __getattr__(name: str) -> Any:
    if name == "executor_machine":
        from .testing.machine import executor_machine

        return executor_machine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
