"""``--html``: the report is written beside what a command prints, and never over what it reads."""

import json
import re
import shutil
from importlib.resources import files
from pathlib import Path

SAMPLES = sorted(Path(str(files("scenarios") / "samples")).glob("*.jsonl"))
LIBRARY = Path(str(files("scenarios") / "library"))


def data_of(file: Path) -> dict:
    page = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_replay_writes_every_turn_as_recorded_and_under_each_engine(interlock, tmp_path) -> None:
    out = tmp_path / "report.html"
    ended = interlock("replay", *SAMPLES, "--html", out, "--json")
    told = json.loads(ended.out)
    assert ended.code == 0
    assert ended.err == f"interlock: wrote {out}\n"
    data = data_of(out)
    turns = [turn for file in told["files"] for turn in file["turns"]]
    assert data["measures"] == ["recorded", "streaming", "batch", "serial", "saved"]
    for listed, turn in zip(data["turns"], turns, strict=True):
        spans_s = list(turn["makespan_s"].values())
        assert [ns / 1e9 for ns in listed["spans"][:4]] == spans_s
        assert list(listed["views"]) == ["recorded", "streaming", "batch", "serial"]
        assert listed["estimated"]
        assert {len(view["calls"]) for view in listed["views"].values()} == {turn["calls"]}
    facts = dict(data["facts"])
    assert (facts["sessions"], facts["turns"], facts["broken rules"]) == ("3", "9", "0")
    assert data["spans"] == [[name, sum(turn["spans"][n] for turn in data["turns"])] for n, name in
                             enumerate(data["measures"][:4])]  # fmt: skip


def test_an_event_log_is_told_exactly(interlock, tmp_path) -> None:
    """B121: only what is an estimate is marked as one."""
    log, out = tmp_path / "turn.jsonl", tmp_path / "report.html"
    interlock("run", LIBRARY / "three_calls_in_a_stream.yaml", "--log", log)
    assert interlock("replay", log, "--html", out).code == 0
    data = data_of(out)
    assert not data["estimated"]
    assert not data["turns"][0]["estimated"]


def test_run_writes_what_it_played_and_what_was_not_as_expected(interlock, tmp_path) -> None:
    out, other = tmp_path / "report.html", tmp_path / "other.yaml"
    other.write_text("scenario: too slow\ncalls: [{id: a, takes: 1s}]\nexpect: {makespan: 500ms}\n")
    ended = interlock("run", LIBRARY / "three_calls_in_a_stream.yaml", other, "--html", out)
    assert ended.code == 1
    data = data_of(out)
    assert data["title"] == "Simulated, seed 0"
    assert data["facts"] == [["turns", "2"], ["calls", "4"], ["broken rules", "0"], ["not as expected", "1"]]
    assert [(turn["name"], turn["spans"], turn["note"]) for turn in data["turns"]] == [
        ("three_calls_in_a_stream.yaml", [2_600_000_000], "three calls in a stream"),
        ("other.yaml", [10**9], "too slow; not as expected: makespan: expected 500ms, got 1s"),
    ]


def test_equal_input_is_an_equal_report(interlock, tmp_path) -> None:
    pages = []
    for name in ("one.html", "other.html"):
        interlock("replay", *SAMPLES, "--html", tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_a_report_is_never_written_over_what_is_read(interlock, tmp_path) -> None:
    session = Path(shutil.copy(SAMPLES[0], tmp_path))
    before = session.read_bytes()
    ended = interlock("replay", session, "--html", session)
    assert (ended.code, ended.err) == (
        2,
        f"interlock: --html {session}: that file is read; choose another path\n",
    )
    assert session.read_bytes() == before


def test_a_report_that_cannot_be_written_is_said_in_one_line(interlock, tmp_path) -> None:
    out = tmp_path / "nowhere" / "report.html"
    ended = interlock("run", LIBRARY / "three_calls_in_a_stream.yaml", "--html", out)
    assert ended.code == 2
    assert (
        ended.err == f"interlock: --html {out}: cannot write it: there is no folder {out.parent}; choose another path\n"
    )
