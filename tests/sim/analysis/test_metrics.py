"""Numbers of turns: exact ones of the field cases, and what holds for all of them."""

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import Engine
from executor.events import Event, Kind
from scenarios import Call, Happening, Scenario, ToolSpec, load, read_trace
from scenarios.strategies import FEATURES, turns
from sim import simulate
from sim.analysis import metrics
from sim.analysis.courses import TurnCourse, courses
from sim.analysis.critical import Step, critical_path
from sim.analysis.metrics import Wall
from sim.analysis.numbers import numbers
from sim.oracle import makespan_ns

ROOT = Path(__file__).parents[3]
FIELD = ROOT / "scenarios" / "library" / "field"
S = 1_000_000_000
EXAMPLES = max(100, settings().max_examples // 3)


def course(path: Path, engine: Engine = "streaming") -> TurnCourse:
    return courses(simulate(load(path), engine), violations=())


def test_what_ran_side_by_side_is_busy_once_and_total_twice() -> None:
    """B117: 6 s of tools in 4 s of wall time, 2 s of them inside the stream, 2 s after it."""
    turn = course(FIELD / "B117_two_calls_that_overlap.yaml")
    assert metrics.makespan_ns(turn) == 4 * S
    assert (metrics.total_ns(turn), metrics.busy_ns(turn), metrics.peak(turn)) == (6 * S, 4 * S, 2)
    assert (metrics.overlap_ns(turn), metrics.after_stream_ns(turn), metrics.stream_ns(turn)) == (2 * S, 2 * S, 2 * S)
    assert metrics.wall(turn) == Wall(model_ns=0, overlap_ns=2 * S, tools_ns=2 * S, waiting_ns=0)


def test_queue_hook_permission_and_run_are_told_apart() -> None:
    """B119: with the answer at 10 s instead of before the question."""
    turn = load(FIELD / "B119_an_answer_before_its_question.yaml")
    late = turn.model_copy(update={"events": (turn.events[0].model_copy(update={"at_ns": 10 * S}),)})
    bash = courses(simulate(late), violations=()).calls[1]
    assert metrics.queue_wait_ns(bash) == 1_500_000_000
    assert metrics.hook_wait_ns(bash) == 200_000_000
    assert metrics.permission_wait_ns(bash) == 7_800_000_000
    assert (bash.ran_ns, bash.blocked_by) == (S, "read")


def test_why_a_turn_was_slow_is_the_call_that_ends_it_and_what_let_it_start() -> None:
    """B123: streaming waits for the edit's block alone, batch for the response, a read, and the edit."""
    slow = FIELD / "B123_why_was_this_turn_slow.yaml"
    streaming, batch, serial = (course(slow, engine) for engine in ("streaming", "batch", "serial"))
    assert critical_path(streaming) == (
        Step(None, "streams", 0, 2 * S),
        Step("edit", "runs", 2 * S, 2_500_000_000, "Edit"),
    )
    assert numbers(batch).critical_calls == ("response", "two", "edit")
    assert numbers(serial).critical_calls == ("response", "one", "two", "edit")
    assert metrics.saving_ns(streaming, batch) == 400_000_000
    assert metrics.saving_ns(batch, streaming) == -400_000_000
    assert {metrics.lower_bound_ns(turn) for turn in (streaming, batch, serial)} == {2_500_000_000}


def test_a_finished_result_that_waits_behind_an_earlier_one_is_counted() -> None:
    turn = courses(simulate(Scenario(calls=[Call(id="a", takes="3s"), Call(id="b", takes="1s")])), violations=())
    assert [metrics.head_of_line_ns(call) for call in turn.calls] == [0, 2 * S]
    assert (metrics.total_head_of_line_ns(turn), metrics.first_result_ns(turn)) == (2 * S, 3 * S)


def test_the_wait_of_calls_behind_a_limit_adds_up() -> None:
    """E3."""
    turn = course(ROOT / "scenarios" / "library" / "a_limit_of_two.yaml")
    assert [metrics.queue_wait_ns(call) for call in turn.calls] == [0, 0, S, 2 * S]
    assert metrics.total_queue_wait_ns(turn) == 3 * S


def test_a_turn_without_results_has_no_makespan_and_nothing_that_rests_on_it() -> None:
    turn = courses(simulate(Scenario(calls=[Call(id="a", ends="hang")])), violations=())
    assert (metrics.makespan_ns(turn), metrics.wall(turn), critical_path(turn)) == (None, None, ())
    assert (metrics.busy_ns(turn), metrics.total_ns(turn), metrics.peak(turn)) == (None, None, None)
    assert metrics.saving_ns(turn, turn) is None


def test_a_turn_without_calls_is_over_with_its_response() -> None:
    """T2: nothing else is waited for."""
    run = simulate(Scenario(events=[Happening(at="3s", do="stream_end")]))
    turn = courses(run, violations=())
    assert (metrics.makespan_ns(turn), run.makespan_s) == (3 * S, 3.0)
    assert metrics.wall(turn) == metrics.Wall(model_ns=3 * S, overlap_ns=0, tools_ns=0, waiting_ns=0)
    assert [(str(step), step.doing, step.until_ns) for step in critical_path(turn)] == [("response", "streams", 3 * S)]
    assert (metrics.busy_ns(turn), metrics.total_ns(turn), metrics.peak(turn)) == (0, 0, 0)


def test_work_in_the_background_is_a_step_of_its_own() -> None:
    """X8."""
    steps = critical_path(course(FIELD / "B084_a_command_moved_to_the_background.yaml"))
    assert [(str(step), step.doing, (step.until_ns - step.since_ns) / S) for step in steps] == [
        ("add", "runs", 1.0),
        ("add", "background", 2.0),
        ("commit", "runs", 0.1),
        ("read", "runs", 0.1),
    ]


@pytest.mark.parametrize(
    ("name", "bound_s"),
    [
        ("a_rewrite_that_makes_a_call_exclusive", 4.0),
        ("field/B084_a_command_moved_to_the_background", 3.2),
        ("work_in_the_background", 4.0),
        ("a_slow_consumer", 0.3),
        ("a_limit_of_two", 3.0),
    ],
)
def test_the_lower_bound_knows_work_in_the_background_and_calls_that_became_exclusive(
    name: str, bound_s: float
) -> None:
    """X8, H8: alone until the work ends; after a rewrite only the body waits."""
    turn = course(ROOT / "scenarios" / "library" / f"{name}.yaml")
    assert metrics.lower_bound_ns(turn) == round(bound_s * S)


def test_what_waits_for_a_busy_consumer_is_a_step_of_its_own() -> None:
    """E8."""
    steps = critical_path(course(ROOT / "scenarios" / "library" / "a_slow_consumer.yaml"))
    assert [(str(step), step.doing, step.until_ns) for step in steps][-2:] == [
        ("c", "runs", 300_000_000),
        ("c", "held", 4_100_000_000),
    ]


def test_a_retry_waits_for_its_predecessor() -> None:
    """A8."""
    path = ROOT / "scenarios" / "library" / "an_overloaded_response_is_asked_for_again.yaml"
    assert [(str(step), step.until_ns) for step in critical_path(course(path))] == [
        ("response", S // 2),
        ("pause", 1_500_000_000),
        ("response", 1_800_000_000),
        ("c", 2_200_000_000),
    ]


@settings(max_examples=EXAMPLES)
@given(turns(), st.sampled_from(["streaming", "batch", "serial"]))
def test_the_wall_time_and_the_critical_path_close_to_the_nanosecond(turn: Scenario, engine: Engine) -> None:
    """B117, B119, B123: wall = model + tools only + overlap + waiting, and the steps fill it without a gap."""
    run = simulate(turn, engine)
    one = courses(run, violations=())
    span_ns = metrics.makespan_ns(one)
    assert span_ns == makespan_ns(run.events)
    if span_ns is None:
        return
    told = numbers(one)
    assert (told.model_ns or 0) + (told.tools_ns or 0) + (told.overlap_ns or 0) + (told.waiting_ns or 0) == span_ns
    assert 0 <= (told.overlap_ns or 0) + (told.tools_ns or 0) <= (told.busy_ns or 0) <= (told.total_ns or 0)
    edges = [0, *(step.until_ns for step in told.critical)]
    assert [step.since_ns for step in told.critical] == edges[:-1]
    assert edges[-1] == span_ns
    assert edges == sorted(set(edges))


@settings(max_examples=EXAMPLES)
@given(turns(without=set(FEATURES) - {"classes", "hooks", "permissions"}), st.sampled_from(["streaming", "batch"]))
def test_no_engine_beats_the_lower_bound_and_one_without_a_limit_reaches_it(turn: Scenario, engine: Engine) -> None:
    """S1, S2: what must follow each other follows each other."""
    unlimited = turn.model_copy(update={"options": turn.options.model_copy(update={"max_concurrency": None})})
    told = numbers(courses(simulate(unlimited, engine), violations=()))
    if told.makespan_ns is None:
        return
    assert told.lower_bound_ns is not None
    assert told.lower_bound_ns <= told.makespan_ns
    if engine == "streaming":
        assert told.lower_bound_ns == told.makespan_ns


def test_the_numbers_of_a_recorded_turn_are_those_of_its_file_and_unknown_where_it_is_silent() -> None:
    """B120, B121."""
    for path in sorted((ROOT / "scenarios" / "samples").glob("*.jsonl")):
        for turn in read_trace(path):
            told = numbers(courses(turn, violations=()))
            assert told.makespan_ns == turn.makespan_ns
            assert told.estimated
            cut = turn._replace(calls=tuple(call._replace(ended_ns=None, outcome=None) for call in turn.calls))
            silent = numbers(courses(cut, violations=()))
            assert (silent.makespan_ns, silent.lower_bound_ns, silent.critical) == (None, None, ())


def test_an_hour_is_counted_like_a_second() -> None:
    tools = {"Read": ToolSpec(), "Edit": ToolSpec(safe=False)}
    calls = [Call(id="a", takes="1h"), Call(id="b", tool="Edit", takes="2h")]
    told = numbers(courses(simulate(Scenario(tools=tools, calls=calls)), violations=()))
    assert (told.makespan_ns, told.critical_calls) == (3 * 3600 * S, ("a", "b"))


@pytest.mark.parametrize("engine", ["streaming", "batch"])
def test_numbers_of_a_course_whose_body_never_left_are_unknown_not_zero(engine: Engine) -> None:
    turn = courses(simulate(Scenario(calls=[Call(id="a", takes="1s")]), engine), violations=())
    open_ = replace(turn, calls=(replace(turn.calls[0], ended_ns=None, settled_ns=None),))
    assert (metrics.total_ns(open_), metrics.busy_ns(open_), metrics.peak(open_), metrics.wall(open_)) == (None,) * 4


IDS = st.sampled_from(["a", "b", "c", None])
DETAIL = st.fixed_dictionaries(
    {},
    optional={
        "attempt": st.integers(0, 3),
        "tool": st.sampled_from(["Read", 5, None]),
        "safe": st.sampled_from([True, False, None, "yes"]),
        "known": st.booleans(),
        "what": st.sampled_from(["result", "progress", 0]),
        "outcome": st.sampled_from(["ok", "sibling_error", None, []]),
        "ended": st.sampled_from(["ok", "background"]),
        "detached": st.booleans(),
        "started": st.booleans(),
        "hook": st.sampled_from(["h", None]),
        "closing": st.sampled_from([[["a", "ok"]], [1], "a", None]),
        "withdrawn": st.sampled_from([["a"], 1, None]),
        "abandoned": st.sampled_from([["a"], True, [3]]),
        "waiting": st.sampled_from([["x"], 1]),
    },
)
ROWS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(list(Kind)), IDS, DETAIL), max_size=25)


