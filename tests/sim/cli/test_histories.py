"""``interlock check`` and ``interlock repair`` on histories."""

import io
import json
from importlib.resources import files
from pathlib import Path

import pytest

SAMPLES = Path(str(files("scenarios") / "samples"))
CALL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "A"}
TWICE = [
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT, {**RESULT, "content": "B"}]},
]


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def test_check_tells_each_fault_of_a_history_with_the_lines_and_places_of_its_ends(interlock, tmp_path) -> None:
    path = write(tmp_path / "history.json", TWICE)
    ended = interlock("check", path)
    assert (ended.code, ended.out.splitlines()) == (
        1,
        [
            f"{path}:23: P1: one more result of t1 than it has calls "
            "(result at messages[1].content[1], line 23; call at messages[0].content[0], line 5; "
            "counted result at messages[1].content[0], line 18)",
            "1 file judged, 1 with broken rules",
            "A history is judged by P1, P2, P3 and W7; it tells too little for the other rules.",
        ],
    )
    (row,) = json.loads(interlock("check", path, "--json").out)["files"]
    assert (row["format"], row["turns"], row["unanswered"], row["damage"]) == ("messages", 1, [], [])
    (violation,) = row["violations"]
    assert (violation["rule"], violation["kind"], violation["calls"]) == ("P1", "duplicate", ["t1"])
    assert violation["places"] == [
        {"what": "result", "line": 23, "message": 1, "block": 1},
        {"what": "call", "line": 5, "message": 0, "block": 0},
        {"what": "counted result", "line": 18, "message": 1, "block": 0},
    ]


def test_check_names_places_in_a_history_that_lies_on_one_line(interlock, tmp_path) -> None:
    path = tmp_path / "history.json"
    path.write_text(json.dumps([*TWICE[:1], {"role": "user", "content": "go on"}]), encoding="utf-8")
    ended = interlock("check", path)
    assert ended.out.splitlines()[0] == f"{path}:1: P1: t1 has no result (call at messages[0].content[0], line 1)"


def given_on_standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_check_reads_standard_input(interlock, tmp_path, monkeypatch) -> None:
    log = tmp_path / "log.jsonl"
    (tmp_path / "turn.yaml").write_text("calls: [{id: a}]", encoding="utf-8")
    assert interlock("run", tmp_path / "turn.yaml", "--log", log).code == 0
    told = "standard input:1: P1: t1 has no result (call at messages[0].content[0], line 1)"
    history = json.dumps([*TWICE[:1], {"role": "user", "content": "go on"}])
    for text, code, first in ((history, 1, told), (log.read_text(), 0, "1 file judged, 0 with broken rules")):
        given_on_standard_input(monkeypatch, text)
        ended = interlock("check", "-")
        assert (ended.code, ended.out.splitlines()[0], ended.err) == (code, first, "")


def test_what_cannot_be_judged_on_standard_input_is_told_by_that_name(interlock, monkeypatch) -> None:
    given_on_standard_input(monkeypatch, "")
    ended = interlock("check", "-")
    told = "interlock: standard input: an empty file; `interlock formats` lists what can be read\n"
    assert (ended.code, ended.err) == (2, told)


def test_check_gives_the_line_alone_where_each_message_has_its_own(interlock, tmp_path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in TWICE), encoding="utf-8")
    ended = interlock("check", path)
    told = "one more result of t1 than it has calls (result on line 2; call on line 1; counted result on line 2)"
    assert ended.out.splitlines()[0] == f"{path}:2: P1: {told}"


def test_an_id_that_is_a_number_is_shown(interlock, tmp_path) -> None:
    """P2."""
    path = write(tmp_path / "history.json", [{"role": "assistant", "content": [{**CALL, "id": 5}]}])
    ended = interlock("check", path)
    assert ended.code == 1
    assert "P2: a call whose id is no text, but 5 (call at messages[0].content[0], line 5)" in ended.out


def test_an_empty_history_breaks_no_rule(interlock, tmp_path) -> None:
    ended = interlock("check", write(tmp_path / "history.json", []))
    assert (ended.code, ended.out.splitlines()[0]) == (0, "1 file judged, 0 with broken rules")


@pytest.mark.parametrize("command", ["check", "replay"])
def test_a_scenario_given_for_a_history_or_a_recording_is_told_where_to_go(interlock, tmp_path, command) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text("calls: [{id: a}]")
    ended = interlock(command, path)
    assert ended.code == 2
    assert ended.err.endswith(f"; a scenario is played and judged by: interlock run {path}\n")


