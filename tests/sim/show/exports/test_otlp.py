"""OpenTelemetry spans: by the conventions for generative AI, in the JSON that collectors read from files."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios import Call, Scenario, load, read_trace
from scenarios.strategies import turns
from sim import simulate
from sim.analysis.courses import CallCourse, TurnCourse, courses
from sim.analysis.placed import PlacedTurn
from sim.show.exports.otlp import MOST_EVENTS, spans, write_otlp

ROOT = Path(__file__).parents[4]
LIBRARY = ROOT / "scenarios" / "library"
S = 1_000_000_000
Json = dict[str, Any]


def turn_of(scenario: Scenario, engine: str = "streaming", start_ns: int | None = 0) -> PlacedTurn:
    return PlacedTurn("turn", engine, start_ns, courses(simulate(scenario, engine)))


def spans_of(name: str) -> list[Json]:
    return list(spans(turn_of(load(LIBRARY / f"{name}.yaml")), "a file"))


def told(thing: Json) -> Json:
    """The attributes by their names."""
    return {one["key"]: next(iter(one["value"].values())) for one in thing["attributes"]}


def assert_well_formed(found: list[Json]) -> None:
    """Ids are unique and of their length, parents exist and come first, no span or event lies outside its parent."""
    seen: dict[str, Json] = {}
    for span in found:
        assert len(bytes.fromhex(span["traceId"])) == 16
        assert len(bytes.fromhex(span["spanId"])) == 8
        assert span["spanId"] not in seen
        assert span["kind"] == 1
        start_ns, end_ns = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        assert 0 <= start_ns <= end_ns
        if seen:
            parent = seen[span["parentSpanId"]]
            assert parent["traceId"] == span["traceId"]
            assert int(parent["startTimeUnixNano"]) <= start_ns
            assert end_ns <= int(parent["endTimeUnixNano"])
        seen[span["spanId"]] = span


def test_an_executed_call_is_an_execute_tool_span_from_admission_to_settlement() -> None:
    found = spans_of("field/B119_an_answer_before_its_question")
    (bash,) = [span for span in found if span["name"] == "execute_tool Bash"]
    assert (bash["startTimeUnixNano"], bash["endTimeUnixNano"]) == (str(2 * S), "3200000000")
    assert told(bash) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Bash",
        "gen_ai.tool.call.id": "bash",
        "interlock.concurrency_safe": False,
        "interlock.outcome": "ok",
        "interlock.started": True,
        "interlock.attempt": "0",
        "interlock.blocked_by": "read",
        "interlock.queued_ns": "1500000000",
    }
    assert [(event["name"], event["timeUnixNano"]) for event in bash["events"]] == [
        ("interlock.body_started", "2200000000"),
        ("interlock.body_ended", "3200000000"),
        ("interlock.emitted", "3200000000"),
    ]
    assert "status" not in bash
    inside = [span["name"] for span in found if span.get("parentSpanId") == bash["spanId"]]
    assert inside == ["interlock.hook", "interlock.question"]


def test_a_call_that_failed_has_its_outcome_as_error_type() -> None:
    (check,) = [
        span for span in spans_of("a_failing_shell_command") if told(span).get("gen_ai.tool.call.id") == "check"
    ]
    assert told(check)["error.type"] == "error"
    assert check["status"] == {"code": 2, "message": "error"}


def test_a_call_that_never_executed_is_an_event_of_its_turn() -> None:
    found = spans_of("a_failing_shell_command")
    (later,) = found[0]["events"]
    assert later["name"] == "interlock.never_executed"
    assert told(later)["gen_ai.tool.call.id"] == "later"
    assert told(later)["error.type"] == "sibling_error"
    assert not [span for span in found if told(span).get("gen_ai.tool.call.id") == "later"]


def test_a_response_that_failed_says_so_and_its_retry_is_a_span_of_its_own() -> None:
    responses = [span for span in spans_of("an_overloaded_response_is_asked_for_again") if "response" in span["name"]]
    assert [span.get("status", {}).get("code") for span in responses] == [2, None]


def test_a_span_carries_no_more_events_than_open_telemetry_allows_and_says_how_many_it_lost() -> None:
    course = courses(simulate(Scenario(calls=[Call(id="a", takes="1s")])))
    talkative = replace(course.calls[0], progress_ns=list(range(200)))
    found = list(spans(PlacedTurn("t", "e", 0, replace(course, calls=(talkative,))), "f"))
    assert (len(found[2]["events"]), found[2]["droppedEventsCount"]) == (MOST_EVENTS, 203 - MOST_EVENTS)
    said = write_otlp([PlacedTurn("t", "e", 0, replace(course, calls=(talkative,)))], io.StringIO(), source="f")
    assert said == ["75 events beyond the 128 of a span"]


def test_a_call_of_which_nothing_tells_when_it_ran_is_not_said_to_have_never_executed() -> None:
    """B120."""
    silent = TurnCourse({}, (CallCourse("ran", started=True, outcome="ok", arrived_ns=5), CallCourse("no")), ())
    turn = PlacedTurn("t", "e", 0, silent)
    (root,) = spans(turn, "f")
    assert [event["name"] for event in root["events"]] == ["interlock.execution_not_told", "interlock.never_executed"]
    assert write_otlp([turn], io.StringIO(), source="f") == [
        "1 call without any known time",
        "1 call whose end is not known",
    ]


def test_each_turn_is_a_line_and_one_without_a_time_is_left_out_and_said() -> None:
    """B120."""
    out = io.StringIO()
    turn = turn_of(Scenario(calls=[Call(id="a")]), start_ns=7)
    said = write_otlp([turn, turn._replace(start_ns=None), turn._replace(name="next")], out, source="s.jsonl")
    assert said == ["turn of streaming: when it began is not told"]
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    roots = [line["resourceSpans"][0]["scopeSpans"][0]["spans"][0] for line in lines]
    assert [told(root)["interlock.turn"] for root in roots] == ["turn", "next"]
    assert {told(root)["gen_ai.conversation.id"] for root in roots} == {"s.jsonl"}
    assert len({root["traceId"] for root in roots}) == 2
    assert roots[0]["startTimeUnixNano"] == "7"


def test_names_with_control_characters_are_shown_by_their_escapes() -> None:
    course = courses(simulate(Scenario(calls=[Call(id="a", takes="1s")])))
    odd = replace(course.calls[0], tool="Re\nad", call="\ud800")
    (span,) = [
        span
        for span in spans(PlacedTurn("t", "e", 0, replace(course, calls=(odd,))), "f")
        if "execute_tool" in span["name"]
    ]
    assert (span["name"], told(span)["gen_ai.tool.call.id"]) == (r"execute_tool Re\nad", r"\ud800")


@settings(max_examples=settings().max_examples // 6)
@given(turns(), st.sampled_from(["streaming", "batch", "serial"]))
def test_every_turn_whatever_gives_spans_that_lie_in_each_other(turn: Scenario, engine: str) -> None:
    assert_well_formed(list(spans(turn_of(turn, engine), "f")))


@pytest.mark.parametrize("sample", sorted((ROOT / "scenarios" / "samples").glob("*.jsonl")), ids=lambda path: path.stem)
def test_open_telemetrys_own_messages_take_every_line(sample: Path) -> None:
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2", reason="the interop extra brings it")
    from google.protobuf.json_format import Parse

    out = io.StringIO()
    write_otlp(
        (PlacedTurn(f"{one.number}", one.agent or "main", one.first_ns, courses(one)) for one in read_trace(sample)),
        out,
        source=sample.name,
    )
    for line in out.getvalue().splitlines():
        message = Parse(line, trace.TracesData())
        written = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        read = message.resource_spans[0].scope_spans[0].spans
        assert [(span.name, str(span.start_time_unix_nano), len(span.attributes)) for span in read] == [
            (span["name"], span["startTimeUnixNano"], len(span["attributes"])) for span in written
        ]
