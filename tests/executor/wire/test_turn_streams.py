"""A turn over a response as it comes from the wire (E13, W1–W7)."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from pydantic import TypeAdapter

from executor import Tool, ToolSet, Turn
from executor.events import Kind
from executor.wire.faults import StreamFailure
from executor.wire.messages import STOPPED
from executor.wire.stream import blocks
from sim import clock

ENGINES = ["streaming", "batch", "serial"]


async def wire(items: Iterable[Any], every_s: float = 0.0, fails: BaseException | None = None) -> AsyncIterator[Any]:
    """Give items, the first at once, the others one after the other."""
    for number, item in enumerate(items):
        if number and every_s:
            await asyncio.sleep(every_s)
        yield item
    if fails is not None:
        raise fails


def answer(call: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": content} | more


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_bytes_become_calls_and_the_messages_of_the_turn(shop, bench, engine, size) -> None:
    """W1, W7, B020: the assistant's message whole, the answer beside it, each result naming the message it answers."""
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    events = [
        *(bench.start("msg"), {"type": "ping"}, *bench.text(0, "Let me", " see.")),
        *(bench.opens(1, **use), bench.closes(1), bench.opens(2, type="web_search_tool_result", tool_use_id="s")),
        *(
            bench.closes(2),
            *bench.block(3, "a", '{"says":', '"A"}'),
            *bench.block(4, "b", '{"says": "B"}', name="Edit"),
        ),
        *bench.ends(),
    ]
    data = bench.sse(events)
    played = shop.play(attempts=[lambda: wire(bench.cut(data, size))], engine=engine)
    turn = played.turn
    assert turn.messages == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me see."},
                use,
                {"type": "web_search_tool_result", "tool_use_id": "s"},
                {"type": "tool_use", "id": "a", "name": "Read", "input": {"says": "A"}},
                {"type": "tool_use", "id": "b", "name": "Edit", "input": {"says": "B"}},
            ],
        },
        {"role": "user", "content": [answer("a", "A"), answer("b", "B")]},
    ]
    assert [result.message_id for result in played.results.values()] == ["msg", "msg"]
    assert (turn.ended, turn.stop_reason, turn.should_continue) == ("completed", "tool_use", True)
    assert turn.report.faults == ()


@pytest.mark.parametrize(
    ("start", "entered_ms"), [("block", (30, 60)), ("confirmed", (40, 70)), ("message_stop", (80, 80))]
)
def test_a_call_starts_while_the_rest_still_streams_when_its_start_says_so(bench, shop, start, entered_ms) -> None:
    """W5, E13: one event every 10 ms, as bytes."""
    events = [bench.start(), *bench.block(0, "a", "{}"), *bench.block(1, "b", "{}"), *bench.ends()]
    entered: list[int] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()

        def announce(kind: Kind, call: str | None, /, **detail: Any) -> None:
            if kind is Kind.ENTERED:
                entered.append(round(1000 * (loop.time() - begun)))

        turn = Turn(shop.tools, start=start, announce=announce)
        async for _ in turn.run(wire((bench.sse([event]) for event in events), 0.01)):
            pass

    clock.run(main())
    assert tuple(entered) == entered_ms


@pytest.mark.parametrize("engine", ENGINES)
def test_results_come_in_the_order_of_the_indexes_however_the_blocks_were_interleaved(shop, bench, engine) -> None:
    """W6, E6, B059."""
    events = [bench.start(), *bench.block(1, "b", "{}"), *bench.block(0, "a", "{}"), *bench.ends()]
    played = shop.play(attempts=[lambda: wire(events)], engine=engine)
    assert list(played.results) == ["a", "b"]
    assert [part["tool_use_id"] for part in played.turn.messages[1]["content"]] == ["a", "b"]


