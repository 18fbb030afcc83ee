"""The words for how a response comes in, and for several attempts at it: read, written back, refused with a reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios import Attempt, Scenario, ScenarioError, Stream, dump, loads
from scenarios.strategies import retried_turns, streams


@settings(max_examples=max(60, settings().max_examples // 5))
@given(retried_turns(), streams() | streams(paced=True))
def test_attempts_and_streams_are_written_so_that_they_read_back(scenario: Scenario, stream: Stream) -> None:
    same = scenario if stream.rate is not None else scenario.model_copy(update={"stream": stream})
    assert loads(dump(same)) == same
    assert loads(dump(Scenario(stream=stream))).stream == stream


def test_attempts_are_written_with_a_line_for_each_call_and_event() -> None:
    text = """\
stream: {level: bytes, chunks: random}
attempts:
  - calls:
      - {id: a, at: 100ms, takes: 1s}
    events:
      - {at: 1s, do: stream_error, error: overloaded_error}
  - after: 1s
    calls:
      - {id: b, at: 100ms, takes: 1s}
    stream: {level: bytes}
"""
    assert dump(loads(text)) == text


def test_a_scenario_without_attempts_has_one_response() -> None:
    scenario = loads("{calls: [{id: a}], events: [{at: 1s, do: stream_end}]}")
    assert scenario.responses == (Attempt(calls=scenario.calls, events=scenario.events),)
    assert scenario.every_call == scenario.calls


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "stream: {chunks: 5}",
            "1:10: stream.chunks: expected chunks only with level: bytes, got it without; add level: bytes",
        ),
        (
            "stream: {stalls: [{at: 1, takes: 1}]}",
            "1:10: stream.stalls: expected stalls only with rate, got it without; add rate",
        ),
        (
            "stream: {level: bytes, chunks: 0}",
            "1:24: stream.chunks: expected whole, events, random or a number of bytes, got 0",
        ),
        ("stream: {rate: 0}", "1:10: stream.rate: expected tokens in a second, more than 0 and up to a million, got 0"),
        (
            "stream: {rate: true}",
            "1:10: stream.rate: expected tokens in a second, more than 0 and up to a million, got true",
        ),
        (
            "stream: {level: bytes, pings: 0}",
            "1:24: stream.pings: expected a time between pings, got 0s; leave it out for none",
        ),
        (
            "stream: {level: bytes, chunks: evnts}",
            "1:24: stream.chunks: expected whole, events, random or a number of bytes, got 'evnts'; "
            "did you mean 'events'?",
        ),
        (
            "{stream: {rate: 5}, calls: [{id: a, at: 1s}]}",
            "1:37: calls[0].at: expected instants or a rate, got at: 1s beside rate: 5; leave one out",
        ),
        (
            "{stream: {rate: 5}, events: [{at: 1s, do: stream_end}]}",
            "1:39: events[0].do: expected the rate to say when the stream ends, got stream_end; leave it out",
        ),
        (
            "{calls: [{id: a}], attempts: [{calls: [{id: b}]}]}",
            "1:2: calls: expected calls or attempts, got both; move the calls into the first attempt",
        ),
        (
            "{attempts: [{}], events: [{at: 1s, do: stream_end}]}",
            "1:36: events[0].do: expected stream_end in an attempt, got it beside them; move it",
        ),
        (
            "attempts: [{events: [{at: 1s, do: stop}]}]",
            "1:31: attempts[0].events[0].do: expected only the stream's end or a discard in an attempt, got stop; move "
            "it to the scenario's events",
        ),
        (
            "attempts: [{calls: [{id: a}]}, {calls: [{id: a}]}]",
            "1:42: attempts[1].calls[0].id: expected an id of its own, got 'a', which attempts[0].calls[0] has; "
            "choose another",
        ),
        (
            "attempts: [{stream: {level: bytes, start: confirmed}}]",
            "1:36: attempts[0].stream.start: expected start: block as in the scenario's own stream, got confirmed; "
            "say it there",
        ),
        (
            "attempts: [{calls: [{id: a, takse: 1}]}]",
            "1:29: attempts[0].calls[0].takse: expected a known key, got 'takse'; did you mean 'takes'?",
        ),
        (
            "calls: [{id: a, cut: true}, {id: b}]",
            "1:17: calls[0].cut: expected only the last call to be cut off; move it",
        ),
        (
            "calls: [{id: a, raw: '{}'}]",
            "1:17: calls[0].raw: expected text that is no JSON object, got '{}'; write it as input",
        ),
        (
            "calls: [{id: a, raw: '[', input: {x: 1}}]",
            "1:17: calls[0].raw: expected raw or input, got both; leave one out",
        ),
    ],
)
def test_what_does_not_go_together_is_told_with_its_place_and_the_way_out(text: str, told: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(text, "x.yaml")
    assert str(caught.value) == f"x.yaml:{told}"


@given(streams(), st.data())
@settings(max_examples=50)
def test_streams_need_no_rate_unless_they_are_paced(stream: Stream, data: st.DataObject) -> None:
    assert stream.rate is None
    assert data.draw(streams(paced=True)).rate is not None
