"""Every figure, frame, number, export, report and timeline of every odd turn: each copes and says what it left out.

A row of the table is a public name, a column an odd turn. What has no row is found by the tests at the end (issue 7).
"""

import csv
import inspect
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.console import Console

figures = pytest.importorskip("sim.show.figures", reason="the analysis extra brings matplotlib and pandas")

import pandas as pd  # noqa: E402

from executor.events import Event, dump_lines  # noqa: E402
from scenarios import Call, Scenario, ToolSpec, read_trace  # noqa: E402
from scenarios.traces.model import RecordedTurn  # noqa: E402
from sim import compare, explore, show, simulate  # noqa: E402
from sim.analysis import frames, metrics  # noqa: E402
from sim.analysis.columns import TurnRow  # noqa: E402
from sim.analysis.compare import Comparison  # noqa: E402
from sim.analysis.course import CallCourse, TurnCourse  # noqa: E402
from sim.analysis.courses import courses  # noqa: E402
from sim.analysis.critical import critical_path  # noqa: E402
from sim.analysis.numbers import numbers  # noqa: E402
from sim.analysis.placed import PlacedTurn  # noqa: E402
from sim.analysis.replay import ReplayedTurn, replay  # noqa: E402
from sim.show import comparison, exports, report  # noqa: E402
from sim.show.exports.otlp import MOST_EVENTS, write_otlp  # noqa: E402
from sim.show.exports.perfetto import write_perfetto  # noqa: E402
from sim.show.exports.tables import write_csv, write_parquet  # noqa: E402
from sim.show.html import HtmlReport  # noqa: E402
from sim.show.html.drawing import LONGEST_TEXT  # noqa: E402
from sim.show.html.played import PlayedReport  # noqa: E402
from sim.show.html.replayed import MEASURES, replayed_page, replayed_row  # noqa: E402
from sim.show.timeline import MAX_LANES, timeline  # noqa: E402
from sim.show.visible import visible  # noqa: E402
from sim.world import Run  # noqa: E402

S = 1_000_000_000
MANY = 10_000
NAMES = (
    "\x1b[31mred\x07", "nul\x00", "a\r\nb\t", "\u202egpj.exe", "مرحبا", "检查", "🧨👩‍👧", "$x^2$ _y_ \\frac{",
    "</script><script>alert(1)</script>", "<b>&amp;\"'", "=1+1,\"x\";", "-->", "n" * 5_000, "n" * 5_000 + "!",
)  # fmt: skip
LONE = "\ud83e"


@dataclass(frozen=True)
class Odd:
    """A turn that is odd, and whatever is shown made of it, once."""

    scenario: Scenario
    run: Run
    folder: Path
    open: int = 0
    """How many bodies have no known end."""

    @cached_property
    def course(self) -> TurnCourse:
        return courses(self.run)

    @cached_property
    def placed(self) -> PlacedTurn:
        return PlacedTurn("turn 1", self.run.engine, 0, self.course)

    @cached_property
    def names(self) -> list[str]:
        return [call.call for call in self.course.calls]

    @cached_property
    def recorded(self) -> RecordedTurn | None:
        """The turn as a file tells it; a file in which nothing is called tells of no turn."""
        file = self.folder / "turn.jsonl"
        lines = "\n".join(dump_lines(self.run.header, self.run.events)) + "\n"
        file.write_bytes(lines.encode("utf-8", "backslashreplace"))
        return next(iter(read_trace(file)), None)

    @cached_property
    def replayed(self) -> ReplayedTurn | None:
        if self.recorded is None or len(self.names) < MANY:
            return None if self.recorded is None else replay(self.recorded, is_last=True)
        # Played under each engine it would take most of a minute.
        spans = dict.fromkeys(MEASURES[:-1]) | {"recorded": self.recorded.makespan_ns}
        return ReplayedTurn(self.recorded, spans, (), (), (), "it is not played here")

    @cached_property
    def compared(self) -> Comparison:
        if len(self.names) < MANY:
            return compare(self.recorded or self.scenario, ("streaming", "batch"))
        told = numbers(self.course)
        rows = [TurnRow("many", 1, engine, "", None, None, told) for engine in ("streaming", "batch")]
        return Comparison([tuple(rows)])

    @property
    def untold(self) -> list[str]:
        """What is said of ends that are not known, wherever it is."""
        return [f"{self.open} calls whose end is not known"] * bool(self.open)

    @property
    def uncompared(self) -> list[str]:
        """What is said of a turn that was cut off: what it would have come to is not known."""
        return ["left out: 1 turn: a call has no result"] * bool(self.open)

    @property
    def apart(self) -> list[str]:
        """The names as a file can hold them."""
        return [name.replace(LONE, r"\ud83e") for name in self.names]


