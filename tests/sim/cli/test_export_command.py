"""``interlock export``: where its turns come from, where they go, and what it refuses."""

import csv
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from sim.cli.exporting import Form
from sim.cli.plotting import Kind

LIBRARY = Path(str(files("scenarios") / "library"))
SAMPLES = Path(str(files("scenarios") / "samples"))
FIGURE = LIBRARY / "three_calls_in_a_stream.yaml"
SESSION = SAMPLES / "failing_call_and_interrupt.jsonl"


def turns_of(text: str) -> list[tuple[str, str, float]]:
    """The turns of a trace: process, name, length in seconds."""
    rows = json.loads(text)["traceEvents"]
    processes = {row["pid"]: row["args"]["name"] for row in rows if row["name"] == "process_name"}
    return [
        (processes[row["pid"]], row["name"], row["dur"] / 1e6) for row in rows if row.get("tid") == 1 and "dur" in row
    ]


def test_a_scenario_is_played_by_each_engine_that_is_named(interlock) -> None:
    ended = interlock("export", FIGURE, "--to", "perfetto", "--engine", "streaming", "--engine", "batch")
    assert ended.code == 0
    assert turns_of(ended.out) == [
        ("streaming", "three calls in a stream", 2.6),
        ("batch", "three calls in a stream", 2.9),
    ]


def test_a_session_is_written_as_recorded_or_as_an_engine_would_have_run_it(interlock, tmp_path) -> None:
    out = tmp_path / "session.json"
    ended = interlock("export", SESSION, "--to", "perfetto", "-o", out)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    recorded = turns_of(out.read_text(encoding="utf-8"))
    assert [one[:2] for one in recorded] == [("main conversation", f"turn {n}") for n in (1, 2, 3)]
    serial = turns_of(interlock("export", SESSION, "--to", "perfetto", "--engine", "serial").out)
    assert [one[:2] for one in serial] == [("serial", f"turn {n}") for n in (1, 2, 3)]
    assert sum(one[2] for one in serial) > sum(one[2] for one in recorded)


def test_one_turn_of_a_session_may_be_asked_for(interlock) -> None:
    assert [name for _, name, _ in turns_of(interlock("export", SESSION, "--to", "perfetto", "--turn", 2).out)] == [
        "turn 2"
    ]


def test_an_event_log_gives_what_its_run_gives_and_several_turns_in_it_follow_each_other(interlock, tmp_path) -> None:
    log = tmp_path / "log.jsonl"
    interlock("run", FIGURE, "--log", log)
    of_run, of_log = (json.loads(interlock("export", path, "--to", "perfetto").out) for path in (FIGURE, log))
    turn = {"name": "turn 1"}
    assert of_log["traceEvents"] == [
        row | turn if row.get("tid") == 1 and row["ph"] == "X" else row for row in of_run["traceEvents"]
    ]
    log.write_text(log.read_text(encoding="utf-8") * 2, encoding="utf-8")
    twice = json.loads(interlock("export", log, "--to", "perfetto").out)["traceEvents"]
    assert [(row["pid"], row["ts"] / 1e6) for row in twice if row["name"].startswith("turn ")] == [(1, 0), (1, 2.6)]


def test_the_same_input_gives_the_same_bytes(interlock) -> None:
    """D1."""
    for path in (FIGURE, SESSION):
        for form in ("perfetto", "otlp", "csv"):
            assert interlock("export", path, "--to", form).out == interlock("export", path, "--to", form).out


def test_tables_are_written_to_files_and_parquet_only_there(interlock, tmp_path) -> None:
    for form, start in (("csv", b"source,turn,"), ("parquet", b"PAR1")):
        out = tmp_path / f"calls.{form}"
        assert interlock("export", SESSION, "--to", form, "-o", out).code == 0
        assert out.read_bytes().startswith(start)
    ended = interlock("export", SESSION, "--to", "parquet")
    assert (ended.code, ended.err) == (2, "interlock: --to parquet writes no text: name a file by -o OUT\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([SESSION, "--turn", 9], "--turn 9: .*has no such turn; its last is 3"),
        ([SESSION, "--engine", "warp"], "--engine: expected streaming, batch, serial or MODULE:FUNCTION, got 'warp'"),
        (["nowhere.yaml"], "nowhere.yaml"),
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (
            [FIGURE, "-o", "nowhere/out.json"],
            "nowhere/out.json: cannot write it: there is no folder nowhere; choose another path",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line_and_leaves_no_file(interlock, tmp_path, monkeypatch, words, told) -> None:
    monkeypatch.chdir(tmp_path)
    ended = interlock("export", *words, "--to", "perfetto", *([] if "-o" in words else ["-o", "out.json"]))
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert re.search(told, ended.err)
    assert not list(tmp_path.iterdir())


def test_turns_that_no_engine_can_replay_are_left_out_and_said(interlock, tmp_path) -> None:
    """B120."""
    cut = tmp_path / "cut.jsonl"
    text = SESSION.read_text(encoding="utf-8")
    cut.write_text(text[: text.rindex('"tool_result"')].rpartition("\n")[0] + "\n", encoding="utf-8")
    ended = interlock("export", cut, "--to", "perfetto", "--engine", "batch")
    assert ended.code == 0
    assert "left out: turn 3: a call has no result" in ended.err
    assert [name for _, name, _ in turns_of(ended.out)] == ["turn 1", "turn 2"]


@pytest.fixture
def cut_off(interlock, tmp_path) -> Path:
    """A log that breaks off while a body runs."""
    log = tmp_path / "cut.jsonl"
    interlock("run", FIGURE, "--log", log)
    lines = log.read_text(encoding="utf-8").splitlines()
    entered = next(place for place, line in enumerate(lines) if '"kind":"entered"' in line)
    log.write_text("\n".join(lines[: entered + 1]) + "\n", encoding="utf-8")
    return log


def test_a_result_that_may_still_come_behind_the_end_of_a_file_is_no_broken_rule(interlock, cut_off) -> None:
    """P1: of an earlier turn in the file nothing more can come."""
    cut_off.write_text(cut_off.read_text(encoding="utf-8") * 2, encoding="utf-8")
    rows = csv.DictReader(interlock("export", cut_off, "--to", "csv").out.splitlines())
    assert [(row["turn"], "P1" in row["broken"].split()) for row in rows] == [("1", True), ("2", False)]


@pytest.mark.parametrize("form", Form)
def test_what_a_log_that_breaks_off_does_not_tell_is_said_of_every_form(interlock, cut_off, tmp_path, form) -> None:
    """B120."""
    ended = interlock("export", cut_off, "--to", form.value, "-o", tmp_path / "out")
    assert (ended.code, ended.err) == (0, "left out: 1 call whose end is not known\n")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.GANTT, "1 call whose end is not known, drawn to the last instant that is"),
        (Kind.ENGINES, "left out: turn 1: a call has no result"),
        (Kind.SESSION, "left out: 1 turn whose makespan is not known"),
        *((kind, "left out: 1 turn: a call has no result") for kind in (Kind.LATENCY, Kind.SAVING, Kind.MAP)),
    ],
)
def test_what_a_log_that_breaks_off_does_not_tell_is_said_of_every_figure(
    interlock, cut_off, tmp_path, kind, said
) -> None:
    turn = ["--turn", 1] if kind in (Kind.GANTT, Kind.ENGINES) else []
    ended = interlock("plot", cut_off, "--kind", kind.value, *turn, "-o", tmp_path / "out.svg")
    assert ended.code == 0
    assert said in ended.err.splitlines()
