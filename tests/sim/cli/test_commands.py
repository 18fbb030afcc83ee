"""What the commands print, and how they end."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from scenarios.expect import ENGINES

SAMPLES = Path(str(files("scenarios") / "samples"))
LIBRARY = Path(str(files("scenarios") / "library"))
FIGURE = LIBRARY / "three_calls_in_a_stream.yaml"
REPLAYED = {"file", "format", "damage", "turns", "violations"}


@pytest.mark.parametrize(("engine", "makespan_s"), [("streaming", 2.6), ("batch", 2.9), ("serial", 3.1)])
def test_run_gives_its_documented_json(interlock, engine, makespan_s) -> None:
    ended = interlock("run", FIGURE, "--engine", engine, "--seed", 3, "--json")
    (row,) = json.loads(ended.out)["runs"]
    digest = row.pop("digest")
    assert ended.code == 0
    assert len(digest) == 64
    assert row == {
        "scenario": "three calls in a stream",
        "engine": engine,
        "seed": 3,
        "makespan_s": makespan_s,
        "results": [["first", "ok"], ["second", "ok"], ["change", "ok"]],
        "started": ["first", "second", "change"],
        "violations": [],
        "expect": {"met": True, "failures": []},
    }


def test_run_gives_several_files_as_a_list_in_their_order(interlock) -> None:
    other = LIBRARY / "five_safe_calls_at_once.yaml"
    rows = json.loads(interlock("run", other, FIGURE, "--json").out)["runs"]
    assert [row["scenario"] for row in rows] == ["five safe calls at once", "three calls in a stream"]


def test_run_plays_a_file_by_the_engine_that_it_expects_something_of(interlock, tmp_path) -> None:
    """A turn that was recorded from a batch engine, imported, is played as it was recorded."""
    path = tmp_path / "batch.yaml"
    path.write_text("calls: [{id: a, takes: 1s}]\nexpect: {engines: [batch], results: [[a, ok]]}\n")
    (row,) = json.loads(interlock("run", path, "--json").out)["runs"]
    assert (row["engine"], row["expect"]) == ("batch", {"met": True, "failures": []})
    (row,) = json.loads(interlock("run", path, "--engine", "streaming", "--json").out)["runs"]
    assert row["engine"] == "streaming"


def test_run_ends_with_one_when_an_expectation_is_not_met(interlock, tmp_path) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text("calls:\n  - {id: a, takes: 1s}\nexpect: {makespan: 2s}\n")
    ended = interlock("run", path, "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["runs"][0]["expect"] == {"met": False, "failures": ["makespan: expected 2s, got 1s"]}
    shown = interlock("run", path)
    assert shown.code == 1
    assert "not as expected: makespan: expected 2s, got 1s" in shown.out


def test_a_turn_that_never_ends_breaks_l1_and_is_reported_with_the_line_that_shows_it_again(
    interlock, tmp_path
) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text("calls:\n  - {id: a, ends: hang}\n")
    ended = interlock("run", path)
    assert ended.code == 1
    assert "L1" in ended.out
    (again,) = {line.split("again: ")[1] for line in ended.out.splitlines() if "again: " in line}
    assert again == f"interlock run {path} --engine streaming --seed 0"
    words = again.split()[1:]
    assert interlock(*words).out == ended.out


def test_a_written_log_is_judged_by_check(interlock, tmp_path) -> None:
    log = tmp_path / "log.jsonl"
    interlock("run", FIGURE, "--log", log)
    ended = interlock("check", log)
    assert (ended.code, ended.out) == (0, "1 file judged, 0 with broken rules\n")
    rows = log.read_text(encoding="utf-8").splitlines()
    without_last_result = [row for row in rows if '"call":"change"' not in row or '"what":"result"' not in row]
    assert len(without_last_result) == len(rows) - 1
    log.write_text("\n".join(without_last_result) + "\n", encoding="utf-8")
    ended = interlock("check", log)
    assert ended.code == 1
    assert "P1" in ended.out


def test_replay_gives_its_documented_json(interlock) -> None:
    ended = interlock("replay", *sorted(SAMPLES.glob("*.jsonl")), "--json")
    assert (ended.code, ended.err) == (0, "")
    rows = json.loads(ended.out)["files"]
    assert len(rows) == 3
    for row in rows:
        assert set(row) == REPLAYED
        assert row["damage"] == []
        for turn in row["turns"]:
            assert set(turn["makespan_s"]) == {"recorded", "streaming", "batch", "serial"}
            assert turn["violations"] == []
            spans = turn["makespan_s"]
            if None not in spans.values():
                assert spans["streaming"] <= spans["batch"] <= spans["serial"]


def test_replay_tells_a_result_that_is_missing_and_one_that_belongs_to_nothing(interlock, tmp_path) -> None:
    """P1, P2, B015."""
    path = tmp_path / "session.jsonl"
    lines = (SAMPLES / "failing_call_and_interrupt.jsonl").read_text(encoding="utf-8").splitlines()
    lost = next(line for line in lines if '"tool_result"' in line)
    stray = json.loads(lost)
    stray["uuid"] = "00000000-0000-4000-8000-00000000abcd"
    stray["message"]["content"][0]["tool_use_id"] = "ghost"
    path.write_text(
        "\n".join([json.dumps(stray), *(line for line in lines if line is not lost)]) + "\n", encoding="utf-8"
    )
    ended = interlock("check", path, "--json")
    assert ended.code == 1
    (row,) = json.loads(ended.out)["files"]
    assert row["damage"] == [{"line": 1, "what": "tool_result for ghost, but no call of that id stands before it"}]
    assert sorted((violation["rule"], violation["calls"]) for violation in row["violations"]) == [
        ("P1", [json.loads(lost)["message"]["content"][0]["tool_use_id"]]),
        ("P2", ["ghost"]),
    ]
    assert interlock("replay", path).code == 0


def test_a_call_whose_result_the_files_end_cuts_off_is_unanswered_and_breaks_no_rule(interlock, tmp_path) -> None:
    """B085: a session that still runs, or a file that was cut."""
    path = tmp_path / "session.jsonl"
    lines = (SAMPLES / "batch_era.jsonl").read_text(encoding="utf-8").splitlines()
    *before, last = [n for n, line in enumerate(lines) if '"tool_result"' in line]
    path.write_text("\n".join(lines[:last]) + "\n", encoding="utf-8")
    call = json.loads(lines[last])["message"]["content"][0]["tool_use_id"]
    ended = interlock("check", path, "--json")
    (row,) = json.loads(ended.out)["files"]
    assert before
    assert (ended.code, row["violations"], row["unanswered"]) == (0, [], [call])
    assert f"{call} is unanswered, for the file ends" in interlock("check", path).out
    assert json.loads(interlock("replay", path, "--json").out)["files"][0]["turns"][-1]["unanswered"] == [call]


@pytest.mark.parametrize(
    ("is_over", "rules", "unanswered"), [(True, ["P1"], []), (False, ["L1"], ["change"])], ids=["over", "broken off"]
)
def test_a_result_that_a_log_lacks_may_still_come_until_its_turn_is_over(
    interlock, tmp_path, is_over, rules, unanswered
) -> None:
    """P1; ``check`` and ``replay`` say the same of it."""
    log = tmp_path / "log.jsonl"
    interlock("run", FIGURE, "--log", log)
    rows = log.read_text(encoding="utf-8").splitlines()
    kept = [row for row in rows if '"call":"change"' not in row or '"what":"result"' not in row]
    log.write_text("\n".join(kept if is_over else kept[:-1]) + "\n", encoding="utf-8")
    (checked,) = json.loads(interlock("check", log, "--json").out)["files"]
    (replayed,) = json.loads(interlock("replay", log, "--json").out)["files"][0]["turns"]
    for told in (checked, replayed):
        assert [one["rule"] for one in told["violations"]] == rules
        assert told["unanswered"] == unanswered


def test_check_gives_its_files_in_the_order_they_were_named_and_goes_on_after_a_bad_one(interlock, tmp_path) -> None:
    log, bad, sample = tmp_path / "log.jsonl", tmp_path / "bad.jsonl", SAMPLES / "batch_era.jsonl"
    interlock("run", FIGURE, "--log", log)
    bad.write_text('{"log": 1}\n{"t": -1, "kind": "stop"}\n', encoding="utf-8")
    ended = interlock("check", sample, bad, log, "--json")
    assert ended.code == 2
    assert "t: expected nanoseconds from 0 on, got -1" in ended.err
    assert [row["file"] for row in json.loads(ended.out)["files"]] == [str(sample), str(log)]


def test_a_file_name_with_a_space_is_quoted_in_the_line_that_shows_it_again(interlock, tmp_path) -> None:
    path = tmp_path / "my turn.yaml"
    path.write_text("calls:\n  - {id: a, ends: hang}\n")
    assert f"again: interlock run '{path}' --engine streaming --seed 0" in interlock("run", path).out


def test_run_says_where_a_file_expects_nothing(interlock, tmp_path) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text("calls:\n  - {id: a}\n")
    assert "the file expects nothing of this engine" in interlock("run", path).out


def test_replay_names_times_as_estimates_classes_and_waits(interlock) -> None:
    """B121: two digits, marked; R6: the classes assumed are said."""
    out = interlock("replay", SAMPLES / "sub_agents_and_refusal.jsonl").out
    assert "≈" in out
    assert "assumed safe: " in out
    assert "assumed exclusive: " in out
    assert "waited for a person" in out
    assert "estimates" in out


def test_replay_draws_the_turn_that_is_asked_for(interlock) -> None:
    sample, other = SAMPLES / "batch_era.jsonl", SAMPLES / "failing_call_and_interrupt.jsonl"
    assert f"{sample}: turn 2, line" in interlock("replay", other, sample, "--turn", 2).out
    refused = interlock("replay", other, sample, "--turn", 3)
    assert (refused.code, refused.err) == (2, f"interlock: --turn 3: {sample} has no such turn; its last is 2\n")
    assert interlock("replay", sample, "--turn", 2, "--json").code == 2


def test_replay_draws_the_turn_with_the_most_calls_and_says_where_it_is_from(interlock) -> None:
    files_ = sorted(SAMPLES.glob("*.jsonl"))
    assert f"{SAMPLES / 'failing_call_and_interrupt.jsonl'}: turn 2, line" in interlock("replay", *files_).out


@pytest.mark.parametrize("columns", [120, 80, 60])
def test_whatever_the_width_every_number_is_told_and_none_is_cut(interlock, monkeypatch, columns) -> None:
    monkeypatch.setattr("sim.cli.console.WIDTH_OF_A_FILE", columns)
    out = interlock("replay", SAMPLES / "failing_call_and_interrupt.jsonl").out
    numbers = out[: out.index("as recorded")]
    for word in ("turns", "calls", "together", "recorded", "streaming", "batch", "serial", "saved", "broken", "damage"):
        assert word in numbers
    for number in ("100 %", "≈12 s", "≈15 s", "≈2.1 s", "≈3.7 s", "≈720 ms"):
        assert number in " ".join(numbers.split())
    assert "…" not in numbers
    assert max(len(line) for line in numbers.splitlines()) <= columns


def test_demo_gives_as_json_what_run_and_replay_give(interlock) -> None:
    shown = json.loads(interlock("demo", "--json").out)
    engines = [json.loads(interlock("run", FIGURE, "--engine", name, "--json").out)["runs"] for name in ENGINES]
    assert shown["runs"] == [run for runs in engines for run in runs]
    assert shown["files"] == json.loads(interlock("replay", *sorted(SAMPLES.glob("*.jsonl")), "--json").out)["files"]


def test_demo_shows_the_three_engines_and_the_samples(interlock) -> None:
    ended = interlock("demo")
    assert ended.code == 0
    for shown in ("completed at 2.6 s", "completed at 2.9 s", "completed at 3.1 s", "3 sessions"):
        assert shown in ended.out


def test_help_documents_the_exit_codes(interlock) -> None:
    ended = interlock("--help")
    assert ended.code == 0
    assert "Exit codes" in ended.out
    for command in ("demo", "replay", "check", "run"):
        assert command in ended.out
