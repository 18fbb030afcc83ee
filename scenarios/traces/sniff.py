"""Decide from a file's first records whether it is a Claude Code session transcript.

The rule: one record that only such a transcript has decides for it; otherwise the error names what was seen instead
and what can be read. Nothing here trusts a file's name.
"""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from .findings import Findings
from .lines import RecordReader
from .model import TraceError

READABLE: Final = "expected a Claude Code session transcript (.jsonl)"
"""The end of every refusal: what can be read."""

_LOOKED_AT: Final = 8 << 20
"""Bytes after which a file without one transcript record is given up."""

_MAGIC: Final = (
    (b"\x1f\x8b", "gzip data; decompress it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data; decompress it first"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"SQLite format 3\x00", "an SQLite database"),
)

_STREAM_JSON_TYPES: Final = ("stream_event", "result", "rate_limit_event", "control_request")

_OTHERS: Final[tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...]] = (
    ("stream-json output (claude -p and its like)", lambda record: _is_stream_json(record)),
    ("a Codex rollout", lambda record: {"timestamp", "type", "payload"} <= record.keys()),
    (
        "codex exec --json output",
        lambda record: record.get("type") in ("thread.started", "turn.started", "turn.failed"),
    ),
    ("Copilot CLI events", lambda record: "data" in record and str(record.get("type", "")).startswith("session.")),
    ("a Gemini CLI session", lambda record: {"sessionId", "messages"} <= record.keys()),
    ("recorded Gemini responses", lambda record: {"method", "response"} <= record.keys()),
    ("opencode output", lambda record: {"sessionID", "part"} <= record.keys()),
    ("pi agent events", lambda record: record.get("type") in ("agent_start", "session")),
    ("a Langfuse export", lambda record: {"trace", "observations"} <= record.keys()),
    ("an Inspect AI log", lambda record: "eval" in record and ("samples" in record or "version" in record)),
    ("an OpenHands record", lambda record: {"instance_id", "history"} <= record.keys()),
    ("a SWE-agent trajectory", lambda record: "trajectory" in record or "history" in record),
    ("a tau-bench result", lambda record: {"task_id", "reward"} <= record.keys() or "simulations" in record),
    ("Anthropic stream events", lambda record: record.get("type") == "message_start"),
    ("OpenAI stream events", lambda record: str(record.get("type", "")).startswith("response.") or "choices" in record),
    ("AI SDK stream events", lambda record: record.get("type") in ("start", "start-step")),
    ("an Interlock event log, which `interlock check` judges", lambda record: "log" in record),
)


def check_trace(path: str | Path) -> None:
    """Look into a file; :class:`TraceError` if it cannot be read at all or is no transcript.

    The error is one line: which file, what it is, and what can be read.
    """
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode):
            seen = _what_else(Path(path))
        else:
            seen = "a directory" if stat.S_ISDIR(mode) else "no regular file"
    except FileNotFoundError:
        seen = "no such file"
    except OSError as error:
        seen = f"cannot be read ({error.strerror})"
    except ValueError as error:
        seen = f"no path ({error})"
    if seen is not None:
        raise TraceError(f"{path}: {seen}; {READABLE}")


def is_transcript_record(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only a session transcript has."""
    kind = record.get("type")
    if not isinstance(kind, str) or _is_stream_json(record):
        return False
    if kind in ("user", "assistant"):
        return "message" in record
    if kind == "summary":
        return "leafUuid" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return "sessionId" in record and ("uuid" in record or "operation" in record or "leafUuid" in record)


def _is_stream_json(record: dict[str, Any]) -> bool:
    if record.get("type") in _STREAM_JSON_TYPES:
        return True
    return "session_id" in record and "sessionId" not in record


def _what_else(path: Path) -> str | None:
    """Say what the file is if it is no transcript; ``None`` if it is one."""
    with path.open("rb") as stream:
        head = stream.read(512)
        if not head:
            return "an empty file"
        for magic, name in _MAGIC:
            if head.startswith(magic):
                return name
        stream.seek(0)
        findings = Findings()
        reader = RecordReader(stream, findings)
        first: dict[str, Any] | None = None
        for record in reader:
            if is_transcript_record(record.value):
                return None
            first = first or record.value
            if _name_of(record.value) is not None:
                first = record.value
                break
            if reader.offset > _LOOKED_AT:
                break
    return _describe(first, findings, head)


def _name_of(record: dict[str, Any]) -> str | None:
    return next((name for name, fits in _OTHERS if fits(record)), None)


def _describe(first: dict[str, Any] | None, findings: Findings, head: bytes) -> str:
    if head.lstrip().startswith((b"event:", b"data:")):
        return "a server-sent event stream"
    if first is not None:
        name = _name_of(first)
        keys = ", ".join(ascii(key)[1:-1] for key in list(first)[:4])
        return f"this is {name}" if name else f"JSON, but no transcript: its first object has the keys {keys or 'none'}"
    if _is_binary(head):
        return "binary data, or text that is not UTF-8"
    if head.startswith(b"interactions:"):
        return "recorded HTTP interactions in YAML"
    if not findings.damage:
        return "nothing but white space"
    fault = findings.damage[0]
    return f"no whole JSON object in it; line {fault.line}: {fault.what}"


def _is_binary(head: bytes) -> bool:
    try:
        head[:-3].decode()
    except UnicodeDecodeError:
        return True
    return b"\x00" in head
