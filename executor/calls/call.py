"""The executor's record of one block, from arrival to emitted result (SPEC 1)."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..abort import AbortSignal
from .attachment import Attachment
from .block import ToolUseBlock
from .context import Modifier, ToolContext
from .life import TRANSITIONS, IllegalTransition, Status
from .output import Collected
from .result import ToolResult
from .tool import DESCRIBING, Tool

_NOTHING: Mapping[str, Any] = {}


class HookTime(NamedTuple):
    """When one hook of a call ran, in seconds of the loop's clock (X7)."""

    stage: str
    hook: str
    started_s: float
    ended_s: float


class Call:
    """One call; when each step of it happened is kept apart, in seconds of the loop's clock, ``None``: not yet (X7).

    Args:
        block: what the model asked for.
        index: its place in request order, from 0.
        tool: the tool it reaches, ``None`` if there is none of that name.
        arrived_s: the loop's time at arrival.
    """

    __slots__ = (
        "_signal",
        "admitted_s",
        "answered_s",
        "arrived_s",
        "asked_s",
        "attachments",
        "block",
        "body_ended_s",
        "body_started_s",
        "context",
        "deadline",
        "emitted_s",
        "hook_times",
        "id",
        "index",
        "input",
        "invalid",
        "modifier",
        "partial",
        "progress_count",
        "result",
        "safe",
        "settled_s",
        "signal_reason",
        "started",
        "status",
        "task",
        "timer",
        "tool",
        "was_exclusive",
    )

    def __init__(self, block: ToolUseBlock, index: int, tool: Tool | None, arrived_s: float) -> None:
        self.block = block
        self.id = block.id
        self.index = index
        self.tool = tool
        self.status = Status.QUEUED
        self.input: Mapping[str, Any] = _NOTHING
        self.invalid: str | None = None
        self.safe = False
        self.arrived_s = arrived_s
        self.admitted_s: float | None = None
        self.hook_times: tuple[HookTime, ...] = ()
        self.asked_s: float | None = None
        self.answered_s: float | None = None
        self.body_started_s: float | None = None
        self.body_ended_s: float | None = None
        self.settled_s: float | None = None
        self.emitted_s: float | None = None
        self.context: ToolContext | None = None
        self.signal_reason: str | None = None
        """Why the call's signal fired, ``None`` while it has not."""
        self._signal: AbortSignal | None = None
        self.task: asyncio.Task[Any] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.progress_count = 0
        self.started = False
        self.was_exclusive = False
        self.modifier: Modifier | None = None
        self.partial: Collected | None = None
        self.attachments: tuple[Attachment, ...] = ()
        self.result: ToolResult | None = None

    @property
    def signal(self) -> AbortSignal:
        """The call's own level of the abort tree, as its body sees it (A1); made when it is asked for, as few do."""
        if self._signal is None:
            self._signal = AbortSignal(self.signal_reason)
        return self._signal

    def fire(self) -> None:
        """Tell whoever listens to the signal that there is a reason."""
        if self._signal is not None and self.signal_reason is not None:
            self._signal.fire(self.signal_reason)

    def release(self) -> None:
        """Let go of what the settled call ran on and with, listeners included; a long turn keeps none of it (A1)."""
        if self.timer is not None:
            self.timer.cancel()
        if self.deadline is not None:
            self.deadline.cancel()
        self.timer = self.deadline = self.task = self._signal = None
        self.input = _NOTHING

    @property
    def in_body(self) -> bool:
        """Whether the body runs."""
        return self.started and self.body_ended_s is None

    def advance(self, status: Status) -> None:
        """Move the call forwards along the table (S8)."""
        if status not in TRANSITIONS[self.status]:
            raise IllegalTransition(f"call {self.id!r}: {self.status} → {status} is not in the table")
        self.status = status

    def describe(self) -> str:
        """Name the call for people and for its siblings: ``Bash(mkdir build)``, at most 40 characters in brackets."""
        what = next((self.block.input[key] for key in DESCRIBING if self._has_text(key)), "")
        return f"{self.block.name}({what[:40]})" if what else ""

    def _has_text(self, key: str) -> bool:
        return isinstance(self.block.input, Mapping) and isinstance(self.block.input.get(key), str)
