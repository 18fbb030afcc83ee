"""Chrome trace events: tracks on which nothing overlaps, pairs that match, names that a viewer can show."""

import io
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.events import Event, Kind
from scenarios import Call, OwnHook, Scenario, ToolSpec, load, read_trace
from scenarios.strategies import turns
from sim import simulate
from sim.analysis.courses import CallCourse, Hook, TurnCourse, courses
from sim.analysis.placed import PlacedTurn
from sim.show.exports.perfetto import trace_events, write_perfetto

ROOT = Path(__file__).parents[4]
LIBRARY = ROOT / "scenarios" / "library"
S = 1_000_000_000
Row = dict[str, Any]


def turn_of(scenario: Scenario, engine: str = "streaming", start_ns: int | None = 0) -> PlacedTurn:
    return PlacedTurn("turn", engine, start_ns, courses(simulate(scenario, engine)))


def library(name: str, engine: str = "streaming") -> PlacedTurn:
    return turn_of(load(LIBRARY / f"{name}.yaml"), engine)


def slices(rows: list[Row], track: str = "") -> list[tuple[str, str, float, float]]:
    """The slices as track, name, start and end in seconds."""
    names = {(row["pid"], row["tid"]): row["args"]["name"] for row in rows if row["name"] == "thread_name"}
    found = [
        (names[row["pid"], row["tid"]], row["name"], row["ts"] / 1e6, (row["ts"] + row["dur"]) / 1e6)
        for row in rows
        if row["ph"] == "X"
    ]
    return [one for one in found if one[0].startswith(track)]


def pairs(rows: list[Row]) -> list[tuple[str, str, float, float]]:
    """The asynchronous pairs as name, call, start and end in seconds; each id begins once and ends once."""
    begun: dict[tuple[int, str], Row] = {}
    found = []
    for row in rows:
        if row["ph"] == "b":
            assert begun.setdefault((row["pid"], row["id2"]["local"]), row) is row
        elif row["ph"] == "e":
            first = begun[row["pid"], row["id2"]["local"]]
            assert (first["name"], first["cat"]) == (row["name"], row["cat"])
            found.append((row["name"], first["args"]["call"], first["ts"] / 1e6, row["ts"] / 1e6))
    assert len(found) == len(begun)
    return found


def assert_well_formed(rows: list[Row]) -> None:
    """What a trace processor asks of a file: slices of a thread nest, pairs match, threads and processes are named."""
    threads: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    named = {(row["pid"], row.get("tid", 0)) for row in rows if row["ph"] == "M"}
    for row in rows:
        if row["ph"] in "Xi":
            assert {(row["pid"], row["tid"]), (row["pid"], 0)} <= named
        if row["ph"] == "X":
            start_ns, dur_ns = round(row["ts"] * 1000), round(row["dur"] * 1000)
            assert dur_ns >= 0
            threads[row["pid"], row["tid"]].append((start_ns, start_ns + dur_ns))
    for spans in threads.values():
        open_ends: list[int] = []
        # A stable sort: of two slices that begin at one instant the outer one comes first in the file.
        for start_ns, end_ns in sorted(spans, key=lambda span: span[0]):
            while open_ends and open_ends[-1] <= start_ns:
                open_ends.pop()
            assert not open_ends or end_ns <= open_ends[-1], "a slice outlasts the one around it"
            open_ends.append(end_ns)
    assert all(start_s <= end_s for _, _, start_s, end_s in pairs(rows))


def test_calls_that_overlap_lie_in_lanes_and_share_one_where_they_follow_each_other() -> None:
    """B122: the third takes the lane that the first has left, and no lane holds two calls at once."""
    rows = list(trace_events([library("field/B122_three_bars_in_two_lanes")]))
    assert slices(rows, "lane") == [
        ("lane 0", "Read first", 0, 2),
        ("lane 1", "Read second", 1, 3),
        ("lane 0", "Read third", 2, 4),
    ]
    assert_well_formed(rows)


def test_a_call_is_divided_into_hooks_question_and_body_and_its_waits_are_pairs() -> None:
    """X7, B119: what the call did itself nests in its slice; what it waited for stands beside it."""
    rows = list(trace_events([library("field/B119_an_answer_before_its_question")]))
    bash = [one for one in slices(rows, "lane") if one[2] >= 2]
    assert [one[1:] for one in bash] == [("Bash bash", 2, 3.2), ("hooks before", 2, 2.2), ("body", 2.2, 3.2)]
    assert ("queued", "bash", 0.5, 2) in pairs(rows)
    assert_well_formed(rows)


