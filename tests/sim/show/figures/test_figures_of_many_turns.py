"""Figures of comparisons, sessions and explorations, by what is drawn."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scenarios import Call, Scenario, load, read_trace
from sim import explore, simulate
from sim.analysis.compare import compare
from sim.analysis.courses import courses
from sim.analysis.placed import PlacedTurn

figures = pytest.importorskip("sim.show.figures", reason="the analysis extra brings matplotlib and pandas")

from matplotlib.figure import Figure  # noqa: E402

from sim.analysis.frames import calls_frame, explored_frame, session_frame, turns_frame  # noqa: E402
from sim.show.figures.marks import BARS  # noqa: E402

ROOT = Path(__file__).parents[4]
SAMPLES = ROOT / "scenarios" / "samples"
LIBRARY = ROOT / "scenarios" / "library"
S = 1_000_000_000


def turn(name: str, calls: int, think_s: float) -> Scenario:
    """A turn of so many calls of one second, whose blocks come evenly over the response."""
    at = [f"{round(think_s * (n + 1) / (calls + 1) * 1000)}ms" for n in range(calls)]
    end = [{"at": f"{round(think_s * 1000)}ms", "do": "stream_end"}]
    return Scenario(scenario=name, calls=[Call(id=f"c{n}", at=at[n], takes="1s") for n in range(calls)], events=end)


def frame_of(*turns: Scenario) -> Any:
    runs = [simulate(one, engine) for one in turns for engine in ("streaming", "batch")]
    frame = turns_frame(runs)
    frame["turn"] = 1
    return frame


def test_the_ecdf_has_a_step_for_each_turn_under_each_engine() -> None:
    ax = figures.latency_ecdf(frame_of(turn("one", 1, 1), turn("two", 2, 3)))
    lines = {line.get_label(): [float(x) for x in line.get_xdata()[1:]] for line in ax.lines}
    assert lines == {"streaming, 2 turns": [1.5, 3], "batch, 2 turns": [2, 4]}
    assert ax.get_xscale() == "log"
    ax.figure.draw_without_rendering()
    ticks = [tick.get_text() for minor in (False, True) for tick in ax.get_xticklabels(minor=minor)]
    assert [text for text in ticks if text and not text.endswith("s")] == []


def test_turns_of_no_length_and_none_at_all_are_drawn_and_said(notes) -> None:
    empty = Scenario(scenario="empty", calls=[Call(id="a", takes=0)])
    ax = figures.latency_ecdf(frame_of(empty))
    assert (ax.get_xscale(), ax.get_xlim()) == ("linear", (0, 1))
    for draw in (figures.saving_by_calls, figures.savings_map):
        assert notes(draw(frame_of(empty))) == ["left out: 1 turn that took no time"]
    none = turns_frame([simulate(Scenario(calls=[Call(id="a", ends="hang")]))])
    for draw in (figures.latency_ecdf, figures.saving_by_calls, figures.savings_map):
        ax = draw(none)
        assert notes(ax)[-1] == "left out: 1 turn whose makespan is not known"
        assert notes(ax)[0].startswith("no turns")


def test_turns_that_took_no_time_lie_left_of_an_axis_of_ratios_and_squash_nothing(notes) -> None:
    empty = Scenario(scenario="empty", calls=[Call(id="a", takes=0)])
    ax = figures.latency_ecdf(frame_of(empty, turn("one", 1, 1)))
    assert ax.get_xscale() == "log"
    assert 1 < ax.get_xlim()[0] < 1.5 < 2 < ax.get_xlim()[1] < 3
    assert notes(ax) == ["2 turns that took no time, left of all others"]
    ax.figure.draw_without_rendering()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2 s"]


def test_the_times_of_an_axis_of_ratios_are_round_and_few() -> None:
    long = Scenario(scenario="long", calls=[Call(id="a", takes="11h")])
    ax = figures.latency_ecdf(frame_of(turn("one", 1, 1), long))
    ax.figure.draw_without_rendering()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks == ["2 s", "10 s", "30 s", "2 min", "10 min", "30 min", "2 h", "12 h"]


def test_what_is_estimated_is_said_under_figures_of_many_turns(notes) -> None:
    """B121."""
    placed = [
        PlacedTurn(f"turn {one.number}", "main", one.first_ns, courses(one))
        for one in read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")
    ]
    assert notes(figures.session_timeline(session_frame(placed)))[0] == "estimated: the times of 3 turns"
    compared = compare(list(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl"))).frame()
    for draw in (figures.saving_by_calls, figures.savings_map):
        assert notes(draw(compared))[-1] == "estimated: the times of 3 turns"
    assert notes(figures.latency_ecdf(compared))[-1] == "estimated: the times of 9 turns"


def test_calls_and_schedules_are_counted_in_whole_numbers() -> None:
    for ax in (
        figures.saving_by_calls(frame_of(turn("a", 1, 1))),
        figures.saving_by_calls(frame_of(turn("a", 1, 1), turn("b", 3, 1))),
        figures.exploration_outcomes(explored_frame(explore(Scenario(calls=[Call(id="a")]), scheduler="exhaustive"))),
    ):
        ax.figure.draw_without_rendering()
        assert [at for at in ax.get_xticks() if at != int(at)] == []


def test_a_field_in_which_streaming_is_later_has_another_colour_than_one_without_a_difference() -> None:
    frame = frame_of(turn("a", 1, 1))
    later = frame.copy()
    later.loc[later["engine"] == "streaming", "makespan_s"] = frame["makespan_s"].max() * 1.2
    red, _, blue, _ = _only_colour(figures.savings_map(later))
    assert red > blue
    red, _, blue, _ = _only_colour(figures.savings_map(frame))
    assert blue > red


def _only_colour(ax: Any) -> tuple[float, float, float, float]:
    ax.figure.draw_without_rendering()
    (mesh,) = ax.collections
    hidden = mesh.get_array().mask.flat
    (colour,) = [tuple(one) for one, masked in zip(mesh.get_facecolor(), hidden, strict=True) if not masked]
    return colour


def test_the_map_puts_a_turn_into_the_field_of_its_calls_and_its_ratio() -> None:
    """Two calls, two seconds of work, a response of three: the ratio is 1.5, saved is one second of four."""
    ax = figures.savings_map(frame_of(turn("a", 2, 3), turn("b", 1, 1)))
    fields = {tuple(text.get_position()): text.get_text() for text in ax.texts if text.get_gid() == "saved"}
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    column = ticks.index("1") + 0.5
    assert fields == {(column, 1.5): "25", (column, 0.5): "25"}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "2"]


def test_a_turn_without_work_has_no_place_on_the_map_and_is_counted(notes) -> None:
    idle = Scenario(scenario="idle", calls=[Call(id="a", at="1s", takes=0)])
    ax = figures.savings_map(frame_of(idle, turn("b", 1, 1)))
    assert notes(ax) == ["left out: 1 turn without a response or without work"]


def test_the_saving_of_each_turn_stands_over_its_number_of_calls_with_the_median() -> None:
    ax = figures.saving_by_calls(frame_of(turn("a", 2, 3), turn("b", 2, 1), turn("c", 1, 1)))
    (dots,) = ax.collections
    saved = [(int(x), round(float(y), 6)) for x, y in dots.get_offsets()]
    assert saved == [(2, 0.25), (2, round(1 - 1.667 / 2, 6)), (1, 0.25)]
    (median,) = [line for line in ax.lines if line.get_gid() == "median"]
    assert [int(x) for x in median.get_xdata()] == [1, 2]
    assert math.isclose(median.get_ydata()[1], (0.25 + 1 - 1.667 / 2) / 2)


def test_a_session_has_a_row_for_each_conversation_and_a_bar_for_each_turn(bars) -> None:
    placed = [
        PlacedTurn(f"turn {one.number}", one.agent or "main", one.first_ns, courses(one))
        for one in read_trace(SAMPLES / "sub_agents_and_refusal.jsonl")
    ]
    ax = figures.session_timeline(session_frame(placed))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["main", "a11ce", "b0b"]
    starts = [(one.start_ns - placed[0].start_ns) / 1e9 for one in placed]
    assert [(row, start) for row, start, _ in bars(ax, "response")] == [
        (0, starts[0]),
        (1, starts[1]),
        (2, starts[2]),
        (0, starts[3]),
    ]
    assert [text.get_text() for text in ax.texts if text.get_gid() == "name"] == ["1", "2", "3", "4"]


def test_long_gaps_of_a_session_are_cut_and_say_how_long_they_were(bars) -> None:
    course = courses(simulate(Scenario(calls=[Call(id="a", takes="1s")])))
    placed = [PlacedTurn("turn", "main", start_s * S, course) for start_s in (0, 11, 3600)]
    ax = figures.session_timeline(session_frame(placed))
    assert [start for _, start, _ in bars(ax, "after")] == [0, 11, 12 + 60]
    assert [text.get_text() for text in ax.texts if text.get_gid() == "gap"] == ["59.8 min"]
    assert ax.get_xlabel() == "from the first turn's start, dotted gaps cut short"
    uncut = figures.session_timeline(session_frame(placed), longest_gap_s=None)
    assert [start for _, start, _ in bars(uncut, "after")] == [0, 11, 3600]


def test_turns_of_a_session_whose_times_are_unknown_are_left_out_or_marked(points, notes) -> None:
    """B120."""
    whole = courses(simulate(Scenario(calls=[Call(id="a", takes="1s")])))
    hangs = courses(simulate(Scenario(calls=[Call(id="a", ends="hang")])))
    placed = [
        PlacedTurn("a", "main", 0, whole),
        PlacedTurn("b", "main", 5 * S, hangs),
        PlacedTurn("c", "main", None, whole),
    ]
    ax = figures.session_timeline(session_frame(placed))
    assert points(ax, "open") == [(5, 0)]
    (said,) = notes(ax)
    assert "1 turn whose makespan is not known" in said
    assert "1 turn whose start is not known" in said
    assert notes(figures.session_timeline(session_frame([]))) == ["no turns to draw"]


def test_the_outcomes_of_an_exploration_are_bars_of_how_often_they_came() -> None:
    tie = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s"), Call(id="c", takes="1s")])
    ax = figures.exploration_outcomes(explored_frame(explore(tie, scheduler="exhaustive")))
    assert [bar.get_width() for bar in ax.patches] == [6]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a ok, b ok, c ok"]
    assert ax.get_title(loc="left") == "all 6 schedules hold"


def test_failures_stand_apart_and_outcomes_beyond_twenty_are_counted(notes) -> None:
    frame = explored_frame(explore(Scenario(calls=[Call(id="a")]), scheduler="exhaustive"))
    rows = [("outcome", f"o{n}", 30 - n) for n in range(25)] + [("failure", "S1", 3)]
    many = type(frame)(rows, columns=list(frame.columns))
    ax = figures.exploration_outcomes(many)
    assert [label.get_text() for label in ax.get_yticklabels()] == [*(f"o{n}" for n in range(20)), "S1"]
    assert [bar.get_hatch() for bar in ax.patches][-2:] == ["", "////"]
    assert notes(ax) == ["left out: 5 outcomes of 40 schedules"]


def test_a_figure_given_axes_draws_on_them_and_leaves_their_figure_as_it_is() -> None:
    figure = Figure(figsize=(3, 3))
    ax = figure.subplots()
    run = simulate(load(LIBRARY / "three_calls_in_a_stream.yaml"))
    assert figures.gantt(calls_frame(run), ax) is ax
    assert figures.side_by_side(calls_frame(run), figure.add_subplot()) is figure.axes[-1]
    assert tuple(figure.get_size_inches()) == (3, 3)


def test_drawing_touches_neither_pyplot_nor_matplotlibs_settings(tmp_path) -> None:
    code = f"""
