"""Everything outside the executor, as SimPy processes: the response, the tools, the user; and the runs made of it."""

from .run import AnyExecutor, Run, check, simulate
from .session import SessionTurn, simulate_session
from .stage import Stage
from .wire import ResponseFailed

__all__ = ["AnyExecutor", "ResponseFailed", "Run", "SessionTurn", "Stage", "check", "simulate", "simulate_session"]