def played(*calls: Call, **more: Any) -> tuple[Scenario, Run]:
    scenario = Scenario(calls=calls, **more)
    return scenario, simulate(scenario)


def named() -> tuple[Scenario, Run]:
    """Names that steer, end elements, or are beyond all measure; a lone surrogate only a log can hold."""
    tools = {name: ToolSpec() for name in (*NAMES, "lone")}
    calls = [Call(id=name, tool=name, takes="1s") for name in tools]
    scenario, run = played(*calls, tools=tools, scenario="</title>\x1b[2J\u202e$")

    def lone(event: Event) -> Event:
        detail = {key: LONE if value == "lone" else value for key, value in event.detail.items()}
        return event._replace(call=LONE if event.call == "lone" else event.call, detail=detail)

    told = {LONE if name == "lone" else name: tool for name, tool in run.header["tools"].items()}
    header = {**run.header, "engine": "\x1b$streaming$", "tools": told}
    return scenario, replace(run, header=header, events=tuple(map(lone, run.events)))


def cut_off() -> tuple[Scenario, Run]:
    """A recording that breaks off while two bodies run and one call waits."""
    scenario, run = played(
        Call(id="over", takes="1s"), Call(id="runs", takes="9s"), Call(id="too", takes="9s"),
        Call(id="waits", safe=False, takes="1s"),
    )  # fmt: skip
    return scenario, replace(run, events=tuple(event for event in run.events if event.t_ns <= S))


ODD: dict[str, Callable[[], tuple[Scenario, Run]]] = {
    "no call": played,
    "one call": lambda: played(Call(id="a", takes="1s")),
    "ten thousand calls": lambda: played(*(Call(id=f"c{n}", at=f"{n}ms", takes="1s") for n in range(MANY))),
    "calls of no length": lambda: played(*(Call(id=name, takes=0) for name in "abc")),
    "an hour": lambda: played(Call(id="long", takes="1h"), Call(id="short", at="1ms", takes="1ms")),
    "unknown ends": cut_off,
    "names": named,
}


@pytest.fixture(scope="module", params=ODD)
def odd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Odd:
    scenario, run = ODD[request.param]()
    return Odd(scenario, run, tmp_path_factory.mktemp("odd"), open=2 if request.param == "unknown ends" else 0)


def drawn(ax: Any, folder: Path) -> list[str]:
    """Write a figure and read it again: well-formed, of printable characters only. Gives its notes."""
    figures.save(ax, folder / "figure.svg")
    ElementTree.parse(folder / "figure.svg")
    shown = [text.get_text() for text in ax.findobj(lambda artist: hasattr(artist, "get_text"))]
    assert all(line.isprintable() for text in shown for line in text.split("\n"))
    return list(figures.notes(ax))


def count_bars(ax: Any, *kinds: str) -> int:
    return sum(len(one.get_paths()) for one in ax.collections if one.get_gid() in kinds)


def assert_turn_is_drawn(ax: Any, odd: Odd, labels: list[str], notes: list[str]) -> None:
    """The rows and bars of one turn, and what is said of what has none."""
    count = len(odd.names)
    assert len(labels) - 1 == (10 if count == MANY else count)
    assert len(set(labels)) == len(labels) - (1 if NAMES[0] in odd.names else 0), "two long names are cut alike"
    assert count_bars(ax, "runs", "fails", "ends") == sum(call.started_ns is not None for call in odd.course.calls)
    said = " ".join(notes)
    assert ("10,000 of 10,000 calls, in lanes; their waits and their results are not drawn" in said) is (count == MANY)
    assert ("characters that the font does not have" in said) is (NAMES[0] in odd.names)
    opened = [line for line in ax.lines if line.get_gid() == "open"]
    assert sum(len(line.get_xdata()) for line in opened) == (3 if odd.open else 0)
    assert ("1 call not known to have executed, drawn to the last instant that is" in said) is bool(odd.open)