def test_an_input_that_is_no_object_is_answered_with_its_text_and_never_runs(bench) -> None:
    """W4, X1, B052, B054, B055: even if the tool's own validator would take anything."""
    ran: list[Any] = []

    async def body(handle: Any, given: Any) -> str:
        ran.append(given)
        return "ran"

    anything = Tool("Read", body, TypeAdapter(Any), concurrency_safe=True)
    texts = ['{"command":"rm -rf /tmp/scra', "[1]", '{"keywords": Dave}', "NaN"]
    cut = [event for index, text in enumerate(texts) for event in bench.block(index, f"t{index}", text)]

    async def main() -> Turn:
        turn = Turn(ToolSet([anything]))
        async for _ in turn.run(wire([bench.start(), *cut, *bench.ends()])):
            pass
        return turn

    turn = clock.run(main())
    assert ran == []
    assert [part["input"] for part in turn.messages[0]["content"]] == [{}] * 4
    told = [part["content"] for part in turn.messages[1]["content"]]
    assert told[0] == (
        "<tool_use_error>InputValidationError: the input breaks off, "
        'got {"INVALID_JSON": "{\\"command\\":\\"rm -rf /tmp/scra"}</tool_use_error>'
    )
    assert told[1] == (
        "<tool_use_error>InputValidationError: the input must be a JSON object, got [1]</tool_use_error>"
    )
    assert "Dave" in told[2]
    assert "NaN" in told[3]
    assert turn.should_continue


@pytest.mark.parametrize("engine", ENGINES)
def test_a_response_that_breaks_off_is_asked_for_again_and_nothing_of_it_is_kept(shop, bench, engine) -> None:
    """W3, A8, B012, B056, B057: by an error event, or by just ending."""
    broken = [bench.start("one"), *bench.text(0, "old"), *bench.block(1, "a", "{}")]
    good = [bench.start("three"), *bench.text(0, "new"), *bench.block(1, "c", "{}"), *bench.ends()]
    attempts = [
        partial(wire, [*broken, bench.error("overloaded_error")]),
        partial(wire, broken),
        partial(wire, good),
    ]
    played = shop.play(attempts=attempts, engine=engine)
    turn = played.turn
    assert (turn.ended, turn.failure, len(turn.discarded)) == ("completed", None, 2)
    assert [part.get("text", part.get("id")) for part in turn.messages[0]["content"]] == ["new", "c"]
    assert turn.messages[1]["content"] == [answer("c", "")]
    told = [event.detail["error"] for event in played.recorder.events if event.kind is Kind.RESPONSE_FAILED]
    assert told == [
        "overloaded_error: no (event 8)",
        "incomplete_stream: the stream ended before message_stop (event 7)",
    ]


def test_an_invalid_request_is_never_asked_again(shop, bench) -> None:
    """W3, B023."""
    attempts = [partial(wire, [bench.start(), bench.error("invalid_request_error")]), partial(wire, [])]
    played = shop.play(attempts=attempts)
    turn = played.turn
    assert isinstance(turn.failure, StreamFailure)
    assert (turn.ended, turn.failure.error_type) == ("failed", "invalid_request_error")
    assert (turn.messages, turn.stop_reason, turn.should_continue) == ([], None, False)
    assert len(turn.discarded) == 1


def test_a_cut_off_block_is_not_started_and_the_one_before_it_was(shop, bench) -> None:
    """B069, W3, W5: early start means that a response is no unit; with the batch rule nothing has run."""
    events = [
        bench.start(),
        *bench.block(0, "w1", "{}", name="Edit"),
        bench.opens(1, "w2", "Edit"),
        bench.grows(1, "{"),
    ]
    for engine, started in [("streaming", ["w1"]), ("batch", [])]:
        played = shop.play(attempts=[lambda: wire(events, 0.1)], engine=engine)
        assert [call for _, call in played.started_ms] == started
        assert [effect.call_id for effect in played.turn.discarded[0].effects] == started
        assert played.turn.messages == []


def test_a_turn_that_only_spoke_has_its_message_and_does_not_go_on(shop, bench) -> None:
    """W7."""
    played = shop.play(attempts=[lambda: wire([bench.start(), *bench.text(0, "Done."), *bench.ends("end_turn")])])
    content = [{"type": "text", "text": "Done."}]
    assert played.turn.messages == [{"role": "assistant", "content": content}]
    assert (played.turn.stop_reason, played.turn.should_continue) == ("end_turn", False)


def test_a_paused_turn_is_sent_back_as_it_is(shop, bench) -> None:
    """W7, B020: the loop goes on although nothing was answered; not if the user stopped it."""
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    events = [bench.start(), bench.opens(0, **use), bench.closes(0), *bench.ends("pause_turn")]
    played = shop.play(attempts=[lambda: wire(events)])
    assert played.turn.messages == [{"role": "assistant", "content": [use]}]
    assert played.turn.should_continue
    stopped = shop.play(attempts=[lambda: wire(events, 0.1)], acts=[(0.15, lambda turn: turn.stop())])
    assert not stopped.turn.should_continue


