"""Random damage to valid histories: whatever is wrong, the repair leaves nothing wrong and loses nothing."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scenarios.history import lint, open_calls, repair
from scenarios.history.files import holds_messages, read_messages

Message = dict[str, Any]

WORDS = st.sampled_from(["hello", "go on", "note"])


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@st.composite
def valid_histories(draw: st.DrawFn) -> list[Message]:
    """Prompts, responses with up to three calls, and answers with text behind the results; some end open."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            messages.append({"role": "user", "content": draw(WORDS)})
        calls = [f"c{turn}{n}" for n in range(draw(st.integers(0, 3)))]
        said = [text(words) for words in draw(st.lists(WORDS, max_size=1))]
        asked = [{"type": "tool_use", "id": call, "name": "Read", "input": {"path": call}} for call in calls]
        if said or asked:
            messages.append({"role": "assistant", "content": said + asked})
        results = [{"type": "tool_result", "tool_use_id": call, "content": f"of {call}"} for call in calls]
        behind = [text(words) for words in draw(st.lists(WORDS, max_size=1))]
        if results + behind:
            messages.append({"role": "user", "content": results + behind})
    if messages and messages[-1]["role"] == "user" and draw(st.booleans()):
        messages.pop()
    return messages


def blocks(messages: list[Message]) -> list[tuple[int, int]]:
    return [
        (n, k)
        for n, message in enumerate(messages)
        if isinstance(message["content"], list)
        for k in range(len(message["content"]))
    ]


@st.composite
def damaged_histories(draw: st.DrawFn) -> list[Message]:
    """Valid histories in which blocks and messages were lost, doubled, moved, parted, put under another role or id."""
    messages = draw(valid_histories())
    for _ in range(draw(st.integers(1, 4))):
        places = blocks(messages)
        if not places:
            break
        number, k = draw(st.sampled_from(places))
        content = messages[number]["content"]
        match draw(st.sampled_from(["lose", "double", "move", "part", "role", "id", "front", "message", "odd"])):
            case "lose":
                del content[k]
            case "double":
                content.insert(draw(st.integers(0, len(content))), deepcopy(content[k]))
            case "move":
                block = content.pop(k)
                other = draw(st.sampled_from([m for m in messages if isinstance(m["content"], list)]))["content"]
                other.insert(draw(st.integers(0, len(other))), block)
            case "part":
                messages.insert(number + 1, {**messages[number], "content": content[k:]})
                del content[k:]
            case "role":
                messages[number]["role"] = draw(st.sampled_from(["user", "assistant"]))
            case "id":
                key = "id" if content[k]["type"] == "tool_use" else "tool_use_id"
                content[k][key] = draw(st.sampled_from(["c00", "c01", "c10", "", None]))
            case "front":
                content.insert(0, text("before"))
            case "message":
                del messages[number]
            case "odd":
                content[k] = {"type": draw(st.sampled_from(["server_tool_use", "web_search_tool_result"])), "id": "c00"}
    return messages


@given(valid_histories())
def test_a_valid_history_has_no_fault_and_its_repair_is_the_identity(messages) -> None:
    """B016."""
    repaired = repair(messages)
    assert (lint(messages), repaired.deeds, repaired.messages) == ([], [], messages)
    assert all(one is other for one, other in zip(repaired.messages, messages, strict=True))


@given(damaged_histories(), st.sampled_from(["first", "last"]), st.booleans())
def test_a_repaired_history_is_valid_has_lost_nothing_and_repairing_it_again_does_nothing(
    messages, keep, close
) -> None:
    """P1, P2, P3, W7, B015, B016: each block is still there or was handed back, texts keep their order."""
    before = deepcopy(messages)
    repaired = repair(messages, keep=keep, close=close)
    assert messages == before
    assert lint(repaired.messages) == []
    assert bool(repaired.deeds) >= bool(lint(messages))
    assert not (close and open_calls(repaired.messages))
    left = [block for message in repaired.messages for block in content(message)]
    taken = [deed.taken for deed in repaired.deeds if deed.taken is not None]
    for message in messages:
        for block in content(message):
            assert any(same(block, other) for other in left + taken), block
    assert said(repaired.messages) == said(messages)
    again = repair(repaired.messages, keep=keep, close=close)
    assert (again.deeds, again.messages) == ([], repaired.messages)


@given(valid_histories(), st.data())
def test_a_damaged_file_loses_no_message_that_is_whole_and_is_valid_once_mended(
    tmp_path_factory, messages, data
) -> None:
    """B085-B088: lines are cut, torn, filled with NUL bytes or of another type."""
    lines = [json.dumps(message).encode() for message in messages]
    hurt = data.draw(st.sets(st.integers(0, max(0, len(lines) - 1)), max_size=2))
    for number in hurt & set(range(len(lines))):
        at = data.draw(st.integers(1, len(lines[number]) - 1))
        other = data.draw(st.sampled_from([b"", b"\x00" * 9, b"\xff", b"[1, 2]", b'{"type": "x"', b"\n"]))
        lines[number] = lines[number][:at] + other
    path: Path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_bytes(b"\n".join(lines))
    whole = [message for number, message in enumerate(messages) if number not in hurt]
    if not holds_messages(path):
        assert not whole
        return
    read = read_messages(path)
    (history,) = read.histories
    assert [message for message in history.messages if message in whole] == whole
    assert len(read.damage) >= len(messages) - len(history.messages)
    assert lint(repair(history.messages).messages) == []


def said(messages: list[Message]) -> list[str]:
    """What was said beside calls and results, a repair's own words left out."""
    texts = [block["text"] for message in messages for block in content(message) if block["type"] == "text"]
    return [words for words in texts if not words.startswith("[")]


def content(message: Message) -> list[dict[str, Any]]:
    return [text(message["content"])] if isinstance(message["content"], str) else message["content"]


def same(block: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two blocks are one, apart from the id that a repair may have changed."""
    ids = ("id", "tool_use_id")
    return {k: v for k, v in block.items() if k not in ids} == {k: v for k, v in other.items() if k not in ids}
