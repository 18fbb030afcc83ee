"""Output that a result may carry: its limit, its text, what a stopped body had given (X6, A10, B022, B072, B103)."""

import asyncio
import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor import CallHandle, Hooks, Message, ToolOutput, ToolSet, tool
from executor.calls.content import content_of
from executor.calls.output import Collected, fitted, sendable

IMAGE = {"type": "image", "source": {"data": "AAAA" * 100}}
CRAB = "\N{CRAB}"
MARK = "\N{REPLACEMENT CHARACTER}"


class Pair(NamedTuple):
    """What content may hold besides plain lists."""

    left: str
    right: str


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


@pytest.mark.parametrize(
    ("content", "limit", "expected"),
    [
        ("0123456789", 10, "0123456789"),
        ("0123456789", None, "0123456789"),
        ("0123456789a", 10, "0123456789\n[cut: 1 of 11 characters left out]"),
        (f"12345678{CRAB}{CRAB}{CRAB}", 10, f"12345678{CRAB}{CRAB}\n[cut: 1 of 11 characters left out]"),
        ((text("abc"), IMAGE, text("def")), 6, (text("abc"), IMAGE, text("def"))),
        (
            (text("abc"), IMAGE, text("def"), text("ghi")),
            4,
            (text("abc"), IMAGE, text("d"), text("[cut: 5 of 9 characters left out]")),
        ),
    ],
)
def test_output_is_cut_between_characters_and_says_how_much(content, limit, expected) -> None:
    """X6, B103: parts share one limit and stay one result (B022)."""
    assert fitted(content, limit) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain", "plain"),
        (f"{CRAB} naïve", f"{CRAB} naïve"),
        ("a\0b", f"a{MARK}b\n[replaced 1 character that cannot be sent: NUL or a lone surrogate]"),
        ("\ud83e\0", f"{MARK}{MARK}\n[replaced 2 characters that cannot be sent: NUL or a lone surrogate]"),
        ((text("a"), IMAGE), (text("a"), IMAGE)),
        (({"type": "x", "size": [3, 4.5, None, True]},), ({"type": "x", "size": [3, 4.5, None, True]},)),
        (
            ({"type": "x", "deep": Pair("\0", "b")},),
            (
                {"type": "x", "deep": (MARK, "b")},
                text("[replaced 1 character that cannot be sent: NUL or a lone surrogate]"),
            ),
        ),
        (
            (text("a\0"), {"type": "x", "deep": [{"\0": ("\udc80",)}]}),
            (
                text(f"a{MARK}"),
                {"type": "x", "deep": [{MARK: (MARK,)}]},
                text("[replaced 3 characters that cannot be sent: NUL or a lone surrogate]"),
            ),
        ),
    ],
)
def test_what_cannot_be_sent_is_replaced_and_said(content, expected) -> None:
    """X6, B103."""
    assert sendable(content) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"abc", "abc"),
        (CRAB.encode(), CRAB),
        (b"\xff\xfe\x80A", f"{MARK}{MARK}{MARK}A\n[not UTF-8: replaced 3 times]"),
        (MARK.encode() + b"\xff", f"{MARK}{MARK}\n[not UTF-8: replaced 1 times]"),
    ],
)
def test_bytes_are_read_as_utf_8_and_what_is_none_is_said(raw, expected) -> None:
    """X6, B103."""
    assert content_of(raw) == content_of(bytearray(raw)) == expected


@given(st.text(st.characters(codec=None, categories=None), max_size=30), st.integers(1, 20))
def test_whatever_a_tool_returns_its_result_can_be_sent(given: str, limit: int) -> None:
    """X6, B103: any code points, lone surrogates among them."""
    content = sendable(fitted(given, limit))
    assert isinstance(content, str)
    json.dumps(content, ensure_ascii=False).encode()
    assert "\0" not in content
    assert (content == given) is (len(given) <= limit and given == given.encode(errors="replace").decode()) or (
        "\0" in given
    )


def test_every_way_a_body_ends_goes_through_the_limit(shop) -> None:
    """X6: what it returns, what it raises; the tool's own limit counts more than the options'."""

    @tool(name="Own", max_output=5)
    async def own(fails: bool = False) -> str:
        if fails:
            raise OSError("abcdefgh")
        return "abcdefgh"

    @tool(name="Common")
    async def common() -> str:
        return "abcdefgh"

    blocks = [shop.block("a", "Own"), shop.block("b", "Own", fails=True), shop.block("c", "Common")]
    played = shop.play(*((0.0, block) for block in blocks), tools=ToolSet([own, common]), max_output=7)
    note = "\n[cut: {} of 8 characters left out]"
    assert [result.content for result in played.results.values()] == [
        "abcde" + note.format(3),
        "abcde" + note.format(3),
        "abcdefg" + note.format(1),
    ]


def test_texts_that_the_executor_writes_are_never_cut_but_always_sendable(shop) -> None:
    """X6, B103: an unknown tool's name is the model's text."""
    played = shop.play((0.0, shop.block("a", "No\0\ud83e")), max_output=1)
    assert played.results["a"].summary.startswith(f"Error: No such tool available: No{MARK}{MARK}\n[replaced 2")
    json.dumps(played.results["a"].to_block(), ensure_ascii=False).encode()