def test_the_parts_of_a_call_lie_in_its_own_lane() -> None:
    """B122: side by side, each with its hooks and its body beneath it."""
    hooked = ToolSpec(pre_hook=OwnHook(takes="1s"))
    calls = [Call(id="a", takes="2s"), Call(id="b", takes="1s")]
    rows = list(trace_events([turn_of(Scenario(tools={"Read": hooked}, calls=calls))]))
    assert slices(rows, "lane") == [
        ("lane 0", "Read a", 0, 3),
        ("lane 0", "hooks before", 0, 1),
        ("lane 0", "body", 1, 3),
        ("lane 1", "Read b", 0, 2),
        ("lane 1", "hooks before", 0, 1),
        ("lane 1", "body", 1, 2),
    ]


def test_a_log_that_says_odd_things_still_gives_parts_that_follow_each_other() -> None:
    """B122: a question inside a hook, a body that ends after its call, hooks that begin before their call."""
    odd = CallCourse(
        "a",
        tool="T",
        admitted_ns=2 * S,
        started_ns=4 * S,
        ended_ns=7 * S,
        settled_ns=8 * S,
        question_asked_ns=3 * S,
        question_answered_ns=5 * S,
        hooks=(Hook("early", 1 * S, 4 * S), Hook("late", 6 * S, 12 * S)),
    )
    rows = list(trace_events([PlacedTurn("t", "e", 0, TurnCourse({}, (odd,), ()))]))
    assert [one[1:] for one in slices(rows, "lane")] == [
        ("T a", 2, 8),
        ("hooks before", 2, 4),
        ("question", 4, 5),
        ("body", 5, 7),
        ("hooks after", 7, 8),
    ]
    assert_well_formed(rows)


def test_a_body_that_was_given_up_and_never_left_holds_its_lane_until_the_last_known_instant() -> None:
    """A9, B122: another call is settled meanwhile, and does not take the lane in which the body still runs."""
    deaf = CallCourse("deaf", tool="T", admitted_ns=0, started_ns=0, settled_ns=S, abandoned=True)
    later = CallCourse("later", tool="T", admitted_ns=2 * S, started_ns=2 * S, ended_ns=3 * S, settled_ns=3 * S)
    rows = list(trace_events([PlacedTurn("t", "e", 0, TurnCourse({}, (deaf, later), ()))]))
    assert slices(rows, "lane") == [("lane 0", "T deaf", 0, 3), ("lane 1", "T later", 2, 3)]
    assert [row["args"].get("open") for row in rows if row["name"] == "T deaf"] == [True]


def test_a_call_that_never_ran_is_a_wait_that_says_how_it_ended() -> None:
    rows = list(trace_events([library("a_failing_shell_command")]))
    assert not [name for _, name, _, _ in slices(rows, "lane") if "later" in name]
    (begun,) = [row for row in rows if row["ph"] == "b" and row["args"]["call"] == "later"]
    assert (begun["name"], begun["args"]["outcome"], begun["args"]["started"]) == ("queued", "sibling_error", False)


def test_a_call_of_which_nothing_lasts_is_an_instant_and_one_without_any_time_is_counted() -> None:
    """E1, B120: an unknown tool is answered at once, and a cut-off file tells of a call its arrival alone."""
    refused = CallCourse("refused", "Gone", arrived_ns=S, settled_ns=S, emitted_ns=S, outcome="unknown_tool")
    cut = CallCourse("cut", "Read", arrived_ns=2 * S)
    out = io.StringIO()
    said = write_perfetto([PlacedTurn("t", "e", 0, TurnCourse({}, (refused, cut, CallCourse("lost")), ()))], out)
    rows = json.loads(out.getvalue())
    instants = [(row["name"], row["ts"] / 1e6) for row in rows["traceEvents"] if row["ph"] == "i"]
    assert instants == [("Gone refused", 1), ("Read cut", 2)]
    assert said == rows["otherData"]["left_out"] == ["1 call without any known time"]


def test_every_engine_is_a_process_and_so_is_a_turn_that_overlaps_another() -> None:
    """B122."""
    one = turn_of(Scenario(calls=[Call(id="a", takes="2s")]))
    rows = list(
        trace_events([one, one._replace(track="batch"), one._replace(start_ns=S), one._replace(start_ns=2 * S)])
    )
    names = {row["pid"]: row["args"]["name"] for row in rows if row["name"] == "process_name"}
    assert names == {1: "streaming", 2: "batch", 3: "streaming (2)"}
    placed = [(row["pid"], row["ts"]) for row in rows if row["ph"] == "X" and row["name"] == "turn"]
    assert placed == [(1, 0), (2, 0), (3, 1_000_000), (1, 2_000_000)]
    assert_well_formed(rows)


def test_times_count_from_the_first_turn_and_keep_their_nanoseconds() -> None:
    epoch_ns = 1_772_442_003_100_000_000
    late = turn_of(Scenario(calls=[Call(id="a", at="1ns", takes="3ns")]), start_ns=epoch_ns)
    rows = list(trace_events([late, late._replace(start_ns=epoch_ns + 86_400 * S)]))
    read = [(row["ts"], row["dur"]) for row in rows if row["name"] == "Read a"]
    assert read == [(0.001, 0.003), (86_400_000_000.001, 0.003)]


