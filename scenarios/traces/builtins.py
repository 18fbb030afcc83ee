"""The known tools of recorded sessions and their classes, as the published table gives them (R6).

The rule: a name that is not here is exclusive and blocks (fail closed, E2). Names are those that occur in transcripts,
retired ones included. The table takes a shell as exclusive (R3 ``tool``); how the commands of recorded sessions were
classed, their profile says. No times here.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class ToolClass:
    """How a tool behaves beside others.

    ``safe``: may run beside other safe calls. ``cascades``: its error cancels its siblings (A2). ``interrupt``: what a
    submit does to it (A7). ``asks``: a person answers, so its duration is human time.
    """

    safe: bool = False
    cascades: bool = False
    interrupt: Literal["cancel", "block"] = "block"
    asks: bool = False


_READS: Final = ToolClass(safe=True, interrupt="cancel")
_SAFE: Final = ToolClass(safe=True)
_EXCLUSIVE: Final = ToolClass()
_SHELL: Final = ToolClass(cascades=True)
_ASKS: Final = ToolClass(asks=True)

CLASSES: Final[dict[str, ToolClass]] = {
    # Half a read or half a search harms nobody: the published contract lets these be cut off.
    **dict.fromkeys(("Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch"), _READS),
    **dict.fromkeys(("ToolSearch", "LSP", "Brief", "Config"), _SAFE),
    **dict.fromkeys(("TaskCreate", "TaskGet", "TaskList", "TaskUpdate"), _SAFE),
    **dict.fromkeys(("ReadMcpResource", "ListMcpResources", "ReadMcpResourceTool", "ListMcpResourcesTool"), _SAFE),
    **dict.fromkeys(("CronList", "SyntheticOutput", "RemoteTrigger"), _SAFE),
    # The published table is silent about sub-agents; recorded ones of one response overlap and finish out of order.
    **dict.fromkeys(("Task", "Agent"), _SAFE),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit"), _EXCLUSIVE),
    **dict.fromkeys(("Bash", "PowerShell"), _SHELL),
    **dict.fromkeys(("ExitPlanMode", "AskUserQuestion"), _ASKS),
    **dict.fromkeys(("EnterPlanMode", "McpAuth", "Skill", "TodoWrite"), _EXCLUSIVE),
    **dict.fromkeys(("TaskOutput", "BashOutput", "AgentOutputTool"), _EXCLUSIVE),
    **dict.fromkeys(("TaskStop", "KillShell", "KillBash"), _EXCLUSIVE),
}
"""Every tool whose class is known, by the name transcripts use."""

ALIASES: Final[dict[str, str]] = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
    "BashOutput": "TaskOutput",
    "AgentOutputTool": "TaskOutput",
}
"""Retired names and what they became; both stay in :data:`CLASSES`, because old transcripts keep old names."""


def classify(tool: str) -> ToolClass:
    """Give the class assumed for a tool; unknown and MCP tools are exclusive (E2, R4).

    >>> classify("Grep").safe, classify("Bash").cascades, classify("mcp__github__get_issue").safe
    (True, True, False)
    """
    return CLASSES.get(tool, _EXCLUSIVE)


def is_known(tool: str) -> bool:
    """Say whether the class of a tool stands in the table, rather than being the fail-closed default."""
    return tool in CLASSES
