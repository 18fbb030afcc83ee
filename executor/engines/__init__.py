"""When calls run: who may start, what may be emitted, and the two engines built on it."""

from dataclasses import replace
from typing import Any, Literal, get_args

from .batch import BatchToolExecutor
from .core import ToolExecutor
from .options import Options
from .streaming import StreamingToolExecutor

Engine = Literal["streaming", "batch", "serial"]
"""How a turn's calls are run; ``serial`` is the batch engine with one call at a time (SPEC 1)."""


def make_executor(engine: Engine, *arguments: Any, options: Options | None = None, **named: Any) -> ToolExecutor:
    """Make the executor of an engine by name; further arguments are those of :class:`ToolExecutor` (Q5).

    Args:
        engine: see :data:`Engine`.
        options: see :class:`Options`; under ``serial`` one call executes at a time, whatever they say.

    Raises:
        ValueError: there is no engine of that name.
    """
    options = options or Options()
    if engine == "streaming":
        return StreamingToolExecutor(*arguments, options=options, **named)
    if engine == "batch":
        return BatchToolExecutor(*arguments, options=options, **named)
    if engine == "serial":
        return BatchToolExecutor(*arguments, options=replace(options, max_concurrency=1), **named)
    raise ValueError(f"engine: expected one of {', '.join(get_args(Engine))}, got {engine!r}")
