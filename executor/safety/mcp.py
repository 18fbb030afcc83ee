"""Which MCP tools may run beside others.

The rule: an annotation is the server's word, so it counts only where the operator trusts the server (R4).
"""

from collections.abc import Mapping
from typing import Any


def mcp_safety(annotations: Mapping[str, Any], trusted: bool, override: bool | None = None) -> bool:
    """Decide whether an MCP tool is concurrency-safe (R4).

    Args:
        annotations: the tool's annotations, as its server sent them.
        trusted: whether the operator trusts that server.
        override: the operator's own word on this tool, which counts whatever the server says.

    >>> mcp_safety({"readOnlyHint": True}, trusted=True), mcp_safety({"readOnlyHint": True}, trusted=False)
    (True, False)
    >>> mcp_safety({"readOnlyHint": "false"}, trusted=True)
    False
    """
    if override is not None:
        return override is True
    reads, destroys = annotations.get("readOnlyHint"), annotations.get("destructiveHint")
    return trusted is True and reads is True and destroys is not True
