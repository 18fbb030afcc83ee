"""Read and write files of histories: lists of messages, request bodies, one response, JSON lines of them.

The rule: what is whole is read whatever stands beside it, what is damaged is told with its line.
"""

import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..traces.encodings import as_utf8
from ..traces.findings import Findings
from ..traces.lines import Record, RecordReader
from ..traces.model import Damage
from .blocks import HistoryError, Message
from .model import Form, History, HistoryFile
from .positions import Lines, elements, member


def holds_messages(path: Path) -> bool:
    """Whether a file's first whole object is a message or a request body of the Messages API, or one much like it.

    An empty list is a history too: one in which nothing has been said yet.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as stream:
            findings = Findings()
            first = next(iter(RecordReader(as_utf8(stream, findings.damage), findings)), None)
        if first is None:
            return path.read_bytes().strip() == b"[]"
    except OSError:
        return False
    return _is_message(first.value) or _is_body(first.value)


def read_messages(path: Path) -> HistoryFile:
    """Read a file that :func:`holds_messages`.

    Raises:
        HistoryError: nothing in it is a message.
    """
    damage: list[Damage] = []
    try:
        with path.open("rb") as stream:
            text = as_utf8(stream, damage).read().decode("utf-8-sig")
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _of_lines(path)
    lines = Lines(text)
    start = len(text) - len(text.lstrip())
    if isinstance(value, list):
        return HistoryFile("messages", [_in_text(value, {}, text, start, lines)], damage)
    if _is_body(value):
        at = member(text, start, "messages")
        assert at is not None, "a body has messages"
        rest = {key: held for key, held in value.items() if key != "messages"}
        return HistoryFile("bodies", [_in_text(value["messages"], rest, text, at, lines)], damage)
    return HistoryFile("messages", [History([value], [_lines_of(text, start, lines)])], damage)


def write_histories(form: Form, histories: Sequence[tuple[Sequence[Message], dict[str, Any]]]) -> str:
    """Write histories, each with what stands beside it, in the form of the file they came from; sessions as bodies."""
    if form == "messages":
        return json.dumps(histories[0][0], ensure_ascii=False, indent=2) + "\n"
    if form == "message_lines":
        return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in histories[0][0])
    bodies = [{**rest, "messages": list(messages)} for messages, rest in histories]
    if len(bodies) == 1:
        return json.dumps(bodies[0], ensure_ascii=False, indent=2) + "\n"
    return "".join(json.dumps(body, ensure_ascii=False) + "\n" for body in bodies)


def _in_text(messages: list[Any], rest: dict[str, Any], text: str, at: int, lines: Lines) -> History:
    return History(messages, [_lines_of(text, begins, lines) for begins in elements(text, at)], rest=rest)


def _lines_of(text: str, at: int, lines: Lines) -> list[int]:
    """Give the line of each block of the message that begins at an offset."""
    content = member(text, at, "content") if text[at] == "{" else None
    if content is None or text[content] != "[":
        return [lines.at(at if content is None else content)]
    return [lines.at(block) for block in elements(text, content)]


def _of_lines(path: Path) -> HistoryFile:
    findings = Findings()
    bodies: list[History] = []
    messages: list[Record] = []
    with path.open("rb") as stream:
        for record in RecordReader(as_utf8(stream, findings.damage), findings):
            value = record.value
            if _is_body(value):
                rest = {key: held for key, held in value.items() if key != "messages"}
                held = [[record.line] * _size(message) for message in value["messages"]]
                bodies.append(History(value["messages"], held, rest=rest))
            elif _is_message(value):
                messages.append(record)
            else:
                what = "neither a message nor a request body, skipped"
                findings.damage.append(Damage(record.line, record.offset, what))
    if messages and bodies:
        raise HistoryError(f"line {messages[0].line}: a message beside request bodies; give each its own file")
    if bodies:
        return HistoryFile("bodies", bodies, findings.damage)
    history = History([one.value for one in messages], [[one.line] * _size(one.value) for one in messages])
    return HistoryFile("message_lines", [history], findings.damage)


def _size(message: Any) -> int:
    content = message.get("content") if isinstance(message, dict) else None
    return len(content) if isinstance(content, list) else 1


def _is_message(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str)


def _is_body(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    return isinstance(messages, list) and any(isinstance(one, dict) and _is_message(one) for one in messages)
