"""What a scenario says: one turn's calls, tools, events and what is expected of it. Nothing here runs.

The rule: the words are the same in YAML and in Python (``Call(id="a", at="500ms", takes=0.2)``), a bare number is
seconds, and every value held is an integer number of nanoseconds, in fields whose name ends in ``_ns`` or whose
docstring says so. To hand over nanoseconds, write the unit: ``at=f"{t_ns}ns"``.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, Literal, Self

from pydantic import Field, StrictBool, StrictStr, model_validator

from .durations import Distribution, DurationNs, format_duration
from .expect import ENGINES, SYNTHETIC, Engine, Expect
from .part import Count, Json, Name, Part, fault
from .words import way_out

__all__ = [
    "ENGINES",
    "SYNTHETIC",
    "Call",
    "Consumer",
    "Engine",
    "Expect",
    "Happening",
    "Options",
    "Scenario",
    "ToolSpec",
]


class ToolSpec(Part):
    """A tool: its class (E2), what a submit does to it (A7), whether its errors cascade (A2)."""

    safe: StrictBool = True
    cascades: StrictBool = False
    interrupt: Literal["cancel", "block"] = "block"
    aliases: tuple[Name, ...] = ()
    available: StrictBool = True
    """False: the model calls it but the executor does not have it, so the call is an unknown tool (E1)."""
    classifier_raises: StrictBool = False
    """True: asking whether a call is concurrency-safe raises, which makes it exclusive (E2)."""


class Call(Part):
    """One tool call: when its block is complete, how long its body takes and how the body ends."""

    id: Name
    tool: Name = "Read"
    at_ns: DurationNs = Field(default=0, alias="at")
    takes: Distribution = 0
    """How long the body runs, in nanoseconds or as a distribution; nothing where it hangs."""
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
    output: StrictStr | None = None
    sets: dict[StrictStr, Json] = Field(default_factory=dict)
    """The context values that the call's modifier sets, if it ends ``ok`` (C1)."""
    safe: StrictBool | None = None
    """This call's class where it is not its tool's."""

    @model_validator(mode="after")
    def _times_agree(self) -> Self:
        for n, (earlier, later) in enumerate(pairwise(self.progress), start=1):
            if later <= earlier:
                got = f"{format_duration(later)} after {format_duration(earlier)}"
                raise fault(("progress", n), f"expected increasing times from the body's start, got {got}")
        if self.ends == "hang":
            if self.takes != 0:
                raise fault(("takes",), "expected no duration for a body that hangs; leave out takes, or change ends")
        elif isinstance(self.takes, int) and self.progress and self.progress[-1] > self.takes:
            got = f"{format_duration(self.progress[-1])} in a body that takes {format_duration(self.takes)}"
            raise fault(("progress", len(self.progress) - 1), f"expected progress before the body's end, got {got}")
        return self


