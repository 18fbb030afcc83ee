"""Field cases of pairing: every call of the response is answered, once, in the next message (B002–B004, W7, P1)."""

import asyncio
from typing import Any

import pytest

from executor import Deny, PermissionRules, Question, ToolSet, tool
from executor.pipeline.synthetic import REJECTED
from executor.wire.messages import STOPPED

ENGINES = ["streaming", "batch"]


def answer(call: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": text} | more


@pytest.mark.parametrize("engine", ENGINES)
def test_the_only_call_of_a_turn_is_answered_when_the_user_stops_it_before_any_result(shop, engine) -> None:
    """B002, A6, A7: at the instant of the stop, as the body gives up at its signal."""
    only = shop.block("only", "Bash", command="make", takes=60.0, at_signal="stops")
    played = shop.play((0.0, only), ends_s=0.1, acts=[(0.2, lambda turn: turn.stop())], engine=engine)
    assert (played.outcomes, played.emitted_ms) == ({"only": "user_interrupted"}, [(200, "only")])
    [_, answered] = played.turn.messages
    assert answered["content"] == [answer("only", REJECTED, is_error=True), {"type": "text", "text": STOPPED}]


def test_a_refused_call_is_answered_beside_the_one_that_was_free_to_run(shop) -> None:
    """B003, H4: the refusal ends the turn; what had finished keeps its result."""

    @tool(name="Fetch", concurrency_safe=True, needs_permission=True)
    async def fetch() -> str:
        return "fetched"

    async def refuses(question: Question) -> Deny:
        await asyncio.sleep(0.5)
        return Deny()

    played = shop.play(
        (0.0, shop.block("free", takes=0.1, says="read")),
        (0.0, shop.block("guarded", "Fetch")),
        tools=ToolSet([*shop.tools, fetch]),
        can_use_tool=refuses,
        permissions=PermissionRules(allow=("Read",)),
    )
    assert played.outcomes == {"free": "ok", "guarded": "denied"}
    assert (played.started_ms, played.emitted_ms) == ([(0, "free")], [(100, "free"), (500, "guarded")])
    [_, answered] = played.turn.messages
    assert answered["content"] == [
        answer("free", "read"),
        answer("guarded", REJECTED, is_error=True),
        {"type": "text", "text": STOPPED},
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_in_the_middle_of_a_message_is_that_call_s_answer(shop, engine) -> None:
    """B004, X4: the others keep their own."""
    played = shop.play(
        (0.0, shop.block("c1", takes=0.3, says="one")),
        (0.0, shop.block("c2", takes=0.1, ends="raise", says="HTTP 403")),
        (0.0, shop.block("c3", takes=0.2, says="three")),
        engine=engine,
    )
    assert played.emitted_ms == [(300, "c1"), (300, "c2"), (300, "c3")]
    [_, answered] = played.turn.messages
    assert answered["content"] == [
        answer("c1", "one"),
        answer("c2", "HTTP 403", is_error=True),
        answer("c3", "three"),
    ]


def test_neighbouring_user_messages_may_be_merged_and_every_call_is_still_answered_once(shop) -> None:
    """B006, W7, E11: judged on the last form of the list, a repeated block and a stop in it."""
    blocks = [(0.0, shop.block("a", says="done")), (0.0, shop.block("a", says="done"))]
    stopped = shop.play(*blocks, (0.0, shop.block("b", takes=9.0)), acts=[(0.1, lambda turn: turn.stop())], grace_s=0.1)
    asked, answered = stopped.turn.messages
    merged = answered["content"] + [{"type": "text", "text": "go on, please"}]
    calls = [block["id"] for block in asked["content"]]
    assert [block.get("tool_use_id") for block in merged] == [*calls, None, None]
    assert calls == ["a", "b"]


@pytest.mark.parametrize("engine", [*ENGINES, "serial"])
@pytest.mark.parametrize("takes", [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1), (0.2, 0.3, 0.1)])
def test_the_messages_do_not_depend_on_the_order_in_which_calls_were_completed(shop, engine, takes) -> None:
    """B030, W7, E6: so a history that is built again from the calls is the one the model saw, to the byte."""
    timed = [(0.0, shop.block(call, takes=takes_s, says=call)) for call, takes_s in zip("abc", takes, strict=True)]
    played = shop.play(*timed, engine=engine, emission="eager")
    asked, answered = played.turn.messages
    assert [(block["type"], block["id"]) for block in asked["content"]] == [("tool_use", call) for call in "abc"]
    assert answered == {"role": "user", "content": [answer(call, call) for call in "abc"]}
