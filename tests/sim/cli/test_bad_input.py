"""Bad input: one clear line each (what, got, where, way out), exit 2, no traceback."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

CALL = "calls:\n  - {id: a, %s}\n"
TRANSCRIPT = {
    "type": "assistant",
    "uuid": "u1",
    "sessionId": "s1",
    "timestamp": "2026-01-05T10:00:00.000Z",
    "message": {
        "id": "m1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}}],
    },
}  # fmt: skip


def one_line(text: str) -> str:
    """The only line of an error message."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


@pytest.mark.parametrize("command", ["replay", "check"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"hello, this is no JSON\nat all\n", "JSON"),
        (b'{"some": "object"}\n', "no known format"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + bytes(range(256)), "binary"),
        (b"[1, 2, 3]\n", "a list"),
    ],
    ids=["empty", "not JSON", "another object", "binary", "a list"],
)
def test_a_file_that_is_no_recording_is_refused_in_one_line(interlock, tmp_path, command, content, told) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    ended = interlock(command, path)
    assert ended.code == 2
    line = one_line(ended.err)
    assert line.startswith(f"interlock: {path}")
    assert told in line


@pytest.mark.parametrize("command", ["replay", "check", "run"])
def test_a_missing_file_and_a_directory_are_refused_in_one_line(interlock, tmp_path, command) -> None:
    for path in (tmp_path / "nowhere.jsonl", tmp_path):
        ended = interlock(command, path)
        assert ended.code == 2
        assert str(path) in one_line(ended.err)


def test_for_a_file_that_is_not_there_the_nearest_is_named(interlock, tmp_path) -> None:
    for command, name, wrong in (("run", "turn.yaml", "trun.yaml"), ("replay", "session.jsonl", "sesion.jsonl")):
        (tmp_path / name).touch()
        ended = interlock(command, tmp_path / wrong)
        assert ended.code == 2
        assert f"; did you mean {str(tmp_path / name)!r}?" in one_line(ended.err)


def test_one_unreadable_file_does_not_keep_the_others_from_being_used(interlock, tmp_path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(TRANSCRIPT) + "\n")
    bad.write_text("")
    ended = interlock("replay", bad, good, "--json")
    assert ended.code == 2
    assert str(bad) in one_line(ended.err)
    (row,) = json.loads(ended.out)["files"]
    assert row["file"] == str(good)
    assert len(row["turns"]) == 1


def test_damage_inside_a_readable_file_is_reported_and_the_rest_is_used(interlock, tmp_path) -> None:
    """B085, B088."""
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(TRANSCRIPT) + '\n\n[1]\n{"type": "user", "uu')
    ended = interlock("replay", path, "--json")
    assert ended.code == 0
    assert ended.err == ""
    (row,) = json.loads(ended.out)["files"]
    assert [damage["line"] for damage in row["damage"]] == [3, 4]
    assert row["turns"][0]["calls"] == 1


@pytest.mark.parametrize("strange", [[], {}, 7, None])
def test_a_record_whose_type_is_no_text_is_refused_like_any_other(interlock, tmp_path, strange) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps({"type": strange}) + "\n")
    ended = interlock("replay", path)
    assert ended.code == 2
    one_line(ended.err)


def test_a_log_that_a_crash_cut_off_is_judged_as_far_as_it_goes(interlock, tmp_path) -> None:
    scenario, log = tmp_path / "turn.yaml", tmp_path / "log.jsonl"
    scenario.write_text("calls:\n  - {id: a, takes: 1s}\n")
    interlock("run", scenario, "--log", log)
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(lines[:-1]) + lines[-1][:20], encoding="utf-8")
    ended = interlock("check", log, "--json")
    (row,) = json.loads(ended.out)["files"]
    assert ended.code == 1
    assert row["damage"] == [{"line": len(lines), "what": "cut off in mid-line, left out"}]
    assert [violation["rule"] for violation in row["violations"]] == ["L1"]


