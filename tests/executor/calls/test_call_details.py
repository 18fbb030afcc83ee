"""Small promises of tools, results and channels: defaults, limits, and what stands where nothing was said."""

import asyncio
import functools
from typing import Any

import pytest

from executor import Outcome, ToolResult, tool
from executor.calls.content import content_of
from executor.listeners import guarded, wants_contents
from executor.pipeline.channel import Channel


def test_one_character_of_output_is_a_limit_like_any_other() -> None:
    """X6."""

    @tool(max_output=1)
    def act() -> None: ...

    assert (act.max_output, act.description) == (1, "")


def test_a_function_without_a_name_needs_one() -> None:
    """E2."""
    partial = functools.partial(print, "x")
    with pytest.raises(
        TypeError, match=r"^tool: expected a function with a name, got functools.partial\(.*\): declare"
    ):
        tool(partial)


def test_what_a_body_gives_back_is_json_even_where_json_does_not_know_the_number() -> None:
    """X6."""
    assert content_of([float("nan"), float("-inf"), 1.5, "ü"]) == '[null, null, 1.5, "ü"]'


def test_a_result_is_logged_with_attachments_only_where_it_has_some() -> None:
    """B030."""
    assert ToolResult("a", "Read", Outcome.OK, "text").told() == {"content": "text"}


def test_a_listener_gets_no_contents_unless_it_asks_for_them() -> None:
    """B030."""

    def listen(*told: Any, **detail: Any) -> None: ...

    class Curious:
        contents = True
        __call__ = staticmethod(listen)

    assert [wants_contents(guarded(each)) for each in (listen, Curious())] == [False, True]


def test_a_channel_says_why_it_cannot_be_read_again() -> None:
    """X3."""

    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        channel.push(1)
        channel.close()
        read = [item async for item in channel]
        with pytest.raises(RuntimeError, match=r"^this channel has been iterated already: it has one reader, once$"):
            aiter(channel)
        return read

    assert asyncio.run(main()) == [1]