def test_after_a_stop_later_blocks_are_in_the_message_and_answered_and_a_marker_is_last(shop, bench) -> None:
    """W7, A7, B013, B083."""
    first = bench.block(0, "a", '{"takes": 9, "at_signal": "stops"}')
    events = [bench.start(), *first, *bench.block(1, "b", "{}"), *bench.ends()]
    played = shop.play(attempts=[lambda: wire(events, 0.1)], acts=[(0.35, lambda turn: turn.stop())])
    turn = played.turn
    assert [part["id"] for part in turn.messages[0]["content"]] == ["a", "b"]
    *results, marker = turn.messages[1]["content"]
    assert [part["tool_use_id"] for part in results] == ["a", "b"]
    assert marker == {"type": "text", "text": STOPPED}
    assert played.outcomes == {"a": "user_interrupted", "b": "user_interrupted"}
    assert not turn.should_continue


def test_faults_of_every_attempts_stream_are_in_the_report(shop, bench) -> None:
    """W6, E10: with number and index."""
    faulty = [bench.start(), bench.closes(7)]
    attempts = [partial(wire, faulty), partial(wire, [*faulty, *bench.block(0, "", "{}"), *bench.ends()])]
    played = shop.play(attempts=attempts)
    assert [fault.what for fault in played.turn.report.faults] == [
        "event 2, block 7: a stop without a start; it was left out",
        "event 2, block 7: a stop without a start; it was left out",
        "event 5, block 0: a tool_use without an id; it is called m_0",
    ]
    assert played.outcomes == {"m_0": "ok"}


def test_an_id_on_two_indexes_runs_once_and_is_answered_once(shop, bench) -> None:
    """B007, E11, W7."""
    events = [
        *bench.block(0, "dup", '{"says": "x"}', name="Bash"),
        *bench.block(1, "dup", '{"says": "x"}', name="Bash"),
    ]
    played = shop.play(attempts=[lambda: wire([bench.start(), *events, *bench.ends()])])
    assert len(played.started_ms) == 1
    assert [part["id"] for part in played.turn.messages[0]["content"]] == ["dup"]
    assert [part["tool_use_id"] for part in played.turn.messages[1]["content"]] == ["dup"]


def test_the_finished_message_after_its_stream_adds_nothing(shop, bench) -> None:
    """B067: a wrapper with the same call and an empty input, as some transports send it."""
    wrapper = {
        "type": "assistant",
        "message": {"content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]},
    }
    events = [bench.start(), *bench.block(0, "a", '{"says": "x"}'), wrapper, *bench.ends()]
    played = shop.play(attempts=[lambda: wire(events)])
    assert [result.content for result in played.results.values()] == ["x"]


@pytest.mark.parametrize("items", [[], [b""]])
def test_a_response_of_nothing_at_all_is_a_failure_where_it_is_known_to_be_a_stream(shop, items) -> None:
    """W3, B057: as bytes, or within ``blocks``; anything else has no blocks, which is no failure."""
    wrapped = shop.play(attempts=[lambda: blocks(wire(items))])
    assert (wrapped.turn.ended, str(wrapped.turn.failure)[:17]) == ("failed", "incomplete_stream")
    bare = shop.play(attempts=[lambda: wire(items)])
    assert bare.turn.ended == ("failed" if items else "completed")


def test_a_turn_that_is_left_closes_its_source(shop, bench) -> None:
    """E10."""
    closed: list[str] = []

    async def source() -> AsyncIterator[Any]:
        try:
            async for item in wire([bench.start(), *bench.block(0, "a", "{}"), *bench.ends()], 1.0):
                yield item
        finally:
            closed.append("source")

    async def main() -> None:
        turn = Turn(shop.tools)
        async with aclosing(turn.run(source())) as updates:
            async for _ in updates:
                break
        assert closed == ["source"]
        assert turn.ended == "left"

    clock.run(main())


def test_a_response_that_failed_is_closed_before_it_is_asked_for_again(shop, bench) -> None:
    """W3, E10: the failure was ours to see, so the connection is ours to close."""
    steps: list[str] = []

    async def failing() -> AsyncIterator[Any]:
        try:
            yield bench.start()
            yield bench.error("overloaded_error")
            await asyncio.sleep(1000)
        finally:
            steps.append("closed")

    first = failing()

    def again() -> AsyncIterator[Any]:
        steps.append("asked again")
        return wire([bench.start(), *bench.text(0, "Done."), *bench.ends("end_turn")])

    played = shop.play(attempts=[lambda: first, again])
    assert (steps, played.turn.ended) == (["closed", "asked again"], "completed")