def test_one_bad_scenario_file_does_not_keep_the_others_from_being_run(interlock, tmp_path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("calls:\n  - {id: a}\n")
    bad.write_text("calls: 3\n")
    ended = interlock("run", bad, good, "--json")
    assert ended.code == 2
    assert str(bad) in one_line(ended.err)
    assert [row["results"] for row in json.loads(ended.out)["runs"]] == [[["a", "ok"]]]


def test_a_line_of_twelve_megabytes_is_read(interlock, tmp_path) -> None:
    """B098."""
    path = tmp_path / "session.jsonl"
    content = [{"type": "image", "source": {"data": "A" * 12_000_000}}]
    image = TRANSCRIPT | {"type": "user", "uuid": "u2", "message": {"role": "user", "content": content}}
    path.write_text(json.dumps(TRANSCRIPT) + "\n" + json.dumps(image) + "\n")
    ended = interlock("replay", path, "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["files"][0]["damage"] == []


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        ("calls: [}", ":1:9", "YAML"),
        (CALL % "colour: red", ":2:13: calls[0].colour", "expected"),
        (CALL % "takse: 1s", ":2:13: calls[0].takse", "takes"),
        (CALL % "takes: -1s", ":2:13: calls[0].takes", "-1s"),
        (CALL % "takes: 200 m", ":2:13: calls[0].takes", "200 m"),
        ("calls:\n  - {id: a, at: 2s}\n  - {id: b, at: 1s}\n", ":3:13: calls[1].at", "order"),
        ("calls:\n  - {id: a}\n  - {id: a}\n", ":3:6: calls[1].id", "'a'"),
        (CALL % "tool: Raed", ":2:13: calls[0].tool", "Read"),
        ("", ":1:1", "nothing"),
        ("- a\n- b\n", ":1:1", "mapping"),
    ],
    ids=["invalid YAML", "unknown key", "misspelt key", "negative duration", "no duration", "times out of order",
         "duplicate id", "unknown tool", "empty", "a list"],
)  # fmt: skip
def test_a_scenario_file_with_a_mistake_is_refused_with_file_line_column_and_key(
    interlock, tmp_path, text, where, told
) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text(text)
    ended = interlock("run", path)
    assert ended.code == 2
    line = one_line(ended.err)
    assert line.startswith(f"interlock: {path}{where}")
    assert told in line.removeprefix(f"interlock: {path}")


def test_a_broken_event_log_is_refused_with_its_line(interlock, tmp_path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"log": 1, "engine": "streaming"}\n{"t": 1, "kind": "nonsense"}\n')
    ended = interlock("check", path)
    assert ended.code == 2
    assert "line 2" in one_line(ended.err)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"t": "x", "kind": "stop"}', "t: expected nanoseconds"),
        ('{"t": 1e400, "kind": "stop"}', "t: expected nanoseconds"),
        ('{"t": 1, "kind": "entered", "call": {}}', "call: expected an id"),
        ('{"t": 1, "kind": "block", "call": "a", "index": "x"}', "index: expected a number"),
        ('{"t": 1, "kind": "block", "call": "a", "attempt": [1]}', "attempt: expected a number"),
        ("[" * 100_000, "not a row"),
    ],
)
def test_a_row_of_the_wrong_types_is_refused(interlock, tmp_path, row, told) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"log": 1, "engine": "streaming"}}\n{row}\n')
    ended = interlock("check", path)
    assert ended.code == 2
    assert told in one_line(ended.err)


@pytest.mark.parametrize("command", ["replay", "check", "run"])
def test_a_pipe_and_a_name_too_long_are_refused_at_once(interlock, tmp_path, command) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path / ("x" * 5000)):
        ended = interlock(command, path)
        assert ended.code == 2
        assert "Traceback" not in ended.err


@pytest.mark.parametrize("depth", [200, 100_000])
def test_json_of_any_depth_is_refused_as_no_recording(interlock, tmp_path, depth) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * depth + "]" * depth + "\n")
    ended = interlock("check", path)
    assert ended.code == 2
    one_line(ended.err)