class Happening(Part):
    """Something from outside at one instant: the response's end or failure, the user, or the client that gives up."""

    at_ns: DurationNs = Field(alias="at")
    do: Literal["stream_end", "stream_error", "stop", "submit", "discard"]
    """``interrupt`` (with ``reason: user``) is another word for ``stop``."""
    force: StrictBool = False
    """With ``submit``: stop the calls that can be, whatever else runs (A7)."""
    error: StrictStr | None = None
    """With ``stream_error``: what the stream failed with."""

    @model_validator(mode="before")
    @classmethod
    def _interrupt_is_stop(cls, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("do") != "interrupt":
            return value
        words = {**value, "do": "stop"}
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
        return self


class Options(Part):
    """The executor's options (E3, E6, A2, A9)."""

    max_concurrency: Count | None = 10
    emission: Literal["ordered", "eager"] = "ordered"
    cascade: Literal["exclusive", "any", "never"] = "exclusive"
    grace_ns: DurationNs = Field(default=2 * 10**9, alias="grace")


class Consumer(Part):
    """Who takes the updates: how long each one keeps it busy, and after how many it leaves (None: never)."""

    takes_ns: DurationNs = Field(default=0, alias="takes")
    leaves_after: Count | None = None


class Scenario(Part):
    """One turn as data: what arrives when, what each body does, what happens, what must come out."""

    name: StrictStr = Field(default="", alias="scenario")
    options: Options = Options()
    tools: dict[Name, ToolSpec] = Field(default_factory=dict)
    """The tools by name; where none is given there is one, a safe ``Read``."""
    calls: tuple[Call, ...] = ()
    events: tuple[Happening, ...] = ()
    consumer: Consumer = Consumer()
    expect: Expect = Expect()

    @property
    def stream_end_ns(self) -> int:
        """Give the instant at which the response ends or fails: an event's, or else the last call's arrival."""
        end = next(_stream_ends(self), None)
        if end is not None:
            return end[1].at_ns
        return self.calls[-1].at_ns if self.calls else 0

    def tool_of(self, call: Call) -> ToolSpec:
        """Give the tool a call means, by name and then by alias; :class:`KeyError` for a call of another scenario."""
        known = self.tools or _IMPLICIT_TOOLS
        if call.tool in known:
            return known[call.tool]
        for tool in known.values():
            if call.tool in tool.aliases:
                return tool
        raise KeyError(call.tool)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for check in (_names_are_known, _calls_arrive_in_order, _events_come_in_order, _expected_ids_are_known):
            check(self)
        return self


_IMPLICIT_TOOLS: Final = {"Read": ToolSpec()}


def _stream_ends(scenario: Scenario) -> Iterator[tuple[int, Happening]]:
    """Give the events that end the response, each with its place."""
    return ((n, event) for n, event in enumerate(scenario.events) if event.do in ("stream_end", "stream_error"))


def _names_are_known(scenario: Scenario) -> None:
    owners = {name: name for name in scenario.tools}
    for name, tool in scenario.tools.items():
        for n, alias in enumerate(tool.aliases):
            if alias in owners:
                got = f"{alias!r}, which already means {owners[alias]!r}"
                raise fault(("tools", name, "aliases", n), f"expected a name of its own, got {got}; choose another")
            owners[alias] = name
    known = owners or _IMPLICIT_TOOLS
    for n, call in enumerate(scenario.calls):
        if call.tool not in known:
            hint = f"add {call.tool}: {{available: false}} if the executor lacks it; {way_out(call.tool, known)}"
            raise fault(("calls", n, "tool"), f"expected a tool named under tools, got {call.tool!r}; {hint}")


def _calls_arrive_in_order(scenario: Scenario) -> None:
    places: dict[str, int] = {}
    end_ns = scenario.stream_end_ns if any(_stream_ends(scenario)) else None
    latest_ns = 0
    for n, call in enumerate(scenario.calls):
        if call.id in places:
            got = f"{call.id!r}, which calls[{places[call.id]}] has"
            raise fault(("calls", n, "id"), f"expected an id of its own, got {got}; choose another")
        places[call.id] = n
        got = f"{call.id!r} at {format_duration(call.at_ns)}"
        if call.at_ns < latest_ns:
            before = f"{scenario.calls[n - 1].id!r} at {format_duration(latest_ns)}"
            problem = f"expected calls in the order they arrive, got {got} after {before}; sort by at"
            raise fault(("calls", n, "at"), problem)
        if end_ns is not None and call.at_ns > end_ns:
            end = format_duration(end_ns)
            problem = f"expected no call after the stream's end at {end}, got {got}; move one of them"
            raise fault(("calls", n, "at"), problem)
        latest_ns = call.at_ns


def _events_come_in_order(scenario: Scenario) -> None:
    for n, (earlier, later) in enumerate(pairwise(scenario.events), start=1):
        if later.at_ns < earlier.at_ns:
            got = f"{later.do} at {format_duration(later.at_ns)}"
            before = f"{earlier.do} at {format_duration(earlier.at_ns)}"
            raise fault(("events", n, "at"), f"expected events in order of time, got {got} after {before}; sort by at")
    for (_, first), (n, second) in pairwise(_stream_ends(scenario)):
        got = f"{second.do} after {first.do}"
        raise fault(("events", n, "do"), f"expected one end of the stream, got {got}; leave one out")


def _expected_ids_are_known(scenario: Scenario) -> None:
    known = {call.id for call in scenario.calls}
    for where, name in scenario.expect.ids():
        if name not in known:
            raise fault(("expect", *where), f"expected the id of a call, got {name!r}; {way_out(name, known)}")