def test_check_tells_the_calls_that_a_history_ends_with(interlock, tmp_path) -> None:
    path = write(tmp_path / "history.json", {"messages": TWICE[:1]})
    ended = interlock("check", path)
    assert ended.code == 0
    assert "t1 is unanswered, for the file ends there" in ended.out


def test_check_refuses_a_history_of_another_api_in_one_line(interlock, tmp_path) -> None:
    """B021."""
    calls = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}]
    path = write(tmp_path / "chat.json", calls)
    out = tmp_path / "out.json"
    told = f"interlock: {path}: messages[1].tool_calls: of another API; in the Messages API calls are tool_use blocks\n"
    assert interlock("check", path) == (2, "0 files judged, 0 with broken rules\n", told)
    assert interlock("repair", path, "-o", out) == (2, "", told)
    assert not out.exists()


def test_repair_writes_a_valid_history_and_tells_what_it_did(interlock, tmp_path) -> None:
    path, out = write(tmp_path / "history.json", TWICE), tmp_path / "valid.json"
    ended = interlock("repair", path, "-o", out, "--keep", "last")
    assert (ended.code, ended.out.splitlines()) == (
        0,
        [
            f"{path}:18: one more result of t1, taken out; that at messages[1].content[1] is kept",
            f"1 change; {out} is valid",
        ],
    )
    assert json.loads(out.read_text()) == [TWICE[0], {"role": "user", "content": [{**RESULT, "content": "B"}]}]
    assert interlock("check", out).code == 0


def test_repair_gives_its_documented_json_with_what_was_taken_out(interlock, tmp_path) -> None:
    path, out = write(tmp_path / "history.json", TWICE), tmp_path / "valid.json"
    ended = interlock("repair", path, "-o", out, "--json")
    what = "one more result of t1, taken out; that at messages[1].content[0] is kept"
    assert json.loads(ended.out) == {
        "file": str(path),
        "out": str(out),
        "deeds": [{"line": 23, "what": what, "taken": {**RESULT, "content": "B"}}],
        "damage": [],
    }


def test_repair_answers_the_last_calls_when_asked_to(interlock, tmp_path) -> None:
    path, out = write(tmp_path / "history.json", {"model": "m", "messages": TWICE[:1]}), tmp_path / "valid.json"
    assert interlock("repair", path, "-o", out).out == f"0 changes; {out} is valid\n"
    interlock("repair", path, "-o", out, "--close")
    body = json.loads(out.read_text())
    assert (body["model"], [part["tool_use_id"] for part in body["messages"][1]["content"]]) == ("m", ["t1"])


def test_repair_makes_messages_of_a_session_one_body_for_each_conversation(interlock, tmp_path) -> None:
    """B097."""
    out = tmp_path / "valid.jsonl"
    ended = interlock("repair", SAMPLES / "sub_agents_and_refusal.jsonl", "-o", out)
    assert (ended.code, ended.out) == (0, f"0 changes; {out} is valid\n")
    bodies = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(bodies) > 1
    assert [body.get("agent") is None for body in bodies] == [True] + [False] * (len(bodies) - 1)
    assert interlock("check", out).code == 0


def test_repair_does_not_write_over_its_input_and_refuses_what_is_no_history(interlock, tmp_path) -> None:
    path = write(tmp_path / "history.json", TWICE)
    ended = interlock("repair", path, "-o", path)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert json.loads(path.read_text()) == TWICE
    for other in (write(tmp_path / "other.json", {"some": "object"}), tmp_path / "nowhere", tmp_path):
        ended = interlock("repair", other, "-o", tmp_path / "out.json")
        assert (ended.code, len(ended.err.splitlines())) == (2, 1)
        assert ended.err.startswith(f"interlock: {other}: ")


def test_repair_says_in_one_line_where_it_cannot_write(interlock, tmp_path) -> None:
    path = write(tmp_path / "history.json", TWICE)
    ended = interlock("repair", path, "-o", tmp_path / "no" / "folder.json")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)


def test_check_says_what_a_recording_without_whole_messages_is_judged_by(interlock, tmp_path) -> None:
    """P1, P2."""
    path = tmp_path / "rollout.jsonl"
    lines = [
        {"type": "session_meta", "payload": {"id": "x"}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "ok"}},
    ]
    stamped = (json.dumps({"timestamp": "2026-01-05T10:00:00Z", **line}) + "\n" for line in lines)
    path.write_text("".join(stamped), encoding="utf-8")
    ended = interlock("check", path)
    assert (ended.code, ended.out.splitlines()[-1]) == (
        0,
        "A recording without whole messages is judged by P1 and P2 alone.",
    )
    refused = interlock("repair", path, "-o", tmp_path / "out.json")
    assert refused.code == 2
    assert "this is codex_rollout; a history is read from messages, or from " in refused.err
