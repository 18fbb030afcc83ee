"""What must hold between the parts of a scenario, each part being right by itself.

The rule: the first breach is told, with the place of its culprit. Times in nanoseconds.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from .durations import format_duration
from .part import fault
from .words import way_out

if TYPE_CHECKING:
    from .model import Attempt, Scenario

STREAM_ENDS: Final = ("stream_end", "stream_error")
"""The events that end a response."""


def _names_are_known(scenario: "Scenario") -> None:
    owners = {name: name for name in scenario.tools}
    for name, tool in scenario.tools.items():
        for n, alias in enumerate(tool.aliases):
            if alias in owners:
                got = f"{alias!r}, which already means {owners[alias]!r}"
                raise fault(("tools", name, "aliases", n), f"expected a name of its own, got {got}; choose another")
            owners[alias] = name
    known = {**scenario.known_tools, **owners}
    for where, attempt in _placed(scenario):
        for n, call in enumerate(attempt.calls):
            if call.tool not in known:
                hint = f"add {call.tool}: {{available: false}} if the executor lacks it; {way_out(call.tool, known)}"
                problem = f"expected a tool named under tools, got {call.tool!r}; {hint}"
                raise fault((*where, "calls", n, "tool"), problem)


def _placed(scenario: "Scenario") -> Iterator[tuple[tuple[str | int, ...], "Attempt"]]:
    """Give each attempt with the place where it stands."""
    for n, attempt in enumerate(scenario.responses):
        yield ("attempts", n) if scenario.attempts else (), attempt


def _calls_are_told_apart(scenario: "Scenario") -> None:
    places: dict[str, str] = {}
    for where, attempt in _placed(scenario):
        for n, call in enumerate(attempt.calls):
            if call.id in places:
                got = f"{call.id!r}, which {places[call.id]} has"
                raise fault((*where, "calls", n, "id"), f"expected an id of its own, got {got}; choose another")
            places[call.id] = f"attempts[{where[1]}].calls[{n}]" if where else f"calls[{n}]"


def _calls_arrive_in_order(scenario: "Scenario") -> None:
    for where, attempt in _placed(scenario):
        latest_ns, ends = 0, attempt.end is not None
        for n, call in enumerate(attempt.calls):
            got = f"{call.id!r} at {format_duration(call.at_ns)}"
            if call.at_ns < latest_ns:
                before = f"{attempt.calls[n - 1].id!r} at {format_duration(latest_ns)}"
                problem = f"expected calls in the order they arrive, got {got} after {before}; sort by at"
                raise fault((*where, "calls", n, "at"), problem)
            if ends and call.at_ns > attempt.end_ns:
                end = format_duration(attempt.end_ns)
                problem = f"expected no call after the stream's end at {end}, got {got}; move one of them"
                raise fault((*where, "calls", n, "at"), problem)
            latest_ns = call.at_ns


def _events_come_in_order(scenario: "Scenario") -> None:
    for where, events in [*((where, attempt.events) for where, attempt in _placed(scenario)), ((), scenario.events)]:
        for n, (earlier, later) in enumerate(pairwise(events), start=1):
            if later.at_ns < earlier.at_ns:
                got = f"{later.do} at {format_duration(later.at_ns)}"
                before = f"{earlier.do} at {format_duration(earlier.at_ns)}"
                problem = f"expected events in order of time, got {got} after {before}; sort by at"
                raise fault((*where, "events", n, "at"), problem)
        ends = [(n, event) for n, event in enumerate(events) if event.do in STREAM_ENDS]
        for (_, first), (n, second) in pairwise(ends):
            got = f"{second.do} after {first.do}"
            raise fault((*where, "events", n, "do"), f"expected one end of the stream, got {got}; leave one out")


def _attempts_stand_alone(scenario: "Scenario") -> None:
    """Calls stand in the attempts or outside, the user's acts outside only."""
    if not scenario.attempts:
        return
    if scenario.calls:
        raise fault(("calls",), "expected calls or attempts, got both; move the calls into the first attempt")
    for n, event in enumerate(scenario.events):
        if event.do in STREAM_ENDS:
            raise fault(("events", n, "do"), f"expected {event.do} in an attempt, got it beside them; move it")
    for n, attempt in enumerate(scenario.attempts):
        for m, event in enumerate(attempt.events):
            if event.do not in (*STREAM_ENDS, "discard"):
                got = f"expected only the stream's end or a discard in an attempt, got {event.do}"
                raise fault(("attempts", n, "events", m, "do"), f"{got}; move it to the scenario's events")


def _the_stream_can_say_it(scenario: "Scenario") -> None:
    """A rate decides the instants or the calls do; a block that is cut is the last; all attempts start alike."""
    for where, attempt in _placed(scenario):
        stream = attempt.stream or scenario.stream
        if stream.start != scenario.stream.start:
            problem = f"expected start: {scenario.stream.start} as in the scenario's own stream, got {stream.start}"
            raise fault((*where, "stream", "start"), f"{problem}; say it there")
        for n, call in enumerate(attempt.calls):
            if stream.rate is not None and call.at_ns:
                got = f"at: {format_duration(call.at_ns)} beside rate: {stream.rate:g}"
                raise fault((*where, "calls", n, "at"), f"expected instants or a rate, got {got}; leave one out")
            if call.cut and n < len(attempt.calls) - 1:
                raise fault((*where, "calls", n, "cut"), "expected only the last call to be cut off; move it")
        for n, event in enumerate(attempt.events):
            if stream.rate is not None and event.do == "stream_end":
                problem = f"expected the rate to say when the stream ends, got {event.do}; leave it out"
                raise fault((*where, "events", n, "do"), problem)


def _answers_fit(scenario: "Scenario") -> None:
    calls = {call.id for call in scenario.every_call}
    answered = {call.id for call in scenario.every_call if call.answer is not None}
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


def _places_of_answers(scenario: "Scenario") -> Iterator[tuple[str | int, ...]]:
    if scenario.permissions.answer is not None:
        yield "permissions", "answer"
    yield from (("tools", name, "answer") for name, tool in scenario.tools.items() if tool.answer is not None)
    for where, attempt in _placed(scenario):
        yield from ((*where, "calls", n, "answer") for n, call in enumerate(attempt.calls) if call.answer is not None)
    yield from (("events", n, "id") for n, event in enumerate(scenario.events) if event.id is not None)


def _expected_ids_are_known(scenario: "Scenario") -> None:
    known = {call.id for call in scenario.every_call}
    for where, name in scenario.expect.ids():
        if name not in known:
            raise fault(("expect", *where), f"expected the id of a call, got {name!r}; {way_out(name, known)}")


CHECKS: Final = (
    _names_are_known,
    _calls_are_told_apart,
    _calls_arrive_in_order,
    _events_come_in_order,
    _attempts_stand_alone,
    _the_stream_can_say_it,
    _answers_fit,
    _expected_ids_are_known,
)