def test_what_hooks_leave_is_sendable_too(shop) -> None:
    """X6, W7."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[lambda event: Message("\0")]))
    assert str(played.results["a"].attachments[0].content).startswith(f"{MARK}\n[replaced 1")


def counting(**declared: Any) -> ToolSet:
    @tool(name="Bash", **declared)
    async def count(call: CallHandle, fails: bool = False) -> str:
        for n in range(1, 100):
            await asyncio.sleep(1.0)
            call.output(f"line {n}\n")
            if fails and n == 2:
                raise OSError("broke off")
        return "all"

    return ToolSet([count])


def test_output_of_a_stopped_body_is_kept_and_marked_partial(shop) -> None:
    """A10, B072: three lines in 3.5 s; each went out as progress at once (E7)."""
    played = shop.play(
        (0.0, shop.block("b", "Bash")), tools=counting(), acts=[(3.5, lambda turn: turn.stop())], grace_s=0.0
    )
    result = played.results["b"]
    assert result.outcome == "user_interrupted"
    assert str(result.content).endswith("Output before it was stopped (partial):\nline 1\nline 2\nline 3\n")
    assert [row for row in played.rows if "progress " in row] == [
        "1000 emitted b progress 0",
        "2000 emitted b progress 1",
        "3000 emitted b progress 2",
    ]


def test_output_of_a_timed_out_body_is_kept_within_its_limit(shop) -> None:
    """A10, X5, X6."""
    tools = counting(timeout_s=3.5, max_output=10)
    content = str(shop.play((0.0, shop.block("b", "Bash")), tools=tools, grace_s=0.0).results["b"].content)
    assert content.endswith("(partial):\nline 1\nlin\n[cut: 11 of 21 characters left out]")


def test_output_of_a_body_that_ended_by_itself_is_what_it_gave_back(shop) -> None:
    """A6, A10: also when it failed."""
    played = shop.play((0.0, shop.block("a", "Bash", fails=True)), (9.0, shop.block("b", "Bash")), tools=counting())
    assert [result.content for result in played.results.values()] == ["broke off", "all"]


def test_output_from_a_thread_is_taken_on_the_loop() -> None:
    """A10: by a real loop and a real thread."""
    from executor import StreamingToolExecutor, ToolUseBlock

    @tool(name="Slow", timeout_s=0.05)
    def slow(call: CallHandle) -> str:
        call.output("from a thread")
        waiting.wait(5.0)
        return "late"

    import threading

    waiting = threading.Event()

    async def main() -> Any:
        from executor import Options

        async with StreamingToolExecutor(ToolSet([slow]), options=Options(grace_s=0.02)) as executor:
            executor.add(ToolUseBlock("a", "Slow", {}))
            results = [u.result async for u in executor.remaining_results() if u.result is not None]
            waiting.set()
            return results

    [result] = asyncio.run(main())
    assert (result.outcome, result.abandoned) == ("timeout", True)
    assert str(result.content).endswith("(partial):\nfrom a thread")


def test_output_that_cannot_be_written_down_is_the_call_s_error(shop) -> None:
    """X4, A6: content that refers to itself must not leave the call unanswered; nor does it change the context (C1)."""

    @tool(name="Knot")
    async def knot() -> ToolOutput:
        part: dict[str, Any] = {"type": "text", "text": "x"}
        part["deep"] = part
        return ToolOutput([part], modifier=lambda context: context.updated(tied=True))

    played = shop.play((0.0, shop.block("a", "Knot")), tools=ToolSet([knot]))
    assert played.results["a"].summary.startswith("Error: the output cannot be written down: maximum recursion depth")
    assert dict(played.turn.context) == {}


def test_an_error_without_words_while_output_is_written_down_shows_its_type(shop) -> None:
    """X4."""

    class Locked(dict):  # type: ignore[type-arg]
        def items(self):  # type: ignore[no-untyped-def]
            raise LookupError

    @tool(name="Chest")
    async def chest() -> ToolOutput:
        return ToolOutput([{"type": "text", "text": "x", "deep": Locked()}])

    played = shop.play((0.0, shop.block("a", "Chest")), tools=ToolSet([chest]))
    assert played.results["a"].summary == "Error: the output cannot be written down: LookupError"


def test_a_piece_of_output_that_is_no_text_is_the_tool_s_error(shop) -> None:
    """A10, X4."""

    @tool(name="Bytes")
    async def raw(call: CallHandle) -> None:
        call.output(b"x")  # type: ignore[arg-type]

    played = shop.play((0.0, shop.block("a", "Bytes")), tools=ToolSet([raw]))
    assert played.results["a"].summary == "Error: output: expected text, got b'x'"


def test_collected_output_keeps_its_beginning() -> None:
    """A10: bounded, however much comes."""
    collected = Collected(5)
    for piece in ("abc", "def", "ghi"):
        collected.add(piece)
    assert collected.text == "abcde\n[cut: 4 of 9 characters left out]"
    unlimited = Collected(None)
    for piece in ("abc", "def"):
        unlimited.add(piece)
    assert unlimited.text == "abcdef"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_must_leave_room_for_something(limit) -> None:
    with pytest.raises(ValueError, match="tool Bash: max_output: expected a number from 1 on, got"):
        counting(max_output=limit)
