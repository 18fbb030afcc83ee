"""Hooks: what others may say before and after a call's body, and what that comes to (SPEC 7). Pure, no waiting.

The rule: what hooks say counts in the order in which they were registered, however long each took (H8).
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple, get_args

from ..calls.content import Content, content_of
from ..calls.tool import Tool
from .permissions import Allow, Ask, Deny


class Message(NamedTuple):
    """A message beside the result, for people and for the model."""

    text: str


class UpdatedInput(NamedTuple):
    """The call is to run with this input."""

    input: Mapping[str, Any]


class PreventContinuation(NamedTuple):
    """The model is not to be asked again after this turn; why is told by :class:`StopReason`."""


class StopReason(NamedTuple):
    """Why a hook stops the call or the loop."""

    text: str


class AdditionalContext(NamedTuple):
    """Text or content parts for the model, after the results."""

    content: Content


class Stop(NamedTuple):
    """The call is not to run; why is told here or by :class:`StopReason`. A hook that said it is heard no further."""

    reason: str = ""


class UpdatedOutput(NamedTuple):
    """The output is to be replaced, after the body; MCP tools only (H5)."""

    content: Content


class Warned(NamedTuple):
    """Something went wrong in the hook that is no reason to keep the call from running; for people (H7)."""

    text: str


HookOutcome = (
    Message
    | Allow
    | Deny
    | Ask
    | UpdatedInput
    | PreventContinuation
    | StopReason
    | AdditionalContext
    | Stop
    | UpdatedOutput
    | Warned
)
"""What a hook may say. Each stage hears some of it (H1, H5): before the body all but :class:`UpdatedOutput`; after it
messages, context, prevention, output; after a failure messages and context. What is not heard leaves a warning."""

OUTCOMES: Final[tuple[type, ...]] = get_args(HookOutcome)
_ALWAYS = (Message, AdditionalContext, Warned)
_HEARD: Final[Mapping[str, tuple[type, ...]]] = {
    "pre": tuple(kind for kind in OUTCOMES if kind is not UpdatedOutput),
    "post": (*_ALWAYS, PreventContinuation, StopReason, UpdatedOutput),
    "failure": _ALWAYS,
}
_MCP: Final = "mcp__"

Stage = Literal["pre", "post", "failure"]


class HookEvent(NamedTuple):
    """What a hook is told; its input is the hook's own copy.

    Args:
        stage: before the body, after it, or after it failed.
        call_id: the call.
        tool: its tool's name.
        input: its input, backfilled (X2).
        output: what the body brought, ``None`` before it.
    """

    stage: Stage
    call_id: str
    tool: str
    input: Mapping[str, Any]
    output: Content | None = None


Says = HookOutcome | Sequence[HookOutcome] | None
RunHook = Callable[[HookEvent], Awaitable[Says] | AsyncGenerator[HookOutcome, None] | Says]
"""A function, ``async`` or not, that returns what the hook says, or an async generator that yields it."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook.

    Args:
        run: see :data:`RunHook`.
        name: for reports; the function's name by default.
        tools: which tools it is about: names or globs, ``|`` between them; retired names count.
        timeout_s: seconds it may take (H7).
        fail_closed: whether one that raises or takes too long keeps the call from running (H7).

    Raises:
        TypeError: what is to be run is no function.
        ValueError: a deadline that is not above 0.
    """

    run: RunHook
    name: str = ""
    tools: str = "*"
    timeout_s: float = 60.0
    fail_closed: bool = False

    title: str = field(init=False, repr=False, compare=False)
    """Its name in reports."""

    def __post_init__(self) -> None:
        title = self.name or getattr(self.run, "__name__", type(self.run).__name__)
        object.__setattr__(self, "title", title)
        if not callable(self.run):
            raise TypeError(f"hook {title}: expected a function, got {self.run!r}")
        if not self.timeout_s > 0:
            raise ValueError(f"hook {self.title}: timeout_s: expected seconds above 0, got {self.timeout_s!r}")

    def hears(self, tool: Tool) -> bool:
        """Whether it is about this tool."""
        patterns = [pattern.strip() for pattern in self.tools.split("|")]
        return any(fnmatchcase(name, pattern) for name in (tool.name, *tool.aliases) for pattern in patterns)


HookOrRun = Hook | RunHook


class Hooks:
    """The hooks of an installation, in the order in which they count; a plain function stands for its :class:`Hook`.

    Args:
        pre: before the body.
        post: after a body that ended well.
        failure: after a body that failed.
    """

    def __init__(
        self, pre: Iterable[HookOrRun] = (), post: Iterable[HookOrRun] = (), failure: Iterable[HookOrRun] = ()
    ) -> None:
        self._stages = {"pre": _hooks(pre), "post": _hooks(post), "failure": _hooks(failure)}
        self._about: dict[tuple[str, ...], list[Hook]] = {}

    def __bool__(self) -> bool:
        return any(self._stages.values())

    def of(self, stage: Stage, tool: Tool) -> list[Hook]:
        """Give the hooks that a call of this tool meets at a stage, in the order in which they count.

        Args:
            stage: before the body (``pre``), after it (``post``), or after it failed (``failure``).
            tool: the tool that is called; a hook may be about it by a retired name.
        """
        # By names rather than by the tool: two tools of one name meet the same hooks.
        about = stage, tool.name, *tool.aliases
        if about not in self._about:
            self._about[about] = [hook for hook in self._stages[stage] if hook.hears(tool)]
        return self._about[about]


class HookFailed(Exception):
    """Raised by a hook that could not do its work at all; it keeps the call from running, fail-closed or not (H7)."""


class Heard(NamedTuple):
    """What one hook said, and how it ended.

    Args:
        hook: the hook.
        outcomes: what it said, up to its end, however that came.
        failure: why it raised or was late, ``None`` if neither.
        cancelled: whether it was cut off because the call was stopped (H6).
        insists: whether its failure keeps the call from running.
    """

    hook: Hook
    outcomes: Sequence[HookOutcome] = ()
    failure: str | None = None
    cancelled: bool = False
    insists: bool = False


def outcomes_of(said: Any) -> list[HookOutcome]:
    """Read what a hook returned.

    Raises:
        TypeError: something that no hook can say, or no text where there should be one.
    """
    if said is None:
        return []
    if isinstance(said, OUTCOMES):
        return [_checked(said)]
    if isinstance(said, list | tuple):
        return [each for one in said for each in outcomes_of(one)]
    raise TypeError(f"expected a hook outcome such as Message, Deny or UpdatedInput, or a list of them, got {said!r}")


def _checked(outcome: Any) -> HookOutcome:
    if isinstance(outcome, AdditionalContext | UpdatedOutput):
        return outcome._replace(content=content_of(outcome.content))
    for name in ("text", "reason"):
        if not isinstance(text := getattr(outcome, name, ""), str):
            raise TypeError(f"{type(outcome).__name__}: {name}: expected text, got {text!r}")
    checked: HookOutcome = outcome
    return checked


def heard_at(stage: Stage, tool: Tool, outcome: HookOutcome) -> str | None:
    """Tell why an outcome counts for nothing at a stage, ``None`` where it counts (H1, H5)."""
    if not isinstance(outcome, _HEARD[stage]):
        return f"{type(outcome).__name__} counts for nothing in a {stage} hook"
    if isinstance(outcome, UpdatedOutput) and not tool.name.startswith(_MCP):
        return f"the output of {tool.name} stays as it is: only that of MCP tools can be replaced"
    return None


def _hooks(given: Iterable[HookOrRun]) -> tuple[Hook, ...]:
    return tuple(hook if isinstance(hook, Hook) else Hook(hook) for hook in given)
