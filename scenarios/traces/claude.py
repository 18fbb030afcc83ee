"""Claude Code session transcripts: ``~/.claude/projects/*/*.jsonl``, versions 1.0 to 2.1.

The rule: each block and each result has a line of its own, stamped when it was there; ``messages`` sorts them.
"""

from typing import Any, Final

from .declaring import Facts, Format, estimated, told
from .messages import Sorter
from .stream_json import is_stream_json


def is_transcript_record(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only a session transcript has."""
    kind = record.get("type")
    if not isinstance(kind, str) or is_stream_json(record):
        return False
    if kind in ("user", "assistant"):
        return "message" in record
    if kind == "summary":
        return "leafUuid" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return "sessionId" in record and ("uuid" in record or "operation" in record or "leafUuid" in record)


CLAUDE_TRANSCRIPT: Final = Format(
    name="claude_transcript",
    title="Claude Code session transcripts",
    facts=Facts(
        arrival=told("the stamp of the block's line"),
        start=estimated("the schedule's rule; told by the PreToolUse hook's line where there are hooks"),
        end=told("the stamp of the result's line"),
        progress=told("progress lines"),
        error=told("is_error, and the result's text for the kind"),
        group=told("message.id, else requestId"),
    ),
    fits=is_transcript_record,
    collector=Sorter,
)
