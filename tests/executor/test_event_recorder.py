"""The event log: recorded by the clock, written as lines, read back (DESIGN 5)."""

import asyncio
import json

import pytest

from executor import Recorder
from executor.events import INSIDE, VERSION, Event, Kind, dump_lines, load_lines
from sim import clock

EVENTS = [
    Event(0, Kind.BLOCK, "a", {"tool": "Read", "index": 0}),
    Event(200_000_000, Kind.LEFT, "a", {"ended": "ok"}),
    Event(200_000_000, Kind.CONTEXT, None, {"values": {"naïve": [1]}}),
]


def test_a_recorder_times_events_from_the_first_one_on_by_the_loop_s_clock() -> None:
    async def main() -> list[Event]:
        await asyncio.sleep(3)
        recorder = Recorder()
        recorder(Kind.STOP, None)
        await asyncio.sleep(0.000_000_007)
        recorder(Kind.ENTERED, "a", sees={})
        await asyncio.sleep(86_400)
        recorder(Kind.TURN_ENDED, None)
        return recorder.events

    assert clock.run(main()) == [
        Event(0, Kind.STOP, None, {}),
        Event(7, Kind.ENTERED, "a", {"sees": {}}),
        Event(86_400_000_000_007, Kind.TURN_ENDED, None, {}),
    ]


def test_a_log_is_a_header_and_a_line_per_event_with_sorted_keys() -> None:
    """D1: equal logs are equal bytes."""
    lines = list(dump_lines({"tools": {"Read": {}}}, EVENTS))
    assert lines == [
        '{"log":1,"tools":{"Read":{}}}',
        '{"call":"a","index":0,"kind":"block","t":0,"tool":"Read"}',
        '{"call":"a","ended":"ok","kind":"left","t":200000000}',
        '{"kind":"context","t":200000000,"values":{"naïve":[1]}}',
    ]


def test_the_order_in_which_details_were_given_does_not_show() -> None:
    """D1."""
    one, other = (
        list(dump_lines(header, [Event(0, Kind.BLOCK, "a", detail)]))
        for header, detail in [
            ({"x": 1, "y": 2}, {"index": 0, "tool": "Read"}),
            ({"y": 2, "x": 1}, {"tool": "Read", "index": 0}),
        ]
    )
    assert one == other


def test_what_is_written_reads_back_the_same() -> None:
    header = {"tools": {"Read": {"safe": True}}, "grace_ns": 5}
    assert load_lines(dump_lines(header, EVENTS)) == (header, EVENTS)


def test_refusals_background_work_and_a_consumer_that_leaves_have_their_rows() -> None:
    """A4, X8, E10: what other people's logs tell of them reads as ours does."""
    lines = [
        '{"log":1}',
        '{"by":"person","call":"a","kind":"refused","t":1}',
        '{"call":"b","detached":true,"ended":"background","kind":"left","said":"job 1","t":2}',
        '{"call":"b","kind":"work_ended","t":3}',
        '{"how":"cancelled","kind":"consumer_left","t":4}',
    ]
    events = [
        Event(1, Kind.REFUSED, "a", {"by": "person"}),
        Event(2, Kind.LEFT, "b", {"ended": "background", "detached": True, "said": "job 1"}),
        Event(3, Kind.WORK_ENDED, "b", {}),
        Event(4, Kind.CONSUMER_LEFT, None, {"how": "cancelled"}),
    ]
    assert load_lines(lines) == ({}, events)
    assert list(dump_lines({}, events)) == lines


def test_a_recorder_gives_its_log_as_lines() -> None:
    recorder = Recorder({"engine": "batch"}, clock_ns=iter([5, 7]).__next__)
    recorder(Kind.STOP, None)
    recorder(Kind.SIGNALLED, "a", reason="user_interrupted")
    assert [json.loads(line) for line in recorder.lines()] == [
        {"log": VERSION, "engine": "batch"},
        {"t": 0, "kind": "stop"},
        {"t": 2, "kind": "signalled", "call": "a", "reason": "user_interrupted"},
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "line 1: expected the header of an event log, got an empty file"),
        (["{}"], "line 1: not a row of an event log: 'log'"),
        (['{"log":2}'], "line 1: not a row of an event log: log version 2, this Interlock reads 1"),
        (["[]"], "line 1: not a row of an event log"),
        (["null"], "line 1: not a row of an event log"),
        (["not json"], "line 1: not a row of an event log"),
        (['{"log":1}', "{}"], "line 2: not a row of an event log: 't'"),
        (['{"log":1}', '{"t":0,"kind":"danced"}'], "line 2: not a row of an event log: 'danced' is not a valid Kind"),
        (['{"log":1}', '{"t":0,"kind":"stop"}', "[1]"], "line 3: not a row of an event log"),
    ],
)
def test_a_broken_log_is_told_with_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(ValueError) as told:
        load_lines(lines)
    assert str(told.value).startswith(message)


def test_the_inside_view_is_what_only_our_own_executor_can_tell() -> None:
    """SPEC 10: outside view first."""
    assert {kind.value for kind in INSIDE} == {
        "queued", "admitted", "completed", "yielded", "hook_started", "hook_ended", "question_asked",
        "question_answered", "permitted", "denied", "hardened",
    }  # fmt: skip
