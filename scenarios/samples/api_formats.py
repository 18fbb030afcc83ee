"""Small recordings of what model APIs answer: streams, lines of events, recorded exchanges.

The rule: none has a time, and only recorded requests bring results.
"""

import json
from typing import Any

import yaml

from .story import CALLS, Json, events, lines


def messages_events(message: str, *calls: str) -> list[Json]:
    """Give the events of one streamed answer of the Messages API."""
    given: list[Json] = [{"type": "message_start", "message": {"id": message, "role": "assistant", "content": []}}]
    for index, (call, tool, asked, *_) in enumerate(one for one in CALLS if one[0] in calls):
        block = {"type": "tool_use", "id": call, "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(asked)}
        given += [
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    return [*given, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]


def cassette() -> bytes:
    """Two recorded exchanges with the Messages API; the second request brings the results of the first answer."""
    results = [
        {"type": "tool_result", "tool_use_id": call, "content": "…", "is_error": not well}
        for call, _, _, _, _, well in CALLS[:2]
    ]
    asked = [{"role": "user", "content": "go"}]
    then = [*asked, {"role": "assistant", "content": "…"}, {"role": "user", "content": results}]
    exchanges = [
        {
            "request": {"method": "POST", "body": json.dumps({"messages": said})},
            "response": {"status": {"code": 200}, "body": {"string": events(*messages_events(message, *calls))}},
        }
        for said, message, calls in ((asked, "m1", "ab"), (then, "m2", "c"))
    ]
    return yaml.safe_dump({"interactions": exchanges, "version": 1}, allow_unicode=True).encode()


def gemini_api() -> bytes:
    """Answers of the Gemini API, as its CLI records them."""

    def answer(*calls: Any) -> Json:
        parts = [{"functionCall": {"name": tool, "args": given}} for _, tool, given, *_ in calls]
        return {"method": "generateContentStream", "response": [{"candidates": [{"content": {"parts": parts}}]}]}

    return lines(answer(*CALLS[:2]), answer(CALLS[2]))


def openai_responses() -> bytes:
    """Streams of the OpenAI Responses API."""
    written: list[Json] = []
    for response, calls in (("r1", CALLS[:2]), ("r2", CALLS[2:])):
        written.append({"type": "response.created", "response": {"id": response}})
        for index, (call, tool, given, *_) in enumerate(calls):
            item = {"type": "function_call", "call_id": call, "name": tool, "arguments": json.dumps(given)}
            written.append({"type": "response.output_item.done", "output_index": index, "item": item})
        written.append({"type": "response.completed", "response": {"id": response, "output": []}})
    return events(*written).encode()


def openai_chat() -> bytes:
    """Streams of OpenAI Chat Completions."""

    def chunk(response: str, calls: list[Json], finish: str | None = None) -> Json:
        choice = {"index": 0, "delta": {"tool_calls": calls}, "finish_reason": finish}
        return {"id": response, "object": "chat.completion.chunk", "choices": [choice]}

    written = []
    for response, calls in (("r1", CALLS[:2]), ("r2", CALLS[2:])):
        for index, (call, tool, given, *_) in enumerate(calls):
            written.append(chunk(response, [{"index": index, "id": call, "function": {"name": tool, "arguments": ""}}]))
            written.append(chunk(response, [{"index": index, "function": {"arguments": json.dumps(given)}}]))
        written.append(chunk(response, [], "tool_calls"))
    return lines(*written)


def ai_sdk() -> str:
    """An AI SDK UI message stream: two steps, as events."""
    parts: list[Json] = [{"type": "start", "messageId": "m"}]
    for calls in (CALLS[:2], CALLS[2:]):
        parts.append({"type": "start-step"})
        for call, tool, given, *_ in calls:
            text = json.dumps(given)
            parts += [
                {"type": "tool-input-start", "toolCallId": call, "toolName": tool},
                {"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": text},
                {"type": "tool-input-available", "toolCallId": call, "toolName": tool, "input": given},
            ]
        for call, *_, well in calls:
            output = {"output": "…"} if well else {"errorText": "the tests fail"}
            parts.append({"type": f"tool-output-{'available' if well else 'error'}", "toolCallId": call} | output)
        parts.append({"type": "finish-step"})
    written = "".join(f"data: {json.dumps(part, ensure_ascii=False)}\n\n" for part in [*parts, {"type": "finish"}])
    return f"{written}data: [DONE]\n\n"
