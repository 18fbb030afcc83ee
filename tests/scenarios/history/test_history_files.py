"""Files of histories: every form, the line of each block, and what is damaged."""

import json

import pytest

from scenarios.history import HistoryError
from scenarios.history.files import holds_messages, read_messages, write_histories

ASKED = {
    "role": "assistant",
    "content": [{"type": "text", "text": "a\nb"}, {"type": "tool_use", "id": "1", "name": "R", "input": {}}],
}
ANSWERED = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]}
PROMPT = {"role": "user", "content": "go"}


@pytest.fixture
def file(tmp_path):
    def write(text: str):
        path = tmp_path / "history.json"
        path.write_text(text, encoding="utf-8")
        assert holds_messages(path)
        return read_messages(path)

    return write


def test_a_list_of_messages_is_read_with_the_line_of_each_block(file) -> None:
    read = file(json.dumps([PROMPT, ASKED, ANSWERED], indent=1))
    (history,) = read.histories
    assert (read.form, history.messages, read.damage) == ("messages", [PROMPT, ASKED, ANSWERED], [])
    assert history.lines == [[4], [9, 13], [24]]


def test_a_request_body_keeps_what_stands_beside_its_messages(file) -> None:
    body = {"model": "m", "messages": [PROMPT, ASKED], "max_tokens": 9}
    read = file(json.dumps(body))
    (history,) = read.histories
    assert (read.form, history.messages, history.lines) == ("bodies", [PROMPT, ASKED], [[1], [1, 1]])
    assert json.loads(write_histories(read.form, [(history.messages, history.rest)])) == body


def test_one_response_is_a_history_of_one_message(file) -> None:
    response = {"id": "m", "type": "message", **ASKED}
    read = file(json.dumps(response, indent=2))
    assert (read.histories[0].messages, read.histories[0].lines) == ([response], [[6, 10]])


def test_messages_line_by_line_are_one_history(file) -> None:
    text = "".join(json.dumps(message) + "\n" for message in (PROMPT, ASKED, ANSWERED))
    read = file(text)
    (history,) = read.histories
    assert (read.form, history.lines) == ("message_lines", [[1], [2, 2], [3]])
    assert write_histories(read.form, [(history.messages, history.rest)]) == text


def test_bodies_line_by_line_are_a_history_each(file) -> None:
    bodies = [{"messages": [PROMPT]}, {"model": "m", "messages": [PROMPT, ASKED]}]
    text = "".join(json.dumps(body) + "\n" for body in bodies)
    read = file(text)
    assert [(history.messages, history.lines) for history in read.histories] == [
        ([PROMPT], [[1]]),
        ([PROMPT, ASKED], [[2], [2, 2]]),
    ]
    written = write_histories(read.form, [(history.messages, history.rest) for history in read.histories])
    assert [json.loads(line) for line in written.splitlines()] == bodies


def test_whole_lines_between_damaged_ones_are_read_and_the_damage_is_told(file) -> None:
    """B085, B088."""
    whole = [
        json.dumps(PROMPT),
        '{"role": "user", "con',
        "[7]",
        json.dumps(ASKED),
        '{"other": 1}',
        json.dumps(ANSWERED)[:30],
    ]
    read = file("\n".join(whole))
    assert read.histories[0].messages == [PROMPT, ASKED]
    assert read.histories[0].lines == [[1], [4, 4]]
    assert [damage.line for damage in read.damage] == [2, 3, 5, 6]
    assert read.damage[2].what == "neither a message nor a request body, skipped"


def test_a_byte_order_mark_and_keys_that_stand_twice_do_not_shift_the_lines(file) -> None:
    read = file('\ufeff\n{"messages": [],\n "messages": [\n{"role": "user", "content": "go"}]}')
    assert (read.histories[0].messages, read.histories[0].lines) == ([PROMPT], [[4]])


def test_messages_beside_bodies_are_refused(tmp_path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(f"{json.dumps({'messages': [PROMPT]})}\n{json.dumps(PROMPT)}\n")
    with pytest.raises(HistoryError, match="line 2: a message beside request bodies"):
        read_messages(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "[7]",
        '{"messages": []}',
        '{"type": "user", "message": {"role": "user"}}',
        '{"sessionId": 1, "messages": [{"type": "user"}]}',
    ],
)
def test_what_begins_with_no_message_is_left_to_other_readers(tmp_path, text) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert not holds_messages(path)
    assert not holds_messages(tmp_path)
    assert not holds_messages(tmp_path / "nowhere")
