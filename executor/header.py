"""What the header of a turn's log says: its tools with their classes, its engine, its options (SPEC 10)."""

from typing import Any

from .calls.tool import Tool
from .calls.toolset import ToolSet
from .engines import Engine
from .engines.options import Options
from .wire.assembler import Start


def header_of(tools: ToolSet, engine: Engine, options: Options, start: Start) -> dict[str, Any]:
    """Describe a turn for its log; times in nanoseconds. A class decided per call is ``None``."""
    return {
        "engine": engine,
        "tools": {tool.name: _described(tool) for tool in tools},
        "options": {
            "max_concurrency": 1 if engine == "serial" else options.max_concurrency,
            "emission": options.emission,
            "cascade": options.cascade,
            "grace_ns": round(options.grace_s * 1e9),
            "start": start if engine == "streaming" and start != "message_stop" else "response_end",
        },
    }


def _described(tool: Tool) -> dict[str, Any]:
    described = {
        "safe": None if callable(tool.concurrency_safe) else tool.concurrency_safe,
        "cascades": tool.cascades,
        "interrupt": tool.interrupt,
        "deadline_ns": None if tool.timeout_s is None else round(tool.timeout_s * 1e9),
    }
    return described | {"aliases": list(tool.aliases)} if tool.aliases else described
