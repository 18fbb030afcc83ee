"""Scenarios are data: what a turn's calls do and when, as a Python model and as YAML files. Nothing here runs.

The rule: importing this package imports neither Hypothesis nor the importers; what needs them is fetched
when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .calls import Child
from .files import load, loads
from .hooks import HookSpec, HookWords, OwnHook, Rewrite
from .model import Attempt, Call, Consumer, Expect, Happening, Options, Row, Scenario, Stream, ToolSpec
from .permissions import Answer, Permissions
from .problems import ScenarioError
from .writing import dump

if TYPE_CHECKING:
    from . import strategies as strategies
    from .history import lint, repair
    from .traces import read_trace

__all__ = [
    "Answer",
    "Attempt",
    "Call",
    "Child",
    "Consumer",
    "Expect",
    "Happening",
    "HookSpec",
    "HookWords",
    "Options",
    "OwnHook",
    "Permissions",
    "Rewrite",
    "Row",
    "Scenario",
    "ScenarioError",
    "Stream",
    "ToolSpec",
    "dump",
    "lint",
    "load",
    "loads",
    "read_trace",
    "repair",
    "strategies",
]


def __getattr__(name: str) -> Any:
    match name:
        case "strategies":
            return import_module(".strategies", __name__)
        case "read_trace":
            return import_module(".traces", __name__).read_trace
        case "lint" | "repair":
            return getattr(import_module(".history", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
