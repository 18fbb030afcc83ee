"""What a scenario says of tools and their calls: what a body does, for how long, and how it ends. Nothing here runs.

The rule: what holds for all calls of a tool is said of the tool, and a call's own word counts more. Unit: integer
nanoseconds.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictStr, model_validator
from pydantic.config import JsonDict

from .durations import Distribution, DurationNs, LimitNs, format_duration
from .hooks import HookWords, MaybeEndless, OwnHook
from .part import Count, Json, Name, Part, Rate, fault
from .permissions import Answer
from .typical import TYPICAL, typical_of
from .words import hint, shown, way_out

TYPICAL_WORD: Final = "typical"
"""The duration that means what recorded calls of the tool took."""


def _hex(text: str) -> str:
    try:
        bytes.fromhex(text)
    except ValueError:
        raise ValueError(f"expected bytes in hexadecimal such as 'ff 00 41', got {text!r}") from None
    return text


def _class(value: object) -> object:
    if not isinstance(value, bool) and value != "by_command":
        raise ValueError(f"expected true, false or by_command, got {shown(value)}{hint(value, ['by_command'])}")
    return value


def _or_typical(schema: JsonDict) -> None:
    """Tell the JSON Schema of the word that stands for a distribution."""
    choices = schema.pop("oneOf")
    assert isinstance(choices, list)
    schema["anyOf"] = [*choices, {"const": TYPICAL_WORD}]


class ToolSpec(Part):
    """A tool: its class (E2), what a submit does to it (A7), whether its errors cascade (A2), what stands around it."""

    safe: Annotated[bool | Literal["by_command"], BeforeValidator(_class)] = True
    """``by_command``: a shell's, each call classed by its ``command`` (R1), also for permission rules (H2)."""
    cascades: StrictBool = False
    interrupt: Literal["cancel", "block"] = "block"
    aliases: tuple[Name, ...] = ()
    available: StrictBool = True
    """False: the model calls it but the executor does not have it, so the call is an unknown tool (E1)."""
    classifier_raises: StrictBool = False
    """True: asking whether a call is concurrency-safe raises, which makes it exclusive (E2)."""
    approval: StrictBool = False
    """True: its calls run only when a rule, a hook or a person allows it."""
    interactive: StrictBool = False
    """True: a person has to answer its calls, whatever the rules allow (H2)."""
    answer: Answer | None = None
    """What is said when it is asked whether one of its calls may run."""
    timeout_ns: LimitNs | None = Field(default=None, alias="timeout")
    """How long a call may take from admission to settlement, hooks and question included (X5)."""
    auto_background_after_ns: DurationNs | None = Field(default=None, alias="auto_background_after")
    """A body that takes longer is settled with a handle then, and its work goes on (X8)."""
    detached: StrictBool = False
    """True: others may run beside its background work (X8)."""
    fails: Rate = 0
    """In which share of its calls a body that would end well ends with an error, from 0 to 1."""
    max_output: Count | None = None
    """How many characters of output a result may have (X6)."""
    loaded_by: Name | None = None
    """The tool that loads this one's input schema, where the model was not sent it (X1)."""
    backfill: dict[StrictStr, Json] = Field(default_factory=dict)
    """What is filled into the input for hooks and permissions; the body never sees it (X2)."""
    pre_hook: OwnHook | None = None
    post_hook: OwnHook | None = None
    failure_hook: OwnHook | None = None
    """Hooks of this tool, each registered after those of the scenario."""


class Child(Part):
    """A process that a call's body starts, a modelled one: it dies with its group or outlives it (B070)."""

    takes: MaybeEndless = "hang"
    survives: StrictBool = False
    """True: it has left the group, so that nobody ends it."""


