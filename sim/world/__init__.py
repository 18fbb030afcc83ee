"""Everything outside the executor, as SimPy processes: the response, the tools, the user; and the runs made of it."""

from .judging import check, judge_run
from .own import (
    ABILITIES,
    Ability,
    AnyExecutor,
    ExecutorLike,
    OwnEngine,
    as_engine,
    from_coroutine,
    from_object,
    from_turn,
)
from .own_stage import OwnStage
from .run import Run, simulate
from .session import SessionTurn, simulate_session
from .wire import ResponseFailed

__all__ = [
    "ABILITIES",
    "Ability",
    "AnyExecutor",
    "ExecutorLike",
    "OwnEngine",
    "OwnStage",
    "ResponseFailed",
    "Run",
    "SessionTurn",
    "as_engine",
    "check",
    "from_coroutine",
    "from_object",
    "from_turn",
    "judge_run",
    "simulate",
    "simulate_session",
]
