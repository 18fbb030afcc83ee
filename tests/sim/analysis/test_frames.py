"""Frames: documented columns whatever is in them, exact values, and what is left out said."""

import subprocess
import sys
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas", reason="the analysis extra is not installed")

from executor.events import Event, Kind  # noqa: E402
from scenarios import Call, Scenario, ToolSpec, load, read_trace  # noqa: E402
from sim import simulate  # noqa: E402
from sim.analysis.columns import COLUMNS  # noqa: E402
from sim.analysis.frames import calls_frame, events_frame, turns_frame  # noqa: E402

ROOT = Path(__file__).parents[3]
FRAMES = {"calls": calls_frame, "events": events_frame, "turns": turns_frame}
SAMPLE = ROOT / "scenarios" / "samples" / "failing_call_and_interrupt.jsonl"
EMPTY = ({}, [])
SECRETIVE = (
    {"scenario": "?", "engine": "mine"},
    [Event(0, Kind.BLOCK, "a\x00\ud800é中", {"tool": "T\u202e\n<script>"}), Event(1, Kind.ENTERED, "lost", {})],
)


def three_calls():
    return simulate(load(ROOT / "scenarios" / "library" / "three_calls_in_a_stream.yaml"))


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize(
    "of", [list, lambda: EMPTY, lambda: simulate(Scenario()), three_calls, lambda: read_trace(SAMPLE),
           lambda: SECRETIVE, lambda: [three_calls(), three_calls()]],
    ids=["nothing", "an empty log", "no calls", "a run", "a recording", "odd names", "two runs"],
)  # fmt: skip
def test_a_frame_has_the_documented_columns_and_types_whatever_is_in_it(name, of):
    frame = FRAMES[name](of())
    columns = COLUMNS[name]
    assert list(frame.columns) == [column.name for column in columns]
    assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in columns]
    assert "left_out" in frame.attrs


@pytest.mark.parametrize("name", FRAMES)
def test_every_column_is_documented_once_and_times_say_their_unit(name):
    columns = COLUMNS[name]
    assert len({column.name for column in columns}) == len(columns)
    for column in columns:
        assert column.meaning
        unit = {"s": "float64", "ns": "Int64", "": column.dtype}[column.unit]
        assert column.dtype == unit
        assert column.unit == "" or column.name.endswith(f"_{column.unit}")


def test_a_row_for_each_call_with_its_instants_in_seconds_and_exact():
    frame = three_calls().tools_frame()
    assert list(frame.call) == ["first", "second", "change"]
    assert list(frame.arrived_s) == [0.5, 1.2, 2.4]
    assert list(frame.ended_ns) == [700_000_000, 1_400_000_000, 2_600_000_000]
    assert list(frame.concurrency_safe) == [True, True, False]
    assert set(frame.response_ended_s) == {2.5}
    assert frame.background_until_s.isna().all()
    assert frame.attrs == {
        "turns": [("three calls in a stream", 1, "streaming", 3)],
        "responses": [(1, 0, 0.0, 2.5, False)],
        "stops": [],
        "violations": [],
        "left_out": {},
    }


def test_a_row_for_each_event_in_the_order_of_the_log():
    run = three_calls()
    frame = events_frame(run)
    assert list(frame.kind) == [event.kind.value for event in run.events]
    assert list(frame.t_ns) == [event.t_ns for event in run.events]
    assert frame.detail[1] == ('{"attempt": 0, "index": 0, "known": true, "safe": true, "tool": "Read", "valid": true}')
    assert bool(frame.inside[2])


def test_a_row_for_each_turn_and_engine():
    scenario = load(ROOT / "scenarios" / "library" / "three_calls_in_a_stream.yaml")
    frame = turns_frame([simulate(scenario, engine) for engine in ("streaming", "batch", "serial")])
    assert list(zip(frame.engine, frame.makespan_s, strict=True)) == [
        ("streaming", 2.6),
        ("batch", 2.9),
        ("serial", 3.1),
    ]
    assert list(frame.critical) == [
        "response → change",
        "response → second → change",
        "response → first → second → change",
    ]


def test_a_recording_keeps_its_numbers_and_what_it_does_not_tell_is_missing():
    """B120."""
    frame = calls_frame(read_trace(SAMPLE))
    assert list(frame.turn) == [1] * 3 + [2] * 4 + [3] * 2
    assert set(frame.engine) == {"recorded"}
    assert list(frame[frame.turn == 2].started_s.isna()) == [False, False, True, True]
    assert frame.estimated.any() or (frame.start_basis == "rule").any()


def test_what_cannot_be_told_is_said():
    frame = calls_frame(SECRETIVE)
    assert frame.attrs["left_out"] == {"calls whose end is not known": 1}
    assert list(frame.call) == ["a\x00\\ud800é中", "lost"]
    assert turns_frame(SECRETIVE).attrs["left_out"] == {"turns whose makespan is not known": 1}


def test_violations_and_stops_are_told_beside_the_calls():
    async def careless(stage):
        async for block in stage.blocks():
            stage.emit(await stage.call(block))
            stage.emit(await stage.call(block))

    frame = calls_frame(simulate(Scenario(calls=[Call(id="a", takes="1s")]), careless))
    assert frame.broken[0] is not pd.NA
    assert {rule for _, rule, _, _, _ in frame.attrs["violations"]} >= {"P1", "S7"}
    stopped = simulate(Scenario(calls=[Call(id="a", takes="2s")], events=[{"at": "1s", "do": "stop"}]))
    assert calls_frame(stopped).attrs["stops"] == [(1, 1.0, "stop")]


def test_ten_thousand_calls_of_no_length_are_a_frame_too():
    rows = [
        row
        for n in range(10_000)
        for row in (
            Event(n, Kind.BLOCK, f"c{n}", {"tool": "Read", "safe": n % 3 > 0}),
            Event(n, Kind.ENTERED, f"c{n}", {}),
            Event(n, Kind.LEFT, f"c{n}", {"ended": "ok"}),
            Event(n, Kind.EMITTED, f"c{n}", {"what": "result", "outcome": "ok", "started": True}),
        )
    ]
    frame = calls_frame(({"engine": "mine"}, rows))
    assert len(frame) == 10_000
    assert frame.ran_s.sum() == 0.0
    assert frame.outcome.eq("ok").all()
    assert list(turns_frame(({"engine": "mine"}, rows)).makespan_ns) == [9_999]


def test_an_hour_long_call_is_exact_in_nanoseconds():
    tools = {"Bash": ToolSpec(safe=False)}
    frame = simulate(Scenario(tools=tools, calls=[Call(id="a", tool="Bash", takes="99h")])).tools_frame()
    assert list(frame.ran_ns) == [99 * 3600 * 10**9]


def test_a_course_has_no_events_and_says_so():
    from sim.analysis.courses import courses

    with pytest.raises(TypeError, match="expected a run, a log or a recorded turn, got a course"):
        events_frame(courses(three_calls()))


def test_without_pandas_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from scenarios import Call, Scenario\nfrom sim import simulate\n"
        "try:\n    simulate(Scenario(calls=[Call(id='a')])).tools_frame()\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "frames need pandas: pip install 'interlock[analysis]'\n"