def test_a_nameless_tool_and_times_centuries_apart_are_no_reason_to_fail(interlock, tmp_path) -> None:
    nameless = json.loads(json.dumps(TRANSCRIPT))
    nameless["message"]["content"][0]["name"] = ""
    later = json.loads(json.dumps(TRANSCRIPT)) | {"timestamp": "9999-01-05T10:00:00.000Z", "uuid": "u2"}
    later["message"]["content"][0]["id"] = "t2"
    results = [
        {"type": "user", "uuid": f"r{n}", "sessionId": "s1", "timestamp": "9999-01-05T10:00:01.000Z",
         "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"}]}}
        for n in (1, 2)
    ]  # fmt: skip
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (nameless, later, *results)))
    ended = interlock("replay", path, "--json")
    assert ended.code == 0
    (turn,) = json.loads(ended.out)["files"][0]["turns"]
    assert turn["unknown"] == "its times are centuries apart"


@pytest.mark.parametrize("words", [["demo"], ["replay", "batch_era.jsonl"], ["--help"]])
def test_a_terminal_that_knows_only_ascii_gets_question_marks_and_no_error(words) -> None:
    program = Path(sys.executable).with_name("interlock")
    samples = str(files("scenarios") / "samples")
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([program, *words], capture_output=True, cwd=samples, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_a_reader_that_goes_away_and_a_full_disk_end_the_command_without_a_traceback() -> None:
    program, samples = Path(sys.executable).with_name("interlock"), str(files("scenarios") / "samples")
    gone = subprocess.run(f"{program} demo | head -1", shell=True, capture_output=True, check=False)
    assert gone.stderr == b""
    if Path("/dev/full").exists():
        for extra in ("", "--json"):
            command = f"{program} replay batch_era.jsonl {extra} > /dev/full"
            full = subprocess.run(command, shell=True, capture_output=True, cwd=samples, check=False)
            assert full.returncode == 2
            assert "cannot write the output" in one_line(full.stderr.decode())


def test_a_log_that_cannot_be_written_is_refused_before_anything_is_drawn(interlock, tmp_path) -> None:
    scenario = tmp_path / "turn.yaml"
    scenario.write_text("calls:\n  - {id: a}\n")
    folder = tmp_path / "no" / "such"
    log = folder / "place.jsonl"
    refused = f"interlock: --log {log}: cannot write it: there is no folder {folder}; choose another path\n"
    assert interlock("run", scenario, "--log", log) == (2, "", refused)
    assert "it is a folder" in one_line(interlock("run", scenario, "--log", tmp_path).err)
    assert "that file is read" in one_line(interlock("run", scenario, "--log", scenario).err)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("run turn.yaml --engine steaming", "got 'steaming'; did you mean 'streaming'?"),
        ("plot turn.yaml --kind gant -o a.svg", "'outcomes'; did you mean 'gantt'?"),
        ("explore turn.yaml --scheduler exaustive", "'sweep'; did you mean 'exhaustive'?"),
        ("run turn.yaml --seed x", "unable to parse string as an integer, got 'x';"),
        ("run session.jsonl", "; a recorded session is shown and judged by: interlock replay session.jsonl"),
        ("explore session.jsonl", "; a recorded session is shown and judged by: interlock replay session.jsonl"),
        ("replay turn.yaml", "; a scenario is played and judged by: interlock run turn.yaml"),
    ],
)
def test_what_was_probably_meant_is_said(interlock, tmp_path, monkeypatch, words: str, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("turn.yaml").write_text("calls:\n  - {id: a}\n")
    Path("session.jsonl").write_text('{"type": "user"}\n{"type": "assistant"}\n')
    ended = interlock(*words.split())
    assert ended.code == 2
    assert told in one_line(ended.err)


def test_a_reader_that_goes_away_loses_neither_the_log_nor_the_report(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("interlock")
    read, write = os.pipe()
    os.close(read)
    (tmp_path / "turn.yaml").write_text("calls:\n  - {id: a}\n")
    words = [program, "run", "turn.yaml", "--log", "turn.jsonl", "--html", "turn.html"]
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"interlock: wrote turn.html\n")
    assert len((tmp_path / "turn.jsonl").read_text().splitlines()) > 5
    assert "<html" in (tmp_path / "turn.html").read_text()


def test_an_unknown_option_and_a_missing_argument_end_with_two(interlock, tmp_path: Path) -> None:
    assert interlock("run", tmp_path / "x.yaml", "--engine", "steam").code == 2
    assert interlock("replay").code == 2
    assert interlock("frobnicate").code == 2