class Call(Part):
    """One tool call: when its block is complete, how long its body takes and how the body ends."""

    id: Name
    tool: Name = "Read"
    at_ns: DurationNs = Field(default=0, alias="at")
    takes: Distribution = Field(default=0, json_schema_extra=_or_typical)
    """How long the body runs, in nanoseconds or as a distribution; nothing where it hangs. ``typical`` means what
    recorded calls of a tool of this name took."""
    ends: Literal["ok", "error", "raise", "hang", "cancelled"] = "ok"
    """``error`` returns an error result, ``raise`` raises, ``hang`` never ends by itself, ``cancelled`` raises
    ``CancelledError`` although nobody cancelled it (A12)."""
    stubborn: Literal["no", "signal", "cancel"] = "no"
    """``signal`` ignores the abort signal until its task is cancelled, ``cancel`` ignores that too (A9)."""
    input: dict[StrictStr, Json] = Field(default_factory=dict)
    valid: StrictBool = True
    """False: the input does not validate (X1), which makes the call exclusive (E2)."""
    progress: tuple[DurationNs, ...] = ()
    """When the body reports progress: nanoseconds from the body's start, increasing."""
    prints: StrictBool = False
    """True: its progress is output, kept if the call is stopped (A10)."""
    refuses_ns: DurationNs | None = Field(default=None, alias="refuses")
    """When the body asks for the turn's abort (A4): nanoseconds from its start."""
    background_ns: DurationNs | None = Field(default=None, alias="background")
    """When the call is settled with a handle while its work goes on for the rest of its time (X8)."""
    children: tuple[Child, ...] = ()
    fails: Rate | None = None
    """As its tool's, for this call."""
    output: StrictStr | None = None
    output_repeats: Count = 1
    """How often ``output`` is said over."""
    output_hex: Annotated[StrictStr, AfterValidator(_hex)] | None = None
    """The output as bytes, in hexadecimal."""
    content: tuple[dict[StrictStr, Json], ...] | None = None
    """The output in parts, such as ``{type: text, text: a}`` (B022)."""
    sets: dict[StrictStr, Json] = Field(default_factory=dict)
    """The context values that the call's modifier sets, if it ends ``ok`` (C1) and not in the background."""
    safe: StrictBool | None = None
    """This call's class where it is not its tool's."""
    answer: Answer | None = None
    """What is said when it is asked whether this call may run."""
    pre_hook: HookWords | None = None
    post_hook: HookWords | None = None
    failure_hook: HookWords | None = None
    """What its tool's hook does for this call."""
    raw: StrictStr | None = None
    """The input's text where it is no JSON object, as the model wrote it: invalid (W4), or blank, which is ``{}``."""
    cut: StrictBool = False
    """True: the response breaks off within this block, so that there is no call (W3)."""

    @property
    def is_valid(self) -> bool:
        """Whether the input validates (X1, W4)."""
        return self.valid and not (self.raw or "").strip()

    @model_validator(mode="before")
    @classmethod
    def _typical_is_a_distribution(cls, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("takes") != TYPICAL_WORD:
            return value
        tool = value.get("tool", "Read")
        typical = typical_of(tool) if isinstance(tool, str) else None
        if typical is None:
            problem = f"expected a duration, {tool!r} is no tool whose typical one is known; {way_out(tool, TYPICAL)}"
            raise fault(("takes",), problem)
        return value | {"takes": typical}

    @model_validator(mode="after")
    def _raw_is_no_input(self) -> Self:
        if self.raw is None:
            return self
        if self.input:
            raise fault(("raw",), "expected raw or input, got both; leave one out")
        try:
            parsed = json.loads(self.raw)
        except ValueError:
            return self
        if isinstance(parsed, dict):
            raise fault(("raw",), f"expected text that is no JSON object, got {shown(self.raw)}; write it as input")
        return self

    @model_validator(mode="after")
    def _times_agree(self) -> Self:
        for n, (earlier, later) in enumerate(pairwise(self.progress), start=1):
            if later <= earlier:
                got = f"{format_duration(later)} after {format_duration(earlier)}"
                raise fault(("progress", n), f"expected increasing times from the body's start, got {got}")
        if self.ends == "hang":
            if self.takes != 0:
                raise fault(("takes",), "expected no duration for a body that hangs; leave out takes, or change ends")
        elif isinstance(self.takes, int):
            if self.progress and self.progress[-1] > self.takes:
                got = f"{format_duration(self.progress[-1])} in a body that takes {format_duration(self.takes)}"
                raise fault(("progress", len(self.progress) - 1), f"expected progress before the body's end, got {got}")
            if self.refuses_ns is not None and self.refuses_ns > self.takes:
                got = f"{format_duration(self.refuses_ns)} in a body that takes {format_duration(self.takes)}"
                raise fault(("refuses",), f"expected a refusal before the body's end, got {got}")
        return self

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = [word for word in ("output", "output_hex", "content") if getattr(self, word) is not None]
        if len(said) > 1:
            raise fault((said[1],), f"expected one output, got {said[1]} beside {said[0]}; leave one out")
        if self.output_repeats > 1 and self.output is None:
            raise fault(("output_repeats",), "expected output_repeats only with output; add output or leave it out")
        for n, part in enumerate(self.content or ()):
            if not isinstance(part.get("type"), str):
                raise fault(("content", n), "expected a content part with a type, such as {type: text, text: a}")
        return self


def class_of(tool: ToolSpec, arguments: Mapping[str, Any], own: bool | None) -> bool:
    """Tell whether a valid input is concurrency-safe: by its own word, else by its tool's (E2)."""
    if own is not None:
        return own
    if tool.safe != "by_command":
        return tool.safe
    # Only here: the grammar is a big library, and most scenarios have no shell.
    from executor.safety.shell import shell_safety

    return shell_safety()(arguments)
