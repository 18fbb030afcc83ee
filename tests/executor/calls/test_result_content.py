"""What a body gives back, as a result's content, and the result as a content block."""

import dataclasses
import datetime
from typing import Any

import pytest

from executor import Outcome, Progress, ToolContext, ToolResult, Update
from executor.calls.content import content_of


@dataclasses.dataclass
class Found:
    path: str
    lines: list[int]


TEXT = {"type": "text", "text": "hi"}
IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        ("", ""),
        (None, ""),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "\N{REPLACEMENT CHARACTER}\n[not UTF-8: replaced 1 times]"),
        (bytearray(b"ab"), "ab"),
        (0, "0"),
        (False, "false"),
        (1.5, "1.5"),
        ([], "[]"),
        ([1, "a", None], '[1, "a", null]'),
        ({"naïve": {"b": [1]}}, '{"naïve": {"b": [1]}}'),
        (("a", "b"), '["a", "b"]'),
        (Found("a.ts", [1, 2]), '{"path": "a.ts", "lines": [1, 2]}'),
        (datetime.date(2024, 2, 29), '"2024-02-29"'),
        (Outcome.OK, "ok"),
        ([TEXT, IMAGE], (TEXT, IMAGE)),
        ((TEXT,), (TEXT,)),
        ([TEXT, "loose"], '[{"type": "text", "text": "hi"}, "loose"]'),
        ([{"text": "no type"}], '[{"text": "no type"}]'),
    ],
)
def test_a_value_becomes_text_unless_it_is_content_parts(value: Any, content: Any) -> None:
    """X4, B022: content parts of one call stay inside its one result."""
    assert content_of(value) == content


def test_a_value_that_json_cannot_hold_is_shown_as_python_shows_it() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "<odd>"

    assert content_of({"what": Odd()}) == '{"what": "<odd>"}'


def test_content_parts_are_copied_so_that_a_tool_cannot_change_its_result_afterwards() -> None:
    """A6: the first final outcome wins."""
    part = dict(TEXT)
    content = content_of([part])
    part["text"] = "changed"
    assert content == (TEXT,)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_but_ok_is_told_to_the_model_as_an_error(outcome: Outcome) -> None:
    """W7: the result names the call it answers."""
    block = ToolResult("a", "Read", outcome, "text").to_block()
    expected: dict[str, Any] = {"type": "tool_result", "tool_use_id": "a", "content": "text"}
    assert block == (expected if outcome is Outcome.OK else expected | {"is_error": True})


def test_content_parts_are_written_as_a_list_inside_the_one_result() -> None:
    """B022."""
    assert ToolResult("a", "Read", Outcome.OK, (TEXT, IMAGE)).to_block()["content"] == [TEXT, IMAGE]


def test_an_update_is_either_a_result_or_progress() -> None:
    result, progress = ToolResult("a", "Read", Outcome.OK, ""), Progress("a", 0, "half")
    context = ToolContext(a=1)
    assert (Update(result, context).result, Update(result, context).progress) == (result, None)
    assert (Update(progress, context).result, Update(progress, context).progress) == (None, progress)
