"""What can be chosen about an executor besides its engine, to ask what a turn would have cost under it.

The rule: what is not chosen stays as the turn has it. No times here.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

from executor.engines.emission import EmissionOrder
from executor.engines.options import CascadePolicy
from executor.wire.assembler import Start
from scenarios.calls import Call, ToolSpec
from scenarios.model import Scenario
from scenarios.words import hint, shown

Classify = Literal["command", "tool"]

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "emission": get_args(EmissionOrder),
    "cascade": get_args(CascadePolicy),
    "start": get_args(Start),
    "classify": get_args(Classify),
}
"""The options that are one of some words, and the words."""
_SHELL: Final = "Bash"
"""The shell whose grammar is known (R1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The options of a what-if; ``None`` leaves one as the turn has it.

    Args:
        limit: how many calls may execute at once, ``"none"`` for no limit (E3).
        emission: the order of results (E6).
        cascade: which errors cancel siblings (A2).
        start: when a complete block may start (W5).
        classify: whether a shell's calls are classed by their command or are all exclusive (R3).

    Raises:
        ValueError: a value outside its range, with those there are.

    >>> str(Policy(limit=2, emission="eager")), str(Policy())
    ('limit 2, emission eager', 'as given')
    """

    limit: int | Literal["none"] | None = None
    emission: EmissionOrder | None = None
    cascade: CascadePolicy | None = None
    start: Start | None = None
    classify: Classify | None = None

    def __post_init__(self) -> None:
        limit = self.limit
        if limit not in (None, "none") and (type(limit) is not int or limit < 1):
            raise ValueError(f"limit: expected a number from 1 on, or none for no limit, got {shown(limit)}")
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in known:
                raise ValueError(f"{name}: expected {' or '.join(known)}, got {shown(value)}{hint(value, known)}")

    def __str__(self) -> str:
        chosen = [(one.name, getattr(self, one.name)) for one in fields(self)]
        return ", ".join(f"{name} {value}" for name, value in chosen if value is not None) or "as given"

    def apply(self, scenario: Scenario) -> Scenario:
        """Give the turn under these options."""
        changed: dict[str, Any] = {"options": self._options(scenario)}
        if self.start is not None:
            # Where blocks come whole nothing but their own end can start a call.
            stream = {"start": self.start} | ({} if self.start == "block" else {"level": "bytes"})
            changed["stream"] = scenario.stream.model_copy(update=stream)
        if self.classify is not None:
            changed["tools"] = {name: self._classed(name, tool) for name, tool in scenario.tools.items()}
        if self.classify == "tool":
            shells = {name for name, tool in scenario.tools.items() if tool.safe == "by_command"}
            changed["calls"] = _as_their_tools(scenario.calls, shells)
            changed["attempts"] = tuple(
                attempt.model_copy(update={"calls": _as_their_tools(attempt.calls, shells)})
                for attempt in scenario.attempts
            )
        return scenario.model_copy(update=changed)

    def _options(self, scenario: Scenario) -> Any:
        chosen = {"emission": self.emission, "cascade": self.cascade}
        update: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
        if self.limit is not None:
            update["max_concurrency"] = None if self.limit == "none" else self.limit
        return scenario.options.model_copy(update=update)

    def _classed(self, name: str, tool: ToolSpec) -> ToolSpec:
        if self.classify == "tool":
            return tool.model_copy(update={"safe": False}) if tool.safe == "by_command" else tool
        return tool.model_copy(update={"safe": "by_command"}) if name == _SHELL and tool.safe is False else tool


def _as_their_tools(calls: Iterable[Call], tools: Collection[str]) -> tuple[Call, ...]:
    """Take away what calls of these tools say of their own class."""
    return tuple(call.model_copy(update={"safe": None}) if call.tool in tools else call for call in calls)