@given(ROWS)
def test_a_log_that_contradicts_itself_is_counted_all_the_same(rows: list[tuple[int, Kind, str | None, Any]]) -> None:
    """Bad input: whatever the rows say, there are numbers, lanes, and a path without gaps up to the makespan."""
    instants = accumulate(gap for gap, *_ in rows)
    events = [Event(at_ns, kind, call, detail) for at_ns, (_, kind, call, detail) in zip(instants, rows, strict=True)]
    turn = courses(({}, events), violations=())
    told = numbers(turn)
    edges = [0, *(step.until_ns for step in told.critical)]
    assert [step.since_ns for step in told.critical] == edges[:-1]
    assert edges[-1] == (told.makespan_ns or 0)
    assert all(value is None or value >= 0 for value in (told.queue_wait_ns, told.busy_ns, told.waiting_ns))


def test_the_path_through_ten_thousand_exclusive_calls_has_ten_thousand_steps() -> None:
    count = 10_000
    blocks = [Event(0, Kind.BLOCK, f"c{n}", {"tool": "Edit", "safe": False}) for n in range(count)]
    bodies = [
        Event(n + (kind is not Kind.ENTERED), kind, f"c{n}", {"what": "result", "outcome": "ok", "ended": "ok"})
        for n in range(count)
        for kind in (Kind.ENTERED, Kind.LEFT, Kind.EMITTED)
    ]
    told = numbers(courses(({}, blocks + bodies), violations=()))
    assert (told.makespan_ns, told.lower_bound_ns, told.busy_ns) == (count, count, count)
    assert told.critical_calls == tuple(f"c{n}" for n in range(count))
