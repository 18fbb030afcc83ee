"""What a log's header says about the run, read once: the terms under which the events are judged.

The rule: what the header does not say is not assumed; a rule that needs it is skipped. Times in nanoseconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .denials import DenyRule, denying


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one run, from the header of its log."""

    engine: str
    scenario: str
    seed: int
    options: Mapping[str, Any]
    tools: Mapping[str, Mapping[str, Any]]
    command: str | None
    tolerance_ns: int
    context: Mapping[str, Any] | None
    is_prompt: bool
    deny: tuple[DenyRule, ...]
    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, header: Mapping[str, Any]) -> "Terms":
        """Read a header; :class:`ValueError` names the key whose value is of another type than expected."""
        options, tools = header.get("options", {}), header.get("tools", {})
        if not isinstance(options, Mapping):
            raise ValueError(f"header: options: expected an object such as {{'max_concurrency': 10}}, got {options!r}")
        if not isinstance(tools, Mapping) or not all(isinstance(tool, Mapping) for tool in tools.values()):
            raise ValueError(f"header: tools: expected an object such as {{'Read': {{'safe': true}}}}, got {tools!r}")
        for key in ("max_concurrency", "grace_ns"):
            if not isinstance(options.get(key, 0), int | None):
                raise ValueError(f"header: options.{key}: expected a whole number, got {options[key]!r}")
        tolerance_ns = header.get("tolerance_ns", 0)
        if type(tolerance_ns) is not int or tolerance_ns < 0:
            raise ValueError(f"header: tolerance_ns: expected nanoseconds, got {tolerance_ns!r}")
        context, rules = header.get("context"), header.get("rules", {})
        for key, value in (("context", context or {}), ("rules", rules)):
            if not isinstance(value, Mapping):
                raise ValueError(f"header: {key}: expected an object, got {value!r}")
        for name, tool in tools.items():
            if not isinstance(tool.get("backfill", {}), Mapping):
                raise ValueError(f"header: tools.{name}.backfill: expected an object, got {tool['backfill']!r}")
            if not isinstance(tool.get("deadline_ns"), int | None):
                raise ValueError(f"header: tools.{name}.deadline_ns: expected nanoseconds, got {tool['deadline_ns']!r}")
        by_name = {name: (name, *map(str, _listed(tool, "aliases"))) for name, tool in tools.items()}
        names = {each: of_tool for of_tool in by_name.values() for each in of_tool}
        return cls(
            engine=str(header.get("engine", "?")),
            scenario=str(header.get("scenario", "?")),
            seed=header.get("seed", 0),
            options=options,
            tools={**{each: tools[of_tool[0]] for each, of_tool in names.items()}, **tools},
            command=header.get("reproduce"),
            tolerance_ns=tolerance_ns,
            context=context,
            is_prompt=header.get("consumer") == "prompt",
            deny=tuple(DenyRule.read(str(text)) for text in _listed(rules, "deny")),
            names={**names, **by_name},
        )

    @property
    def limit(self) -> int | None:
        """How many calls may run at once; ``None``: as many as there are."""
        limit: int | None = 1 if self.engine == "serial" else self.options.get("max_concurrency")
        return limit

    @property
    def ordered(self) -> bool:
        """Whether results come in request order."""
        return bool(self.options.get("emission") == "ordered")

    @property
    def starts_at_end(self) -> bool:
        """Whether no call starts before its whole response has arrived."""
        return self.options.get("start") in ("response_end", "message_stop")

    @property
    def grace_ns(self) -> int | None:
        """How long a signalled body has before it is cancelled, and again before it is abandoned (A9)."""
        grace_ns: int | None = self.options.get("grace_ns")
        return grace_ns

    def interrupt(self, tool: str) -> str | None:
        """What a submit does to a running call of this tool (A7), ``None`` where the header does not tell."""
        how = self.tools.get(tool, {}).get("interrupt")
        return None if how is None else str(how)

    def deadline_ns(self, tool: str) -> int | None:
        """How long a call of this tool may take from its admission (X5), ``None`` where nothing is told."""
        limit_ns: int | None = self.tools.get(tool, {}).get("deadline_ns")
        return limit_ns

    def cascades(self, tool: str, *, safe: bool) -> bool:
        """Tell whether a failing body of this tool, started in this class, cancels its siblings (A2)."""
        policy = self.options.get("cascade", "exclusive")
        hits = policy == "any" or (policy == "exclusive" and not safe)
        return hits and bool(self.tools.get(tool, {}).get("cascades"))

    def denied_by(self, tool: str, given: Mapping[str, Any] | None) -> str | None:
        """Give a rule that denies a call of this tool with this input, ``None`` where there is none (H3)."""
        return denying(self.deny, self.names.get(tool, (tool,)), self.tools.get(tool, {}), given)

    @property
    def reproduce(self) -> str:
        """The command that shows the run again, or what is known about the run where the header has no command."""
        if self.command is not None:
            return self.command
        return f"(no command recorded: scenario {self.scenario}, engine {self.engine}, seed {self.seed})"


def _listed(told: Mapping[str, Any], key: str) -> list[Any]:
    value = told.get(key, [])
    if not isinstance(value, list | tuple):
        raise ValueError(f"header: {key}: expected a list, got {value!r}")
    return list(value)