import matplotlib, sys
def settings():  # the backend is chosen, by pyplot, when somebody asks for it
    return {{key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != "backend"}}
before = settings()
from sim import simulate
from sim.analysis.frames import calls_frame
from sim.show import figures
from scenarios import Call, Scenario
ax = figures.gantt(calls_frame(simulate(Scenario(calls=[Call(id="a", takes="1s")]))))
figures.save(ax, {str(tmp_path / "a.svg")!r})
print(settings() == before, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("True False\n", "")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_figure_gives_the_same_bytes_without_a_date(tmp_path, ending: str) -> None:
    for name in ("one", "two"):
        run = simulate(load(LIBRARY / "a_failing_shell_command.yaml"))
        figures.save(figures.gantt(calls_frame(run)), tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert b"<dc:date>" not in one
    assert b"CreationDate" not in one


def test_a_name_that_says_nothing_to_write_as_is_refused(tmp_path) -> None:
    ax = figures.gantt(calls_frame(simulate(Scenario())))
    with pytest.raises(ValueError, match=r"turn.bmp: expected a name that ends in .svg, .png, .pdf, got .bmp"):
        figures.save(ax, tmp_path / "turn.bmp")


def test_notes_are_wrapped_and_cut_before_they_push_the_figure_aside(notes) -> None:
    frame = turns_frame([])
    frame.attrs["left_out"] = {f"turns for the reason {'x' * 40} {n}": n for n in range(1, 30)}
    shown = notes(figures.latency_ecdf(frame))
    assert len(shown) == 7
    assert all(len(line) <= 110 for line in shown)
    assert shown[-1].startswith("… and ")


def test_no_two_things_look_alike_in_grey_print() -> None:
    """Of equal height, what differs in colour differs in hatch too, or in how light it is."""

    def light(colour: str) -> float:
        red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    looks = [(bar.height, bar.hatch, light(bar.colour)) for bar in BARS.values()]
    for place, (height, hatch, lightness) in enumerate(looks):
        for other in looks[place + 1 :]:
            assert (height, hatch) != other[:2] or abs(lightness - other[2]) > 0.15