def labels_of(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def of_gantt(odd: Odd, folder: Path) -> None:
    ax = figures.gantt(frames.calls_frame(odd.course))
    assert_turn_is_drawn(ax, odd, labels_of(ax), drawn(ax, folder))


def of_side_by_side(odd: Odd, folder: Path) -> None:
    ax = figures.side_by_side(frames.calls_frame(odd.course))
    assert labels_of(ax)[0] == visible(odd.run.header["engine"]).replace("$", r"\$")
    assert_turn_is_drawn(ax, odd, labels_of(ax), drawn(ax, folder))


def of_session_timeline(odd: Odd, folder: Path) -> None:
    ax = figures.session_timeline(frames.session_frame([odd.placed]))
    assert drawn(ax, folder) == []
    assert count_bars(ax, "response", "after") == 2
    nothing = figures.session_timeline(frames.session_frame([odd.placed._replace(start_ns=None)]))
    assert drawn(nothing, folder) == ["no turns to draw", "left out: 1 turn whose start is not known"]


def of_latency_ecdf(odd: Odd, folder: Path) -> None:
    ax = figures.latency_ecdf(odd.compared.frame())
    assert drawn(ax, folder) == [*["no turns to draw"] * len(odd.uncompared), *odd.uncompared]
    spans_s = [span_ns / S for row in odd.compared.rows if (span_ns := row.numbers.makespan_ns) is not None]
    assert [float(line.get_xdata()[-1]) for line in ax.lines] == spans_s
    low, high = ax.get_xlim()
    assert all(low <= span_s <= high for span_s in spans_s)


def assert_saving_is_told(odd: Odd, notes: list[str], placed: int) -> None:
    """A turn is drawn or counted, never both and never neither."""
    timeless = "left out: 1 turn that took no time" in notes
    assert timeless is ({row.numbers.makespan_ns for row in odd.compared.rows} == {0})
    without = "left out: 1 turn without a response or without work" in notes
    assert set(odd.uncompared) <= set(notes)
    assert placed + timeless + without + len(odd.uncompared) == 1


def of_saving_by_calls(odd: Odd, folder: Path) -> None:
    ax = figures.saving_by_calls(odd.compared.frame())
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels) > 2
    (points,) = [one for one in ax.collections if one.get_gid() == "turn"]
    assert_saving_is_told(odd, drawn(ax, folder), len(points.get_offsets()))


def of_savings_map(odd: Odd, folder: Path) -> None:
    ax = figures.savings_map(odd.compared.frame())
    assert_saving_is_told(odd, drawn(ax, folder), len([text for text in ax.texts if text.get_gid() == "saved"]))


def of_exploration_outcomes(odd: Odd, folder: Path) -> None:
    explored = explore(odd.scenario, schedules=1)
    frame = frames.explored_frame(explored)
    assert frame["times"].sum() == explored.tried == 1
    ax = figures.exploration_outcomes(frame)
    assert [text for text in drawn(ax, folder) if "font" not in text] == []
    assert [bar.get_width() for bar in ax.patches] == [1]


def of_calls_frame(odd: Odd, folder: Path) -> None:
    frame = frames.calls_frame(odd.course)
    assert list(frame["call"]) == odd.apart
    assert frame.attrs["left_out"] == ({"calls whose end is not known": odd.open} if odd.open else {})


def of_events_frame(odd: Odd, folder: Path) -> None:
    frame = frames.events_frame(odd.run)
    assert list(frame["t_ns"]) == [event.t_ns for event in odd.run.events]
    assert set(frame["call"].dropna()) == set(odd.apart)


def of_turns_frame(odd: Odd, folder: Path) -> None:
    (row,) = frames.turns_frame(odd.course).to_dict("records")
    assert row["calls"] == len(odd.names)
    assert row["makespan_ns"] == odd.course.span_ns


def of_session_frame(odd: Odd, folder: Path) -> None:
    (row,) = frames.session_frame([odd.placed]).to_dict("records")
    assert (row["began_ns"], row["calls"]) == (0, len(odd.names))


