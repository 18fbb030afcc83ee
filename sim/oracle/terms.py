"""What a log's header says about the run, read once: the terms under which the events are judged.

The rule: what the header does not say is not assumed; a rule that needs it is skipped. Times in nanoseconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one run, from the header of its log."""

    engine: str
    scenario: str
    seed: int
    options: Mapping[str, Any]
    tools: Mapping[str, Mapping[str, Any]]
    command: str | None

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
        return cls(
            engine=str(header.get("engine", "?")),
            scenario=str(header.get("scenario", "?")),
            seed=header.get("seed", 0),
            options=options,
            tools=tools,
            command=header.get("reproduce"),
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
        return bool(self.options.get("start") == "response_end")

    @property
    def grace_ns(self) -> int | None:
        """How long a signalled body has before it is cancelled, and again before it is abandoned (A9)."""
        grace_ns: int | None = self.options.get("grace_ns")
        return grace_ns

    def cascades(self, tool: str, *, safe: bool) -> bool:
        """Tell whether a failing body of this tool, started in this class, cancels its siblings (A2)."""
        policy = self.options.get("cascade", "exclusive")
        hits = policy == "any" or (policy == "exclusive" and not safe)
        return hits and bool(self.tools.get(tool, {}).get("cascades"))

    @property
    def reproduce(self) -> str:
        """The command that shows the run again, or what is known about the run where the header has no command."""
        if self.command is not None:
            return self.command
        return f"(no command recorded: scenario {self.scenario}, engine {self.engine}, seed {self.seed})"