def test_stops_and_broken_rules_are_instants() -> None:
    turn = library("an_end_at_the_instant_of_a_stop")
    assert turn.course.stops
    shown = [row["ts"] for row in trace_events([turn]) if row["name"] == "stop"]
    assert shown == [at_ns / 1000 for at_ns, _ in turn.course.stops]
    log = [
        Event(0, Kind.BLOCK, "a", {"tool": "Read", "safe": True, "index": 0, "attempt": 0}),
        Event(0, Kind.ENTERED, "a", {}),
        Event(7, Kind.ENTERED, "a", {}),
    ]
    (broken,) = [
        row for row in trace_events([PlacedTurn("t", "e", 0, courses(({}, log)))]) if row["name"] == "S7 broken"
    ]
    assert (broken["ph"], broken["ts"], broken["args"]["calls"]) == ("i", 0.007, ["a"])


def test_turns_without_a_time_are_left_out_and_said() -> None:
    """B120: nothing is drawn at an instant that nobody knows."""
    out = io.StringIO()
    said = ["turn of streaming: when it began is not told"]
    assert write_perfetto([turn_of(Scenario(calls=[Call(id="a")]), start_ns=None)], out) == said
    written = json.loads(out.getvalue())
    assert (written["traceEvents"], written["otherData"]["left_out"]) == ([], said)


def test_names_that_would_break_a_viewer_are_made_printable() -> None:
    names = ["\x1b[31mred", "line\nbreak", "nul\0", "\ud800 alone", "检查 \N{SNOWMAN}"]
    course = courses(simulate(Scenario(calls=[Call(id=f"{n}", at=f"{n}s", takes="1s") for n in range(len(names))])))
    calls = tuple(replace(call, tool=name, call=name) for call, name in zip(course.calls, names, strict=True))
    out = io.StringIO()
    write_perfetto([PlacedTurn("\r", "\x00", 0, replace(course, calls=calls))], out)
    out.getvalue().encode("utf-8")
    shown = [name for _, name, _, _ in slices(json.loads(out.getvalue())["traceEvents"], "lane")]
    plain = [r"\x1b[31mred", r"line\nbreak", r"nul\x00", r"\ud800 alone", "检查 \N{SNOWMAN}"]
    assert shown == [f"{name} {name}" for name in plain]


def test_no_calls_no_length_an_hour_and_an_unknown_end_are_written() -> None:
    odd = Scenario(calls=[Call(id="a", takes="1h"), Call(id="b", at="1s", ends="hang"), Call(id="c", at="1s", takes=0)])
    logs = [({}, simulate(odd).events), ({}, [])]
    rows = list(trace_events([turn_of(Scenario()), *(PlacedTurn("t", "log", 0, courses(log)) for log in logs)]))
    assert_well_formed(rows)
    assert [(row["name"], row["args"]["open"]) for row in rows if row["name"] == "Read b"] == [("Read b", True)]
    assert [row["dur"] for row in rows if row["ph"] == "X" and row["name"] in ("Read a", "Read c")] == [
        3_600_000_000,
        0,
    ]


@settings(max_examples=settings().max_examples // 6)
@given(turns(), st.sampled_from(["streaming", "batch", "serial"]))
def test_no_turn_whatever_gives_tracks_that_overlap(turn: Scenario, engine: str) -> None:
    """B122."""
    assert_well_formed(list(trace_events([turn_of(turn, engine)])))


@pytest.mark.parametrize("sample", sorted((ROOT / "scenarios" / "samples").glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_recorded_session_gives_tracks_that_do_not_overlap(sample: Path) -> None:
    """B122."""
    placed = [
        PlacedTurn(f"{one.number}", one.agent or "main", one.first_ns, courses(one)) for one in read_trace(sample)
    ]
    rows = list(trace_events(placed))
    shown = {row["args"]["call"] for row in rows if "call" in row.get("args", {})}
    assert shown == {call.call for turn in placed for call in turn.course.calls}
    assert_well_formed(rows)


def test_ten_thousand_calls_are_written() -> None:
    calls = tuple(
        CallCourse(f"c{n}", tool="Read", arrived_ns=0, admitted_ns=n // 10, started_ns=n // 10, ended_ns=n // 10 + 1)
        for n in range(10_000)
    )
    rows = list(trace_events([PlacedTurn("t", "e", 0, TurnCourse({}, calls, ()))]))
    assert sum(row["ph"] == "X" and row["name"].startswith("Read") for row in rows) == 10_000
    assert len({row["tid"] for row in rows if row["ph"] == "X"}) == 1 + 10
    assert_well_formed(rows)
