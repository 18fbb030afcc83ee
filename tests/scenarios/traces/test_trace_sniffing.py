"""What is no recording is refused in one line that says what it is and what can be read (issue 2, bad input)."""

import gzip
from pathlib import Path

import pytest

from scenarios.traces import TraceError, read_trace, read_traces

NO_RECORDINGS = {
    b"": "an empty file",
    b"\n \n": "nothing but white space",
    b"\x7fELF\x02\x01\x01\x00\x00\x00\xff\xfe": "binary data, or text that is not UTF-8",
    b"caf\xe9, cr\xe8me\n": "binary data, or text that is not UTF-8",
    "hello".encode("utf-16"): "no whole JSON object in it; line 1: not JSON, skipped: 'hello'",
    gzip.compress(b"{}", mtime=0): "gzip data; decompress it first",
    b"# A heading\n": "no whole JSON object in it; line 1: not JSON, skipped: '# A heading'",
    b'{"name":"x","scripts":{}}\n': "no known format: its first object has the keys name, scripts",
    b"{}\n": "no known format: its first object has the keys none",
    b"42\n": "no whole JSON object in it; line 1: valid JSON, but a number where a record belongs, skipped",
}


@pytest.mark.parametrize("content", NO_RECORDINGS)
def test_a_file_that_is_no_recording_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(TraceError) as refusal:
        read_trace(path)
    assert str(refusal.value) == f"{path}: {NO_RECORDINGS[content]}; `interlock formats` lists what can be read"


def test_a_directory_and_a_missing_file_are_named_as_such(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r": a directory; `interlock formats` lists"):
        read_trace(tmp_path)
    with pytest.raises(TraceError, match=r": no such file; `interlock formats` lists"):
        read_trace(tmp_path / "none.jsonl")


def test_a_path_with_a_nul_character_is_no_path() -> None:
    with pytest.raises(TraceError, match=r"no path"):
        read_trace("a\0b")


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "locked.jsonl").write_text("{}")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TraceError, match=r"locked.jsonl: cannot be read \(Permission denied\)"):
        read_trace(tmp_path / "locked.jsonl")


FIRST_RECORDS = {
    b'{"type":"user","sessionId":"s","message":{}}': "claude_transcript",
    b'{"type":"system","subtype":"init","session_id":"s","tools":[]}': "claude_stream_json",
    b'{"type":"stream_event","event":{}}\n{"type":"assistant","message":{}}': "claude_stream_json",
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","content":[]}}': "anthropic_sse",
    b'{"type":"content_block_start","index":0,"content_block":{}}': "anthropic_sse",
    b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{}}': "codex_rollout",
    b'{"type":"thread.started","thread_id":"t"}': "codex_exec_json",
    b'{"log":1,"scenario":"x"}': "event_log",
    b'{"call":"a","kind":"block","t":0}': "event_log",
    b'{"type":"agent_start"}': "pi_agent",
    b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}': "pi_agent",
    b'data: {"type":"start","messageId":"m"}': "aisdk_ui_stream",
    b'[{"type":"start-step"}]': "aisdk_ui_stream",
    b'[{"task_id":0,"traj":[]}]': "tau_bench",
    b'{"timestamp":"2026-01-01T00:00:00","info":{},"tasks":[]}': "tau2_bench",
    b'{"id":"s","task_id":"1","termination_reason":"user_stop","ticks":[]}': "tau2_bench",
    b'{"type":"session.start","data":{},"id":"e","timestamp":"2026-01-01T00:00:00Z"}': "copilot_events",
}


@pytest.mark.parametrize("content", FIRST_RECORDS)
def test_a_source_is_known_by_its_first_record_whatever_the_file_is_called(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "recording.txt"
    path.write_bytes(content + b"\n")
    assert read_trace(path).format == FIRST_RECORDS[content]


def test_one_bad_file_among_several_does_not_end_the_reading(tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    good.write_text('{"type":"summary","summary":"x","leafUuid":"u"}\n')
    readers = read_traces([tmp_path / "none.jsonl", good])
    with pytest.raises(TraceError):
        next(readers)
    assert next(readers).path == good


def test_a_transcript_is_known_behind_damage_at_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"\x00" * 600 + b'{"type":"us\n{"type":"user","sessionId":"s","message":{"content":"hi"}}\n')
    reader = read_trace(path)
    assert list(reader) == []
    assert [damage.line for damage in reader.damage] == [1, 1]


def test_a_reader_gives_its_turns_once(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_text('{"type":"summary","summary":"x","leafUuid":"u"}\n')
    reader = read_trace(path)
    assert list(reader) == []
    with pytest.raises(RuntimeError, match=r"gives its turns once"):
        iter(reader)