def of_write_perfetto(odd: Odd, folder: Path) -> None:
    out = io.StringIO()
    said = write_perfetto([odd.placed], out)
    told = json.loads(out.getvalue())
    assert told["otherData"]["left_out"] == said == odd.untold
    shown = {row["args"]["call"] for row in told["traceEvents"] if "call" in row.get("args", {})}
    assert shown == set(map(visible, odd.names))
    assert all(row["name"].isprintable() for row in told["traceEvents"])


def of_write_otlp(odd: Odd, folder: Path) -> None:
    out = io.StringIO()
    assert write_otlp([odd.placed], out, source="\x1b\u202e") == odd.untold
    (line,) = out.getvalue().splitlines()
    root, *spans = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    told = [*root["events"], *(span for span in spans if span["name"].startswith("execute_tool"))]
    ids = [
        one["value"]["stringValue"] for it in told for one in it["attributes"] if one["key"] == "gen_ai.tool.call.id"
    ]
    assert sorted(ids) == sorted(map(visible, odd.names))
    assert len(root["events"]) <= MOST_EVENTS


def of_write_csv(odd: Odd, folder: Path) -> None:
    file = folder / "calls.csv"
    with file.open("w", encoding="utf-8", newline="\n") as out:
        assert write_csv([odd.placed], out) == odd.untold
    with file.open(encoding="utf-8", newline="") as written:
        header, *rows = csv.reader(written)
    assert [dict(zip(header, row, strict=True))["call"] for row in rows] == [*map(visible, odd.apart)]


def of_write_parquet(odd: Odd, folder: Path) -> None:
    file = folder / "calls.parquet"
    with file.open("wb") as out:
        assert write_parquet([odd.placed], out) == odd.untold
    pd.testing.assert_frame_equal(pd.read_parquet(file), frames.calls_frame(odd.course), check_dtype=False)


class Elements(HTMLParser):
    """Counts the elements as a browser's parser would meet them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.met: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.met.append(tag)


def told_by(page: str) -> dict[str, Any]:
    """Read a page's data; a page holds the elements that an empty one holds, whatever it shows."""
    assert Elements(page).met == Elements(HtmlReport("empty", []).page({})).met
    told: dict[str, Any] = json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]  # type: ignore[index]
    )
    return told


def assert_page_tells(odd: Odd, page: str, view: str) -> None:
    (turn,) = told_by(page)["turns"]
    shown = turn["views"][view]
    cut = [name if len(name) <= LONGEST_TEXT else name[: LONGEST_TEXT - 1] + "…" for name in odd.names]
    assert [call["id"] for call in shown["calls"]] == [visible(name) for name in cut]
    assert [line for line in shown["told"] if "not known" in line] == odd.untold


def of_played_page(odd: Odd, folder: Path) -> None:
    made = PlayedReport("\u202e</title>")
    made.add_run("\x1b</script>", odd.run, (), ())
    assert_page_tells(odd, made.page(), visible(odd.run.engine))


def found(odd: Odd) -> report.FileReport:
    told = report.FileReport("\x1b[2J</b>.jsonl", "event_log")
    if odd.replayed is not None:
        told.session.add(odd.replayed)
    return told


def of_replayed_page(odd: Odd, folder: Path) -> None:
    page = HtmlReport("recorded", MEASURES)
    if odd.replayed is not None:
        page.add(replayed_row("a.jsonl", odd.replayed))
    made = replayed_page(page, [found(odd)], found(odd))
    assert "estimates" not in told_by(made)["spans_told"], "an event log tells its times exactly"
    assert "≈" not in json.dumps(told_by(made)["facts"], ensure_ascii=False)
    if odd.names:
        assert_page_tells(odd, made, "recorded")
    else:
        assert told_by(made)["turns"] == []


def printed(thing: Any) -> list[str]:
    """Print to a terminal of 100 cells."""
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=False, color_system=None).print(thing)
    lines = out.getvalue().split("\n")
    assert all(line.isprintable() and cell_len(line) <= 100 for line in lines)
    return lines


