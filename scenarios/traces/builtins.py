"""The known tools of recorded sessions and their classes, as the published table gives them (R6).

The rule: a name that is not here is exclusive and blocks (fail closed, E2). Names are those that occur in transcripts,
retired ones included. The table takes a shell as exclusive (R3 ``tool``); how the commands of recorded sessions were
classed, their profile says. No times here.
"""

from typing import Final

from .agents import AGENTS, OTHERS
from .tool_class import ASKS, EXCLUSIVE, READS, SAFE, ToolClass

__all__ = ["ALIASES", "CLASSES", "ToolClass", "classify", "is_known"]

CLASSES: Final[dict[str, ToolClass]] = {
    # The published contract lets these be cut off.
    **dict.fromkeys(("Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch"), READS),
    **dict.fromkeys(("ToolSearch", "LSP", "Brief", "Config"), SAFE),
    **dict.fromkeys(("TaskCreate", "TaskGet", "TaskList", "TaskUpdate"), SAFE),
    **dict.fromkeys(("ReadMcpResource", "ListMcpResources", "ReadMcpResourceTool", "ListMcpResourcesTool"), SAFE),
    **dict.fromkeys(("CronList", "SyntheticOutput", "RemoteTrigger"), SAFE),
    # The published table is silent about sub-agents; recorded ones of one response overlap and finish out of order.
    **dict.fromkeys(("Task", "Agent"), SAFE),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit"), EXCLUSIVE),
    "Bash": ToolClass(cascades=True, command="command"),
    # No grammar of it is known, so its commands decide nothing.
    "PowerShell": ToolClass(cascades=True),
    **dict.fromkeys(("ExitPlanMode", "AskUserQuestion"), ASKS),
    **dict.fromkeys(("EnterPlanMode", "McpAuth", "Skill", "TodoWrite"), EXCLUSIVE),
    **dict.fromkeys(("TaskOutput", "BashOutput", "AgentOutputTool"), EXCLUSIVE),
    **dict.fromkeys(("TaskStop", "KillShell", "KillBash"), EXCLUSIVE),
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


def classify(tool: str, program: str | None = None) -> ToolClass:
    """Give the class assumed for a tool; unknown and MCP tools are exclusive (E2, R4).

    Args:
        tool: its name.
        program: whose it is; by itself, and where a program's tools are not known, the published design's.

    >>> classify("Grep").safe, classify("Bash").cascades, classify("mcp__github__get_issue").safe
    (True, True, False)
    >>> classify("read_file").safe, classify("read_file", "Gemini CLI").safe
    (False, True)
    """
    if program in AGENTS:
        return AGENTS[program].get(tool, OTHERS.get(program, EXCLUSIVE))
    return CLASSES.get(tool, EXCLUSIVE)


def is_known(tool: str, program: str | None = None) -> bool:
    """Say whether the class of a tool stands in a table, rather than being the fail-closed default.

    Args:
        tool: its name.
        program: see :func:`classify`.
    """
    if program in AGENTS:
        return tool in AGENTS[program] or program in OTHERS
    return tool in CLASSES
