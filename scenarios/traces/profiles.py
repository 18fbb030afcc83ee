"""Profiles: how the programs that wrote recordings ran their tool calls, as one table with the source of each choice.

The rule: what recordings do not show is taken from the program's source or from the published design, and that is said.
No times here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Final, Literal

from ..expect import Engine
from ..model import Options
from ..words import hint
from .agents import AGENTS
from .builtins import classify

Version = tuple[int, int, int]

AS_LOGGED: Final = "as-logged"
"""The profile that an event log's own header gives."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a range of versions of one program ran tool calls.

    Args:
        name: what ``--profile`` and reports call it.
        program: who behaved so.
        first: the first version that does; ``None`` for any before ``last``.
        last: the last version that does; ``None`` where no later behaviour is known.
        seen: the last version in recordings that show it.
        engine: when calls start: while the response arrives, or when it is complete.
        emission: in which order results go out (E6).
        cascade: which errors of cascading calls cancel siblings (A2).
        culprits: whose errors those are: a shell's, any tool's, or those of the tools named.
        max_concurrency: how many calls may run at once; ``None`` for no limit (E3).
        together: which calls may run side by side: those of the published table, a shell's by their command
            (``by_command``); all; or those of the tools named.
        sources: what each of these choices rests on.
    """

    name: str
    program: str
    first: Version | None
    last: Version | None
    seen: Version
    engine: Engine
    emission: Literal["ordered", "eager"]
    cascade: Literal["exclusive", "any", "never"]
    culprits: Literal["shells", "any"] | tuple[str, ...]
    max_concurrency: int | None
    together: Literal["by_command", "all"] | tuple[str, ...]
    sources: Mapping[str, str] = field(compare=False)

    @property
    def versions(self) -> str:
        """The versions in words."""
        if self.first is None:
            return f"up to {written(self.last)}" if self.last is not None else "all versions"
        return f"from {written(self.first)} " + (f"to {written(self.last)}" if self.last is not None else "on")

    @property
    def options(self) -> Options:
        """The options of an executor that behaves so; which engine is no option."""
        return Options(max_concurrency=self.max_concurrency, emission=self.emission, cascade=self.cascade)

    def covers(self, version: Version) -> bool:
        """Whether a version is one of those."""
        return (self.first is None or self.first <= version) and (self.last is None or version <= self.last)

    def safe(self, tool: str) -> bool | Literal["by_command"]:
        """Give a tool's class: whether its calls may run beside others, or that each command decides (E2, R1)."""
        if self.together == "all":
            return True
        if self.together != "by_command":
            return tool in self.together
        known = classify(tool, self.program)
        return "by_command" if known.command is not None else known.safe

    def is_safe(self, tool: str, given: Mapping[str, Any] | None) -> bool:
        """Whether one call, with its input, may run beside others."""
        safe = self.safe(tool)
        if isinstance(safe, bool):
            return safe
        command = (given or {}).get(classify(tool, self.program).command or "")
        return isinstance(command, str) and _only_reads(command)

    def cascades(self, tool: str) -> bool:
        """Whether a tool's errors are such as cancel siblings, as far as ``cascade`` lets them (A2)."""
        if self.culprits == "any":
            return True
        return classify(tool, self.program).cascades if self.culprits == "shells" else tool in self.culprits

    def interrupt(self, tool: str) -> Literal["cancel", "block"]:
        """Tell what a submit does to a tool's calls (A7)."""
        return classify(tool, self.program).interrupt


@lru_cache(maxsize=4096)
def _only_reads(command: str) -> bool:
    # Only here: the grammar is a big library, and many recordings have no shell.
    from executor.safety.shell import classify_command

    return classify_command(command).concurrency_safe


_EAGER_STREAM: Final = (
    "27 of 1,315 recorded responses have results out of request order, only among calls that ran side by side: "
    "a finished one passes a slower one unless an exclusive call runs"
)
_BY_COMMAND: Final = (
    "of recorded neighbouring shell commands those that only read overlap, the others never do (5 of 5, 0 of 55)"
)
_UNLIMITED: Final = "the published streaming engine has no limit"
_WHILE_IT_ARRIVES: Final = "1,089 of 1,315 recorded responses with several calls have a result before their last block"

