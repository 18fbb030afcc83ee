"""A turn's messages again, made of its log (B030).

The rule: the log stays in the order in which things happened, the messages are in the order of the requests, and both
are put together by the same code as in the turn itself.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from .calls.attachment import Attachment
from .calls.block import ToolUseBlock
from .calls.content import Content
from .calls.outcome import Outcome
from .calls.result import ToolResult
from .engines.core import ToolExecutor
from .events import Event, Kind, has_contents
from .wire.messages import assemble
from .wire.stream import BlockStream


def told_of(kept: ToolExecutor | None, stream: BlockStream | None, *, stopped: bool) -> dict[str, Any]:
    """Give for the end of a log what messages are made of beside calls and results.

    Args:
        kept: what ran the calls that the messages speak of; none do if the response failed.
        stream: the response, where it is kept.
        stopped: whether the user stopped the turn.
    """
    told: dict[str, Any] = {"asked": [call.id for call in kept.calls] if kept is not None else [], "stopped": stopped}
    message = stream.message if stream is not None else None
    return told if message is None else told | {"message": list(message["content"])}


def messages_of(header: Mapping[str, Any], events: Iterable[Event]) -> list[dict[str, Any]]:
    """Give the messages that a turn's log tells of, byte for byte those of ``Turn.messages`` at its end.

    A log that breaks off gives them as far as it goes.

    Args:
        header: the log's header.
        events: its rows.

    Raises:
        ValueError: the log was written without contents, or what it holds of one call or result is none.

    >>> from executor.events import load_lines
    >>> log = ['{"contents":true,"log":1}', '{"call":"a","input":{"path":"x"},"kind":"block","t":0,"tool":"read"}',
    ...        '{"call":"a","content":"text","kind":"completed","outcome":"ok","t":5}']
    >>> [message["content"][0]["type"] for message in messages_of(*load_lines(log))]
    ['tool_use', 'tool_result']
    """
    if not has_contents(header):
        raise ValueError("the log was written without contents; write it with Recorder(contents=True)")
    blocks: dict[str, ToolUseBlock] = {}
    results: dict[str, ToolResult] = {}
    last: Mapping[str, Any] = {}
    for event in events:
        if event.kind is Kind.RESPONSE_STARTED:
            blocks.clear()
            results.clear()
        elif event.kind is Kind.BLOCK and event.call is not None:
            blocks.setdefault(event.call, _block(event.call, event.detail))
        elif event.kind is Kind.COMPLETED and event.call in blocks:
            results[event.call] = _result(event.call, blocks[event.call].name, event.detail)
        elif event.kind is Kind.TURN_ENDED:
            last = event.detail
    asked = last.get("asked", list(blocks))
    message = {"content": last["message"]} if "message" in last else None
    kept = [blocks[call_id] for call_id in asked if call_id in blocks]
    return assemble(kept, results, message=message, stopped=last.get("stopped") is True)


def _block(call_id: str, told: Mapping[str, Any]) -> ToolUseBlock:
    return ToolUseBlock(call_id, str(told.get("tool")), told.get("input", {}), raw=told.get("raw"))


def _result(call_id: str, tool: str, told: Mapping[str, Any]) -> ToolResult:
    try:
        attachments = tuple(Attachment(kind, hook, _content(said)) for kind, hook, said in told.get("attachments", ()))
        return ToolResult(call_id, tool, Outcome(told["outcome"]), _content(told["content"]), attachments=attachments)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"call {call_id!r}: what the log tells of its result is none: {error}") from error


def _content(told: Any) -> Content:
    return told if isinstance(told, str) else tuple(dict(part) for part in told)
