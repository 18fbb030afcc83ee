"""What a scenario says: one turn's calls, tools, events and what is expected of it. Nothing here runs.

The rule: the words are the same in YAML and in Python (``Call(id="a", at="500ms", takes=0.2)``), a bare number is
seconds, and every value held is an integer number of nanoseconds, in fields whose name ends in ``_ns`` or whose
docstring says so. To hand over nanoseconds, write the unit: ``at=f"{t_ns}ns"``.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, Literal, Self

from pydantic import Field, StrictBool, StrictStr, model_validator

from .calls import Call, ToolSpec, class_of
from .durations import DurationNs, format_duration
from .expect import ENGINES, SYNTHETIC, Engine, Expect
from .hooks import HookSpec
from .part import Count, Name, Part, fault
from .permissions import Answer, Permissions
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


_OTHER_WORDS: Final = {"interrupt": "stop", "deny": "refuse", "cancel_task": "cancel"}
ANSWERS: Final = frozenset({"allow", "refuse"})
"""The events that answer a question."""


class Happening(Part):
    """Something from outside at one instant: the response's end or failure, the user, or the client that gives up."""

    at_ns: DurationNs = Field(alias="at")
    do: Literal["stream_end", "stream_error", "stop", "submit", "discard", "allow", "refuse", "cancel"]
    """``interrupt`` (with ``reason: user``) is another word for ``stop``, ``deny`` for ``refuse``, ``cancel_task`` for
    ``cancel``: the task that drives the turn is cancelled (E10)."""
    id: Name | None = None
    """With ``allow`` and ``refuse``: the call that a person is asked about and answers then, or as soon as asked."""
    force: StrictBool = False
    """With ``submit``: stop the calls that can be, whatever else runs (A7)."""
    error: StrictStr | None = None
    """With ``stream_error``: what the stream failed with."""

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


class Scenario(Part):
    """One turn as data: what arrives when, what each body does, what happens, what must come out."""

    name: StrictStr = Field(default="", alias="scenario")
    options: Options = Options()
    tools: dict[Name, ToolSpec] = Field(default_factory=dict)
    """The tools by name; where none is given there is one, a safe ``Read``."""
    hooks: tuple[HookSpec, ...] = ()
    """The hooks in the order in which they are registered; before those of single tools and calls."""
    permissions: Permissions = Permissions()
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
        known = self.tools or IMPLICIT_TOOLS
        if call.tool in known:
            return known[call.tool]
        for tool in known.values():
            if call.tool in tool.aliases:
                return tool
        raise KeyError(call.tool)

    def is_safe(self, call: Call) -> bool:
        """Tell the class of a call of this scenario, from its tool's word and its own (E2)."""
        tool = self.tool_of(call)
        if not (tool.available and call.valid) or tool.classifier_raises:
            return False
        return class_of(tool, call.input, call.safe)

    @property
    def answers(self) -> dict[str, Answer | Happening]:
        """Give what is said of each call that has an answer of its own: words of the call, or an event."""
        own: dict[str, Answer | Happening] = {call.id: call.answer for call in self.calls if call.answer is not None}
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
        for check in (
            _names_are_known,
            _calls_arrive_in_order,
            _events_come_in_order,
            _answers_fit,
            _expected_ids_are_known,
        ):
            check(self)
        return self


IMPLICIT_TOOLS: Final = {"Read": ToolSpec()}
"""The tools of a scenario that names none."""


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
    known = owners or IMPLICIT_TOOLS
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


def _answers_fit(scenario: Scenario) -> None:
    calls = {call.id: n for n, call in enumerate(scenario.calls)}
    answered = {call.id for call in scenario.calls if call.answer is not None}
    for n, event in enumerate(scenario.events):
        if event.id is None:
            continue
        if event.id not in calls:
            problem = f"expected the id of a call, got {event.id!r}; {way_out(event.id, calls)}"
            raise fault(("events", n, "id"), problem)
        if event.id in answered:
            problem = f"expected one answer for each call, got another one for {event.id!r}; leave one out"
            raise fault(("events", n, "id"), problem)
        answered.add(event.id)
    if scenario.permissions.asker == "none" and (places := list(_places_of_answers(scenario))):
        raise fault(places[0], "expected no answer where nobody is asked, got one; leave it out, or change asker")


def _places_of_answers(scenario: Scenario) -> Iterator[tuple[str | int, ...]]:
    if scenario.permissions.answer is not None:
        yield "permissions", "answer"
    yield from (("tools", name, "answer") for name, tool in scenario.tools.items() if tool.answer is not None)
    yield from (("calls", n, "answer") for n, call in enumerate(scenario.calls) if call.answer is not None)
    yield from (("events", n, "id") for n, event in enumerate(scenario.events) if event.id is not None)


def _expected_ids_are_known(scenario: Scenario) -> None:
    known = {call.id for call in scenario.calls}
    for where, name in scenario.expect.ids():
        if name not in known:
            raise fault(("expect", *where), f"expected the id of a call, got {name!r}; {way_out(name, known)}")