PROFILES: Final = (
    Profile(
        name="claude-batch",
        program="Claude Code",
        first=None,
        last=(2, 1, 22),
        seen=(2, 1, 22),
        engine="batch",
        emission="eager",
        cascade="never",
        culprits="shells",
        max_concurrency=10,
        together="by_command",
        sources={
            "engine": "none of 722 recorded responses with several calls has a result before their last block",
            "emission": "24 % of those have results out of request order, in that of completion",
            "cascade": "35 recorded responses with an error and siblings behind it, none of them cancelled",
            "culprits": "no error cancels; the published table says whose would",
            "max_concurrency": "the published batch engine's default",
            "together": "recorded results of commands that only read come out of order, of others never",
        },
    ),
    Profile(
        name="claude-any-error",
        program="Claude Code",
        first=(2, 1, 25),
        last=(2, 1, 45),
        seen=(2, 1, 45),
        engine="streaming",
        emission="eager",
        cascade="any",
        culprits="any",
        max_concurrency=None,
        together="by_command",
        sources={
            "engine": _WHILE_IT_ARRIVES,
            "emission": _EAGER_STREAM,
            "cascade": "all 38 recorded responses with an error and siblings behind it were cancelled",
            "culprits": "in 21 of the 38 the error was no shell's, and in 2.1.45 that of a sub-agent's read",
            "max_concurrency": _UNLIMITED,
            "together": _BY_COMMAND,
        },
    ),
    Profile(
        name="claude-shell-error",
        program="Claude Code",
        first=(2, 1, 46),
        last=None,
        seen=(2, 1, 63),
        engine="streaming",
        emission="eager",
        cascade="any",
        culprits="shells",
        max_concurrency=None,
        together="by_command",
        sources={
            "engine": _WHILE_IT_ARRIVES,
            "emission": _EAGER_STREAM,
            "cascade": "all recorded errors of a shell in these versions cancelled what had not ended (4 of 4)",
            "culprits": "the published rule; in recordings nothing but shells fails here with siblings behind it",
            "max_concurrency": _UNLIMITED,
            "together": _BY_COMMAND,
        },
    ),
    Profile(
        name="codex",
        program="Codex",
        first=(0, 140, 0),
        last=None,
        seen=(0, 142, 4),
        engine="streaming",
        emission="ordered",
        cascade="never",
        culprits="shells",
        max_concurrency=None,
        together=("exec_command", "shell", "shell_command", "local_shell", "view_image"),
        sources={
            "engine": "its source: a call is spawned when its item is complete, the response goes on",
            "emission": "its source, an ordered queue of results; recorded ones in request order, 230 of 230 responses",
            "cascade": "its source: a failing call ends nobody else",
            "culprits": "no error cancels",
            "max_concurrency": "its source has none",
            "together": "its source: a lock that these tools share and others take for themselves",
        },
    ),
    Profile(
        name="copilot",
        program="Copilot CLI",
        first=None,
        last=None,
        seen=(1, 0, 64),
        engine="batch",
        emission="eager",
        cascade="never",
        culprits="shells",
        max_concurrency=None,
        together="all",
        sources={
            "engine": "recorded calls start 1 to 8 ms after the message that holds all of them",
            "emission": "recorded ends out of request order in 19 of 27 responses with several calls",
            "cascade": "no recorded call is cancelled by another's error",
            "culprits": "no error cancels",
            "max_concurrency": "no recorded call waits for another",
            "together": "the calls of 27 of 27 recorded responses overlap, shells too",
        },
    ),
)
"""Every known profile: those of one program in the order of its versions."""

PUBLISHED: Final = next(profile for profile in PROFILES if profile.name == "claude-shell-error")
"""The published design, assumed where nothing tells what wrote a recording."""


@cache
def published_for(program: str | None) -> Profile:
    """Give the published design with the tools of a program that has no profile, as far as they are known."""
    return replace(PUBLISHED, program=program) if program in AGENTS else PUBLISHED


def profile_named(name: str) -> Profile:
    """Find a profile.

    Raises:
        ValueError: there is none of that name.
    """
    for profile in PROFILES:
        if profile.name == name:
            return profile
    names = [profile.name for profile in PROFILES]
    raise ValueError(f"expected one of {', '.join(names)}, got {name!r}{hint(name, names)}")


def written(version: Version | None) -> str:
    """Write a version as programs do."""
    return ".".join(map(str, version or ()))
