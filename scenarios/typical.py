"""How long calls of well-known tools take: medians and 95th percentiles of some 21,000 calls in recorded sessions.

The rule: from admission to settlement, as the sessions have it: what asked a person before it wrote (``Edit``,
``Write``) has a long tail of people. Durations are in words.
"""

from collections.abc import Mapping
from typing import Final

from .durations import LogNormal

_MEASURED: Final = {
    "Bash": ("1.6s", "60.6s"),
    "Read": ("25ms", "390ms"),
    "Edit": ("140ms", "36s"),
    "Grep": ("420ms", "1.17s"),
    "Glob": ("430ms", "1.2s"),
    "Write": ("210ms", "96s"),
    "TaskUpdate": ("3ms", "80ms"),
    "TaskCreate": ("3ms", "60ms"),
    "TodoWrite": ("60ms", "230ms"),
    "Agent": ("60.6s", "875s"),
    "WebFetch": ("6s", "87s"),
    "WebSearch": ("20.6s", "36s"),
    "mcp__": ("3.7s", "84s"),
}
_OTHER_NAMES: Final = {"Task": "Agent"}

TYPICAL: Final[Mapping[str, LogNormal]] = {
    tool: LogNormal(median=median, p95=p95) for tool, (median, p95) in _MEASURED.items()
}
"""The typical duration by the tool's name; ``mcp__`` stands for every tool of an MCP server."""


def typical_of(tool: str) -> LogNormal | None:
    """Give what calls of a tool of this name typically take, ``None`` where nobody has measured it.

    >>> typical_of("mcp__github__get_issue") == TYPICAL["mcp__"], typical_of("Dance")
    (True, None)
    """
    return TYPICAL.get("mcp__" if tool.startswith("mcp__") else _OTHER_NAMES.get(tool, tool))