def of_report(odd: Odd, folder: Path) -> None:
    told = found(odd)
    lines = printed(report.details(told))
    text = " ".join(lines)
    assert "n" * 60 not in "".join(lines), "no name is longer than a line"
    turns = "0 turns" if not odd.names else "1 turn"
    calls = "1 call" if len(odd.names) == 1 else f"{len(odd.names):,} calls"
    assert f"event_log: {turns} with {calls}" in text
    assert printed(report.overview([told], told, width=100))
    if odd.replayed is not None:
        lines = printed(report.picture("a.jsonl", odd.replayed, width=100, ascii=False, colour=False))
        assert_timeline_tells(odd, lines[1:])


def of_comparison(odd: Odd, folder: Path) -> None:
    first, second, *_ = printed(comparison.table(odd.compared, width=100))
    assert first.startswith("0 turns compared" if odd.open else "1 turn compared")
    assert ("left out: 1 because a call has no result" in second) is bool(odd.open)


def assert_timeline_tells(odd: Odd, lines: list[str]) -> None:
    rows = min(len(odd.names), MAX_LANES)
    first = next(place for place, line in enumerate(lines) if line.startswith("response"))
    assert all(line.isprintable() and cell_len(line) <= 100 for line in lines)
    ends = [line for line in lines[first + 1 : first + 1 + rows] if "▶" in line]
    assert len(ends) == odd.open
    assert ("and 9,960 more calls" in lines) is (len(odd.names) == MANY)


def of_timeline(odd: Odd, folder: Path) -> None:
    assert_timeline_tells(odd, timeline(odd.run.header, odd.run.events, width=100).split("\n"))


ROWS = {
    name.removeprefix("of_"): check
    for name, check in list(globals().items())
    if name.startswith("of_") and inspect.isfunction(check)
}


@pytest.mark.parametrize("row", ROWS)
def test_what_is_odd_is_shown_and_what_is_left_out_is_said(odd: Odd, row: str, tmp_path: Path) -> None:
    ROWS[row](odd, tmp_path)


def of_a(what: type) -> Iterator[Callable[[Any], Any]]:
    """The public numbers of a turn or of a call."""
    for name, function in vars(metrics).items():
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__ == metrics.__name__:
            hints = get_type_hints(function)
            if what in hints.values() and "against" not in hints:
                yield function


def test_every_number_of_what_is_odd_is_not_negative_or_not_known(odd: Odd) -> None:
    """B117, B120: the numbers agree with each other, and of a cut-off turn none is made up."""
    told = numbers(odd.course)
    assert (told.calls, told.makespan_ns) == (len(odd.names), odd.course.span_ns)
    for measure in of_a(TurnCourse):
        value = measure(odd.course)
        parts = value if isinstance(value, tuple) else (value,)
        assert all(part is None or part >= 0 for part in parts)
    for measure in of_a(CallCourse):
        assert min((value for value in map(measure, odd.course.calls) if value is not None), default=0) >= 0
    assert (metrics.total_ns(odd.course) is None) is bool(odd.open)
    assert metrics.saving_ns(odd.course, odd.course) == 0
    steps = critical_path(odd.course)
    assert all(one.until_ns == other.since_ns for one, other in pairwise(steps))
    assert [step.until_ns for step in steps[-1:]] == [told.makespan_ns] * bool(told.makespan_ns)


def made_in(module: Any, prefix: str = "", suffix: str = "") -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and name.startswith(prefix)
        and name.endswith(suffix)
    }


def test_every_figure_frame_and_export_has_its_row() -> None:
    """A figure that is new and has none fails here."""
    tools = {"kind_of", "notes", "save"}
    assert set(figures.__all__) - tools <= set(ROWS)
    # The frame of explorations is that of their figure, the frame of turns' rows that of a comparison.
    assert made_in(frames, suffix="_frame") - {"_frame", "explored_frame"} <= set(ROWS)
    modules = [pkgutil.resolve_name(f"{exports.__name__}.{one.name}") for one in pkgutil.iter_modules(exports.__path__)]
    assert set().union(*(made_in(module, prefix="write_") for module in modules)) <= set(ROWS)


def test_every_module_that_shows_a_turn_is_in_the_table() -> None:
    helpers = {"amounts", "chart", "visible"}
    shown = {"comparison", "exports", "figures", "html", "report", "timeline"}
    assert {one.name for one in pkgutil.iter_modules(show.__path__)} == helpers | shown
