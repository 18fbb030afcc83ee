"""What a scenario says: one turn's calls, tools, events and what is expected of it. Nothing here runs.

The rule: the words are the same in YAML and in Python (``Call(id="a", at="500ms", takes=0.2)``), a bare number is
seconds, and every value held is an integer number of nanoseconds, in fields whose name ends in ``_ns`` or whose
docstring says so. To hand over nanoseconds, write the unit: ``at=f"{t_ns}ns"``.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, StrictStr, model_validator
from pydantic.config import JsonDict

from .calls import Call, ToolSpec, class_of
from .durations import DurationNs
from .expect import ENGINES, SYNTHETIC, Engine, Expect
from .fits import CHECKS, STREAM_ENDS
from .hooks import HookSpec
from .part import Count, Name, Part, fault
from .permissions import Answer, Permissions
from .response import Stream
from .table import Row
from .words import shown

__all__ = [
    "ENGINES",
    "SYNTHETIC",
    "Attempt",
    "Call",
    "Consumer",
    "Engine",
    "Expect",
    "Happening",
    "Options",
    "Row",
    "Scenario",
    "Stream",
    "ToolSpec",
]


_OTHER_WORDS: Final = {"interrupt": "stop", "deny": "refuse", "cancel_task": "cancel"}
ANSWERS: Final = frozenset({"allow", "refuse"})
"""The events that answer a question."""


def _with_other_words(schema: JsonDict) -> None:
    """Tell the JSON Schema of the words that stand for others."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    do = properties["do"]
    assert isinstance(do, dict)
    assert isinstance(do["enum"], list)
    do["enum"] += list(_OTHER_WORDS)
    properties["reason"] = {"const": "user", "description": "With ``interrupt``: the only one there is."}


