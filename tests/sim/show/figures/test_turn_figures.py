"""Figures of turns, by what is drawn: bars, marks, labels, notes; never by pixels."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios import Call, Happening, Scenario, ToolSpec, load, read_trace
from scenarios.strategies import turns
from scenarios.traces.fit import to_scenario
from sim import simulate
from sim.analysis.course import CallCourse, Response, TurnCourse
from sim.analysis.courses import courses
from sim.oracle import Violation

figures = pytest.importorskip("sim.show.figures", reason="the analysis extra brings matplotlib and pandas")

import pandas as pd  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from sim.analysis.frames import calls_frame  # noqa: E402

ROOT = Path(__file__).parents[4]
LIBRARY = ROOT / "scenarios" / "library"
SAMPLES = ROOT / "scenarios" / "samples"
S = 1_000_000_000


def drawn(name: str, engine: str = "streaming") -> Any:
    return figures.gantt(calls_frame(simulate(load(LIBRARY / f"{name}.yaml"), engine)))


def labels(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def legend(ax: Any) -> set[str]:
    return {text.get_text() for text in ax.get_legend().get_texts()}


async def careless(stage: Any) -> None:
    async def run(block: Any) -> None:
        stage.emit(await stage.call(block))

    async with asyncio.TaskGroup() as group:
        async for block in stage.blocks():
            group.create_task(run(block))


def test_a_turn_is_drawn_with_its_waits_hooks_and_bodies_in_the_row_of_each_call(bars, points) -> None:
    """X7, B119: what the call did itself and what it waited for are told apart."""
    ax = drawn("field/B119_an_answer_before_its_question")
    assert labels(ax) == ["response", "read Read", "bash Bash (alone)"]
    assert bars(ax, "response") == [(0, 0, 0.5)]
    assert bars(ax, "queued") == [(2, 0.5, 2)]
    assert bars(ax, "hooks") == [(2, 2, 2.2)]
    assert bars(ax, "runs") == [(1, 0, 2), (2, 2.2, 3.2)]
    assert points(ax, "emitted") == [(2, 1), (3.2, 2)]
    assert points(ax, "block") == [(0, 0), (0.5, 0)]
    assert legend(ax) == {"response streams", "queued", "hooks", "runs, ends ok", "block complete", "emitted"}
    assert ax.get_title(loc="left") == "an answer before its question · streaming"


def test_what_fails_and_what_never_ran_look_different_from_what_ends_well(bars, points) -> None:
    ax = drawn("a_failing_shell_command")
    assert labels(ax)[1:] == ["look Read", "check Bash (alone)", "later Read"]
    assert bars(ax, "runs") == [(1, 0.5, 0.7)]
    assert bars(ax, "fails") == [(2, 1.2, 2.2)]
    assert bars(ax, "queued") == [(3, 1.9, 2.2)]
    assert points(ax, "emitted")[-1] == (2.2, 3)


def test_a_question_and_work_in_the_background_have_bars_of_their_own(bars) -> None:
    assert bars(drawn("a_question_that_nobody_answers"), "question")
    assert bars(drawn("field/B084_a_command_moved_to_the_background"), "background")


def test_a_result_that_waits_for_an_earlier_one_is_drawn_as_held(bars) -> None:
    """E6."""
    reads = Scenario(calls=[Call(id="slow", takes="3s"), Call(id="quick", takes="1s")])
    assert bars(figures.gantt(calls_frame(simulate(reads))), "held") == [(2, 1, 3)]


def test_an_attempt_that_was_given_up_is_marked(bars) -> None:
    """A8."""
    ax = drawn("an_overloaded_response_is_asked_for_again")
    assert bars(ax, "failed") == [(0, 0, 0.5)]
    assert bars(ax, "response") == [(0, 1.5, 1.8)]


@pytest.mark.parametrize("first", [True, False])
def test_an_attempt_without_calls_is_drawn_as_well_and_the_turn_lasts_as_long_as_it(bars, first: bool) -> None:
    """A8, T2: no call tells of it; what its failure took back says so."""
    one = {"calls": [{"id": "a", "at": "200ms", "takes": "100ms"}]}
    fails = {"events": [{"at": "500ms", "do": "stream_error", "error": "overloaded_error"}]}
    again = {"after": "1s", "events": [{"at": "2s", "do": "stream_end"}]}
    turn = Scenario(attempts=[(one if first else {}) | fails, ({} if first else one) | again])
    ax = figures.gantt(calls_frame(simulate(turn)))
    assert (bars(ax, "failed"), bars(ax, "response")) == ([(0, 0, 0.5)], [(0, 1.5, 3.5)])
    assert labels(ax) == ["response", f"a {Call(id='a').tool}{' (withdrawn)' if first else ''}"]
    assert ax.get_xlim()[1] > 3.5
    both = figures.side_by_side(calls_frame([simulate(turn, engine) for engine in ("streaming", "batch")]))
    assert [float(line.get_xdata()[0]) for line in both.lines if line.get_gid() == "over"] == [
        3.5,
        3.5 if first else 3.6,
    ]


def test_a_response_that_failed_for_good_looks_like_one(bars) -> None:
    fails = Happening(at="500ms", do="stream_error", error="overloaded_error")
    ax = figures.gantt(calls_frame(simulate(Scenario(calls=[Call(id="a", takes="1s")], events=[fails]))))
    assert (bars(ax, "failed"), bars(ax, "response")) == ([(0, 0, 0.5)], [])


def test_a_turn_without_calls_has_its_response_under_each_engine(bars, notes) -> None:
    """T2: it is over with its response."""
    silent = Scenario(scenario="silent", events=[Happening(at="3s", do="stream_end")])
    frame = calls_frame([simulate(silent, engine) for engine in ("streaming", "batch")])
    ax = figures.side_by_side(frame)
    assert (labels(ax), bars(ax, "response")) == (["streaming", "batch"], [(0, 0, 3), (2, 0, 3)])
    assert {"3 s"} <= {text.get_text() for text in ax.texts}
    assert (ax.get_title(loc="left"), notes(ax)) == ("silent", [])
    assert bars(figures.gantt(calls_frame(simulate(silent))), "response") == [(0, 0, 3)]


def test_a_frame_put_together_from_others_tells_of_responses_as_far_as_its_calls_do(bars) -> None:
    """pandas keeps no ``attrs`` that differ."""
    runs = [simulate(load(LIBRARY / "three_calls_in_a_stream.yaml"), engine) for engine in ("streaming", "batch")]
    together = pd.concat([calls_frame(run) for run in runs])
    assert together.attrs == {}
    assert bars(figures.side_by_side(together), "response") == [(0, 0, 2.5), (5, 0, 2.5)]


def test_what_the_user_did_is_a_line_across_the_turn() -> None:
    ax = drawn("a_stop_after_a_siblings_failure")
    (line,) = [line for line in ax.lines if line.get_gid() == "act"]
    assert list(line.get_xdata()) == [0.2, 0.2]
    assert "stop" in [text.get_text() for text in ax.texts]


def test_broken_rules_are_marked_where_they_were_broken(points) -> None:
    """S1, S2: the mark is at the instant and in the row of the culprit, and the rules are written beside it."""
    rash = Scenario(
        tools={"Read": ToolSpec(), "Edit": ToolSpec(safe=False)},
        calls=[Call(id="r", tool="Read", takes="3s"), Call(id="e", tool="Edit", at="1s", takes="1s")],
    )
    ax = figures.gantt(calls_frame(simulate(rash, careless)))
    assert (1, 2) in points(ax, "broken")
    assert "S1 S2" in [text.get_text() for text in ax.texts if text.xy == (1, 2)]


def test_a_rule_that_is_broken_when_all_is_over_lies_within_the_axis_and_its_name_beside_the_legend(points) -> None:
    """L3: nothing of the calls is as late; the same rule in the same place is named once."""
    broken = tuple(
        Violation(rule, "", at_ns, ("a",), message="", timeline="", reproduce="")
        for rule, at_ns in (("S1", S), ("S1", S + 1), ("S2", S + 2), ("L3", 3 * S))
    )
    call = CallCourse("a", tool="Read", arrived_ns=0, started_ns=0, ended_ns=S, started=True, outcome="ok")
    ax = figures.gantt(calls_frame(TurnCourse({}, (call,), (Response(0, 0, S),), violations=broken)))
    assert [at_s for at_s, _ in points(ax, "broken")] == [1, 1.000000001, 1.000000002, 3]
    assert ax.get_xlim()[1] > 3
    named = {text.get_text(): text.get_ha() for text in ax.texts}
    assert named == {"S1 S2": "left", "L3": "right"}


@pytest.mark.parametrize("width_in", [6, 8, 10])
@pytest.mark.parametrize("until_s", [0, 3e-9, 0.0007, 0.35, 0.7, 1, 9, 59, 100, 130, 4000, 7300, 90_000, 3e6])
def test_the_times_under_a_figure_are_round_of_one_unit_and_never_run_into_each_other(until_s, width_in) -> None:
    figure = Figure(figsize=(width_in, 3), layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    call = CallCourse("a" * 30, tool="b" * 30, started_ns=0, ended_ns=round(until_s * S), started=True, outcome="ok")
    figures.gantt(calls_frame(TurnCourse({}, (call,), ())), ax)
    figure.draw_without_rendering()
    low, high = ax.get_xlim()
    shown = [label for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
    extents = [label.get_window_extent() for label in shown]
    assert len(shown) >= (2 if width_in >= 8 else 1)
    assert all(left.x1 + 3 < right.x0 for left, right in pairwise(extents))
    assert len({label.get_text().split(" ")[1] for label in shown}) == 1
    assert all(len(label.get_text().split(" ")[0]) <= 4 for label in shown)


def test_the_engines_stand_one_above_the_other_on_one_axis_with_their_makespans(bars) -> None:
    runs = [
        simulate(load(LIBRARY / "three_calls_in_a_stream.yaml"), engine) for engine in ("streaming", "batch", "serial")
    ]
    ax = figures.side_by_side(calls_frame(runs))
    assert [float(line.get_xdata()[0]) for line in ax.lines if line.get_gid() == "over"] == [2.6, 2.9, 3.1]
    assert {"2.6 s", "2.9 s", "3.1 s"} <= {text.get_text() for text in ax.texts}
    calls = ["first Read", "second Read", "change Edit (alone)"]
    assert labels(ax) == ["streaming", *calls, "batch", *calls, "serial", *calls]
    assert bars(ax, "response") == [(0, 0, 2.5), (5, 0, 2.5), (10, 0, 2.5)]
    assert [span for span in bars(ax, "runs") if span[0] in (3, 8, 13)] == [
        (3, 2.4, 2.6),
        (8, 2.7, 2.9),
        (13, 2.9, 3.1),
    ]


def test_blocks_that_come_close_together_share_a_mark_and_the_response_stays_to_be_seen(points, notes) -> None:
    calls = tuple(CallCourse(f"c{n}", tool="Read", arrived_ns=n * S // 1_000) for n in range(1_000))
    ax = figures.gantt(calls_frame(TurnCourse({}, calls, (Response(0, 0, S),))))
    marked = [at_s for at_s, _ in points(ax, "block")]
    assert len(marked) == 150
    assert (marked[0], marked[1], marked[-1]) == (0, 0.007, 0.994)
    assert "1,000 blocks, those close together as one mark" in notes(ax)


def test_many_calls_lie_in_lanes_in_which_nothing_overlaps_and_that_is_said(bars, notes) -> None:
    """B122."""
    calls = tuple(
        CallCourse(
            f"c{n}", tool="Read", arrived_ns=0, admitted_ns=n // 10 * S, started_ns=n // 10 * S,
            ended_ns=n // 10 * S + S, settled_ns=n // 10 * S + S, outcome="ok" if n % 7 else "error", started=True,
        )
        for n in range(10_000)
    )  # fmt: skip
    ax = figures.gantt(calls_frame(TurnCourse({}, calls, (Response(0, 0, S),))))
    assert labels(ax) == ["response", *(f"lane {lane}" for lane in range(10))]
    spans = sorted(bars(ax, "runs") + bars(ax, "fails"))
    assert len(spans) == 10_000
    assert all(a[2] <= b[1] for a, b in pairwise(spans) if a[0] == b[0])
    assert notes(ax) == [
        "10,000 of 10,000 calls, in lanes; their waits and their results are not drawn",
        "10,000 blocks, those close together as one mark",
    ]
    waiting = CallCourse("w", arrived_ns=0)
    ax = figures.gantt(calls_frame(TurnCourse({}, (*calls[:50], waiting), ())))
    assert notes(ax)[:2] == [
        "50 of 51 calls, in lanes; their waits and their results are not drawn",
        "left out: 1 call not known to have executed",
    ]
    ax = figures.gantt(calls_frame(TurnCourse({}, calls[:50], ())), by="call")
    assert len(labels(ax)) == 1 + 40
    assert notes(ax)[0] == "left out: 10 more calls"


def test_a_body_that_goes_on_after_its_call_was_settled_keeps_its_lane(bars) -> None:
    """A9, B122: whether or when it ended is known or not."""
    late = CallCourse("late", admitted_ns=0, started_ns=0, settled_ns=S, ended_ns=3 * S, started=True)
    deaf = CallCourse("deaf", admitted_ns=0, started_ns=0, settled_ns=S, started=True)
    next_ = CallCourse("next", admitted_ns=2 * S, started_ns=2 * S, settled_ns=4 * S, ended_ns=4 * S, started=True)
    ax = figures.gantt(calls_frame(TurnCourse({}, (late, deaf, next_), ())), by="lane")
    assert sorted(bars(ax, "ends")) == [(1, 0, 3), (2, 0, 4), (3, 2, 4)]


def test_more_lanes_than_fit_are_left_out_and_counted(notes) -> None:
    calls = tuple(CallCourse(f"c{n}", started_ns=0, ended_ns=S, started=True) for n in range(100))
    ax = figures.gantt(calls_frame(TurnCourse({}, calls, ())))
    assert len(labels(ax)) == 1 + 40
    assert "left out: 60 calls in lanes beyond the first 40" in notes(ax)


@settings(max_examples=settings().max_examples // 10)
@given(turn=turns(), engine=st.sampled_from(["streaming", "batch", "serial"]))
def test_every_turn_whatever_is_drawn_in_lanes_that_do_not_overlap(turn: Scenario, engine: str) -> None:
    """B122; hypothesis takes no fixture that lasts for one test, so the bars are read here."""
    ax = figures.gantt(calls_frame(simulate(turn, engine)), by="lane")
    spans = sorted(
        (round(box.y0 + box.y1, 3), round(box.x0 * 1e9), round(box.x1 * 1e9))
        for collection in ax.collections
        if collection.get_gid() in ("runs", "fails", "ends")
        for box in (path.get_extents() for path in collection.get_paths())
    )
    assert all(a[2] <= b[1] for a, b in pairwise(spans) if a[0] == b[0])


def test_no_calls_no_length_an_hour_and_unknown_ends_are_drawn_and_said(bars, points, notes, tmp_path) -> None:
    """B120: a body whose end is unknown goes on to the last instant known, with a mark, not as one that ended ok."""
    empty = figures.gantt(calls_frame([]))
    assert notes(empty) == ["no turn to draw"]
    odd = Scenario(calls=[Call(id="a", takes="1h"), Call(id="b", at="1s", ends="hang"), Call(id="c", at="1s", takes=0)])
    ax = figures.gantt(calls_frame(({}, simulate(odd).events)))
    assert (bars(ax, "runs"), bars(ax, "fails")) == ([(1, 0, 3600), (3, 1, 1)], [])
    assert bars(ax, "ends") == [(2, 1, 3600)]
    assert "runs, outcome not known" in legend(ax)
    assert points(ax, "open") == [(3600, 2)]
    assert notes(ax) == ["1 call whose end is not known, drawn to the last instant that is"]
    for place, one in enumerate((empty, ax)):
        figures.save(one, tmp_path / f"{place}.svg")


def test_names_with_controls_markup_and_foreign_letters_are_drawn_as_text(tmp_path) -> None:
    names = ["\x1b[31mred", "$x^2$ _under", "检查", "a" * 100, "\ud800", "<b>&amp;", "\u202egpj"]
    calls = tuple(CallCourse(name, tool=name, started_ns=0, ended_ns=S, started=True) for name in names)
    ax = figures.gantt(calls_frame(TurnCourse({"scenario": "$\\frac{1}$"}, calls, ())))
    shown = [label.split(" ")[0] for label in labels(ax)[1:]]
    assert shown[0] == r"\x1b[31mred"
    assert shown[3] == "a" * 19 + "…"
    assert shown[4:] == [r"\ud800", "<b>&amp;", r"\u202egpj"]
    assert figures.notes(ax)[-1] == "\N{REPLACEMENT CHARACTER} stands for characters that the font does not have"
    figures.save(ax, tmp_path / "names.svg")
    figures.save(ax, tmp_path / "names.png")


def test_a_recorded_turn_says_that_its_times_are_estimates() -> None:
    """B121: and shows them with two digits; a replay is no surer than its recording."""
    (turn, *_) = read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")
    assert figures.gantt(calls_frame(turn)).get_title(loc="left") == "turn 1 · recorded · estimates"
    scenario = to_scenario(turn)
    assert scenario is not None
    replayed = courses(simulate(scenario)).as_estimate()
    ax = figures.side_by_side(calls_frame([courses(turn), replayed]))
    assert ax.get_title(loc="left").endswith(" · estimates")
    assert [text.get_text()[0] for text in ax.texts if text.get_text().endswith(" s")] == ["≈", "≈"]


def test_a_turn_without_a_name_is_named_by_its_engine_alone() -> None:
    call = CallCourse("a", started_ns=0, ended_ns=S, started=True)
    assert figures.gantt(calls_frame(TurnCourse({"engine": "batch"}, (call,), ()))).get_title(loc="left") == "batch"


def test_calls_of_several_turns_are_refused_with_the_way_out() -> None:
    frame = calls_frame(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl"))
    with pytest.raises(ValueError, match=r"those of 3: select one, such as calls\[calls.turn == 2\]"):
        figures.gantt(frame)
    assert labels(figures.gantt(frame[frame.turn == 2]))[1:] == [
        "toolu_b1 Read", "toolu_b2 Bash (alone)", "toolu_b3 Bash", "toolu_b4 Read",
    ]  # fmt: skip


def test_what_a_frame_says_of_other_turns_is_not_drawn_in_this_one() -> None:
    frame = calls_frame(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl"))
    acts = {
        turn: [line for line in figures.gantt(frame[frame.turn == turn]).lines if line.get_gid() == "act"]
        for turn in (1, 3)
    }
    assert not acts[1]
    assert len(acts[3]) == 1


def test_one_call_with_a_stop_before_its_response_fits_the_axis() -> None:
    stop = Scenario(calls=[Call(id="a", takes="1s")], events=[Happening(at="500ms", do="stop")])
    ax = figures.gantt(calls_frame(simulate(stop)))
    low, high = ax.get_xlim()
    assert low <= 0 < 0.5 < high
