"""Run an LLM agent's tool calls: side by side where that is safe, alone where it is not, one result for each."""

from .abort import AbortController, AbortSignal
from .calls.block import ToolUseBlock
from .calls.body import CallHandle
from .calls.context import ToolContext
from .calls.outcome import Outcome
from .calls.progress import Progress
from .calls.result import Stopped, ToolOutput, ToolResult, Update
from .calls.tool import Tool, tool
from .calls.toolset import ToolSet
from .engines import Engine, make_executor
from .engines.batch import BatchToolExecutor, partition
from .engines.options import Options
from .engines.report import ClosingReport, Discarded, Effect, Fault
from .engines.streaming import StreamingToolExecutor
from .recorder import Recorder
from .turn import Turn

__all__ = [
    "AbortController",
    "AbortSignal",
    "BatchToolExecutor",
    "CallHandle",
    "ClosingReport",
    "Discarded",
    "Effect",
    "Engine",
    "Fault",
    "Options",
    "Outcome",
    "Progress",
    "Recorder",
    "Stopped",
    "StreamingToolExecutor",
    "Tool",
    "ToolContext",
    "ToolOutput",
    "ToolResult",
    "ToolSet",
    "ToolUseBlock",
    "Turn",
    "Update",
    "make_executor",
    "partition",
    "tool",
]