class Happening(Part):
    """Something from outside at one instant: the response's end or failure, the user, or the client that gives up."""

    model_config = ConfigDict(json_schema_extra=_with_other_words)

    at_ns: DurationNs = Field(alias="at")
    do: Literal["stream_end", "stream_error", "stop", "submit", "discard", "allow", "refuse", "cancel"]
    """``interrupt`` (with ``reason: user``) is another word for ``stop``, ``deny`` for ``refuse``, ``cancel_task`` for
    ``cancel``: the task that drives the turn is cancelled (E10)."""
    id: Name | None = None
    """With ``allow`` and ``refuse``: the call that a person is asked about and answers then, or as soon as asked."""
    force: StrictBool = False
    """With ``submit``: stop the calls that can be, whatever else runs (A7)."""
    error: StrictStr | None = None
    """With ``stream_error``: what the stream failed with. The API's own words, such as ``overloaded_error``, come as
    an event, ``eof`` is an end before the message's own, anything else breaks the connection (W3)."""

    @model_validator(mode="before")
    @classmethod
    def _other_words(cls, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("do") not in _OTHER_WORDS:
            return value
        words = {**value, "do": _OTHER_WORDS[value["do"]]}
        if words["do"] != "stop":
            return words
        reason = words.pop("reason", "user")
        if reason != "user":
            raise fault(("reason",), f"expected reason: user, got {reason!r}; a discard is do: discard")
        return words

    @model_validator(mode="after")
    def _words_fit(self) -> Self:
        if self.force and self.do != "submit":
            raise fault(("force",), f"expected force only with do: submit, got it with do: {self.do}")
        if self.error is not None and self.do != "stream_error":
            raise fault(("error",), f"expected error only with do: stream_error, got it with do: {self.do}")
        if self.id is not None and self.do not in ANSWERS:
            raise fault(("id",), f"expected id only with do: allow or refuse, got it with do: {self.do}")
        if self.id is None and self.do in ANSWERS:
            raise fault(("do",), f"expected the id of the call that do: {self.do} answers, got none; add id")
        return self


class Options(Part):
    """The executor's options (E3, E6, A2, A9)."""

    max_concurrency: Count | None = 10
    emission: Literal["ordered", "eager"] = "ordered"
    cascade: Literal["exclusive", "any", "never"] = "exclusive"
    grace_ns: DurationNs = Field(default=2 * 10**9, alias="grace")
    max_output: Count | None = 100_000
    """How many characters of output a result may have where its tool does not say (X6)."""


class Consumer(Part):
    """Who takes the updates: how long each one keeps it busy, and after how many it leaves (None: never)."""

    takes_ns: DurationNs = Field(default=0, alias="takes")
    leaves_after: Count | None = None
    leaves_at_ns: DurationNs | None = Field(default=None, alias="leaves_at")
    """It leaves with the first update that it is busy with, or takes, at this instant or later."""


class Attempt(Part):
    """One response of several, each asked for because the one before failed; instants count from its request (A8)."""

    after_ns: DurationNs = Field(default=0, alias="after")
    """How long is waited before it is asked for, once what came before is cleared away: the back-off."""
    calls: tuple[Call, ...] = ()
    events: tuple[Happening, ...] = ()
    """The response's end or failure, and the client that gives it up; the user's acts are the scenario's."""
    stream: Stream | None = None
    """How it comes in where that is not as the scenario says."""

    @property
    def end_ns(self) -> int:
        """Give the instant at which the response ends or fails: an event's, or else the last call's arrival."""
        if (end := self.end) is not None:
            return end.at_ns
        return self.calls[-1].at_ns if self.calls else 0

    @property
    def end(self) -> Happening | None:
        """The event that ends the response, ``None`` where it ends with its last call."""
        return next((event for event in self.events if event.do in STREAM_ENDS), None)


_RULE: Final = r"^[A-Z][1-9][0-9]?$"


def _rule_name(word: str) -> str:
    if not re.fullmatch(_RULE, word):
        raise ValueError(f"expected the number of a rule such as A2, got {shown(word)}")
    return word


RuleName = Annotated[StrictStr, AfterValidator(_rule_name), Field(json_schema_extra={"pattern": _RULE})]


class Scenario(Part):
    """One turn as data: what arrives when, what each body does, what happens, what must come out."""

    name: StrictStr = Field(default="", alias="scenario")
    rules: tuple[RuleName, ...] = ()
    """The rules of RULES.md that it shows."""
    options: Options = Options()
    tools: dict[Name, ToolSpec] = Field(default_factory=dict)
    """The tools by name; where none is given there is one, a safe ``Read``."""
    hooks: tuple[HookSpec, ...] = ()
    """The hooks in the order in which they are registered; before those of single tools and calls."""
    permissions: Permissions = Permissions()
    stream: Stream = Stream()
    calls: tuple[Call, ...] = ()
    events: tuple[Happening, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    """The response and what is asked for after it failed, instead of ``calls``."""
    table: tuple[Row, ...] = ()
    """Commands and annotations whose class is judged without a call."""
    consumer: Consumer = Consumer()
    expect: Expect = Expect()

    @property
    def responses(self) -> tuple[Attempt, ...]:
        """The attempts at the response, at least one; whoever plays them need not know in which way they were said."""
        if self.attempts:
            return self.attempts
        return (Attempt.model_construct(calls=self.calls, events=self.events),)

    @property
    def every_call(self) -> tuple[Call, ...]:
        """The calls of all attempts."""
        return tuple(call for attempt in self.attempts for call in attempt.calls) if self.attempts else self.calls

    @property
    def known_tools(self) -> Mapping[str, ToolSpec]:
        """The tools that calls may name, by name: those given, or the one there is without any."""
        return self.tools or IMPLICIT_TOOLS

    @property
    def stream_end_ns(self) -> int:
        """Give the instant at which the first response ends or fails, where no rate decides it."""
        return self.responses[0].end_ns

    def tool_of(self, call: Call) -> ToolSpec:
        """Give the tool a call means, by name and then by alias; :class:`KeyError` for a call of another scenario."""
        known = self.known_tools
        if call.tool in known:
            return known[call.tool]
        for tool in known.values():
            if call.tool in tool.aliases:
                return tool
        raise KeyError(call.tool)

    def is_safe(self, call: Call) -> bool:
        """Tell the class of a call of this scenario, from its tool's word and its own (E2)."""
        tool = self.tool_of(call)
        if not (tool.available and call.is_valid) or tool.classifier_raises:
            return False
        return class_of(tool, call.input, call.safe)

    @property
    def answers(self) -> dict[str, Answer | Happening]:
        """Give what is said of each call that has an answer of its own: words of the call, or an event."""
        own: dict[str, Answer | Happening] = {
            call.id: call.answer for call in self.every_call if call.answer is not None
        }
        return own | {event.id: event for event in self.events if event.id is not None}

    @property
    def has_asker(self) -> bool:
        """Tell whether anybody is there to be asked: as it says itself, or because there is an answer."""
        if self.permissions.asker is not None:
            return self.permissions.asker == "person"
        given = self.permissions.answer, *(tool.answer for tool in self.tools.values())
        return any(answer is not None for answer in given) or bool(self.answers)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for check in CHECKS:
            check(self)
        return self


IMPLICIT_TOOLS: Final = {"Read": ToolSpec()}
"""The tools of a scenario that names none."""
