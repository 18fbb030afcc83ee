"""Run an LLM agent's tool calls: side by side where that is safe, alone where it is not, one result for each."""

from .abort import AbortController, AbortSignal
from .calls.attachment import Attachment
from .calls.block import ToolUseBlock
from .calls.body import CallHandle
from .calls.context import ToolContext
from .calls.outcome import Outcome
from .calls.progress import Progress
from .calls.result import Background, Stopped, ToolOutput, ToolResult, Update
from .calls.tool import Tool, tool
from .calls.toolset import ToolSet
from .engines import Engine, make_executor
from .engines.batch import BatchToolExecutor, partition
from .engines.options import Options
from .engines.report import ClosingReport, Discarded, Effect, Fault
from .engines.streaming import StreamingToolExecutor
from .pipeline.command_hook import command_hook
from .pipeline.hooks import (
    AdditionalContext,
    Hook,
    HookEvent,
    HookFailed,
    Hooks,
    Message,
    PreventContinuation,
    Stop,
    StopReason,
    UpdatedInput,
    UpdatedOutput,
    Warned,
)
from .pipeline.permissions import Allow, Ask, Deny, PermissionRules
from .pipeline.questions import Question
from .recorder import Recorder
from .turn import Turn
from .wire.faults import StreamFailure
from .wire.stream import BlockStream, blocks

__all__ = [
    "AbortController",
    "AbortSignal",
    "AdditionalContext",
    "Allow",
    "Ask",
    "Attachment",
    "Background",
    "BatchToolExecutor",
    "BlockStream",
    "CallHandle",
    "ClosingReport",
    "Deny",
    "Discarded",
    "Effect",
    "Engine",
    "Fault",
    "Hook",
    "HookEvent",
    "HookFailed",
    "Hooks",
    "Message",
    "Options",
    "Outcome",
    "PermissionRules",
    "PreventContinuation",
    "Progress",
    "Question",
    "Recorder",
    "Stop",
    "StopReason",
    "Stopped",
    "StreamFailure",
    "StreamingToolExecutor",
    "Tool",
    "ToolContext",
    "ToolOutput",
    "ToolResult",
    "ToolSet",
    "ToolUseBlock",
    "Turn",
    "Update",
    "UpdatedInput",
    "UpdatedOutput",
    "Warned",
    "blocks",
    "command_hook",
    "make_executor",
    "partition",
    "tool",
]
