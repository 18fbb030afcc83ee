"""A safe call that a rewrite made exclusive: who waits for whom before their bodies (H8, C2, C3, S1, S2)."""

import asyncio
from typing import Any

import pytest

from executor import (
    Allow,
    Deny,
    HookEvent,
    Hooks,
    PermissionRules,
    ToolOutput,
    ToolSet,
    UpdatedInput,
    tool,
)
from executor.calls.body import CallHandle
from executor.engines.gate import Gate


async def act(
    call: CallHandle,
    takes: float = 0.0,
    hooked: float = 0.0,
    hard: bool = False,
    becomes: bool = False,
    sets: str = "",
    post: float = 0.0,
) -> Any:
    await asyncio.sleep(takes)
    modifier = (lambda context: context.updated(**{sets: call.call_id})) if sets else None
    return ToolOutput(" ".join(f"{name}={value}" for name, value in call.context.items()), modifier=modifier)


TOOLS = ToolSet(
    [
        tool(name="Act", concurrency_safe=lambda given: not given.get("hard"), interrupt="cancel")(act),
        tool(name="Edit")(act),
    ]
)


async def harden(event: HookEvent) -> UpdatedInput | None:
    await asyncio.sleep(event.input.get("hooked", 0.0))
    return UpdatedInput({**event.input, "hard": True}) if event.input.get("becomes") else None


async def linger(event: HookEvent) -> None:
    await asyncio.sleep(event.input.get("post", 0.0))


HOOKS = Hooks(pre=[harden], post=[linger])


def play(shop: Any, *calls: dict[str, Any], **options: Any) -> Any:
    """Play calls a, b, c, ...; ``at`` and ``tool`` of one are its own, the rest is its input."""
    blocks = []
    for name, given in zip("abcdefgh", calls, strict=False):
        own = dict(given)
        at_s, of_tool = own.pop("at", 0.0), own.pop("tool", "Act")
        blocks.append((at_s, shop.block(name, of_tool, **own)))
    return shop.play(*blocks, tools=TOOLS, **({"hooks": HOOKS} | options))


def spans(played: Any) -> dict[str, tuple[int, int]]:
    """When each body was entered and left, in milliseconds."""
    left = {call: ms for ms, call in played.instants_ms("left")}
    return {call: (ms, left[call]) for ms, call in played.started_ms}


BECOMES = {"hooked": 0.2, "becomes": True, "takes": 0.3}


def test_it_waits_until_all_earlier_calls_have_settled_and_no_body_runs(shop) -> None:
    """H8: the earlier one's post hook holds it too, the later one's body, not the later one's post hook."""
    played = play(shop, {"takes": 0.5, "post": 0.2}, BECOMES, {"takes": 0.4, "post": 2.0})
    assert spans(played) == {"a": (0, 500), "c": (0, 400), "b": (700, 1000)}
    assert played.emitted_ms == [(700, "a"), (1000, "b"), (2400, "c")]


def test_it_waits_for_the_end_of_a_later_body(shop) -> None:
    """H8: at that very instant, though the later call is not settled."""
    played = play(shop, {"takes": 0.1}, BECOMES, {"takes": 0.9, "post": 1.0})
    assert spans(played) == {"a": (0, 100), "c": (0, 900), "b": (900, 1200)}


def test_meanwhile_nothing_later_is_admitted(shop) -> None:
    """H8: neither safe nor exclusive; both in order once it is over."""
    played = play(shop, {"takes": 0.6}, BECOMES, {"at": 0.3, "takes": 0.1}, {"at": 0.4, "tool": "Edit"})
    assert spans(played) == {"a": (0, 600), "b": (600, 900), "c": (900, 1000), "d": (1000, 1000)}
    assert played.instants_ms("admitted") == [(0, "a"), (0, "b"), (900, "c"), (1000, "d")]


def test_admitted_calls_that_have_not_reached_their_body_wait_behind_it(shop) -> None:
    """H8: the slow hook of a later call ends while it waits, and while it runs."""
    played = play(shop, {"takes": 0.5}, BECOMES, {"hooked": 0.3}, {"hooked": 0.6}, {"hooked": 1.5})
    assert spans(played) == {"a": (0, 500), "b": (500, 800), "c": (800, 800), "d": (800, 800), "e": (1500, 1500)}


def test_several_go_in_request_order_without_a_deadlock(shop) -> None:
    """H8: whichever became exclusive first."""
    played = play(
        shop,
        {"takes": 0.5},
        {"hooked": 0.4, "becomes": True, "takes": 0.1},
        {"hooked": 0.1, "becomes": True, "takes": 0.1},
        {"hooked": 0.2, "becomes": True, "takes": 0.1},
    )
    assert spans(played) == {"a": (0, 500), "b": (500, 600), "c": (600, 700), "d": (700, 800)}


def test_one_alone_does_not_wait_at_all(shop) -> None:
    """H8, E5."""
    assert spans(play(shop, BECOMES, {"takes": 0.1, "at": 0.4})) == {"a": (200, 500), "b": (500, 600)}


def test_a_later_call_whose_task_has_not_begun_waits_too(shop) -> None:
    """H8: a hook that takes no time hardens the call before the next one's first step."""
    played = play(shop, {"becomes": True, "takes": 0.3}, {"tool": "Act", "takes": 0.1})
    assert spans(played) == {"a": (0, 300), "b": (300, 400)}


def test_a_rewrite_can_only_make_a_call_stricter(shop) -> None:
    """H8: an exclusive call stays exclusive, whatever its input becomes."""

    async def soften(event: HookEvent) -> UpdatedInput:
        return UpdatedInput({**event.input, "hard": False})

    played = play(shop, {"hard": True, "takes": 0.2}, {"takes": 0.1}, hooks=Hooks(pre=[soften]))
    assert spans(played) == {"a": (0, 200), "b": (200, 300)}


def test_an_input_that_comes_with_permission_hardens_a_call_as_well(shop) -> None:
    """H8."""

    async def answer(question: Any) -> Allow:
        await asyncio.sleep(0.2)
        return Allow({**question.input, "hard": True} if question.input.get("becomes") else None)

    played = play(
        shop, {"takes": 0.5}, {"becomes": True, "takes": 0.1}, {"takes": 0.1}, hooks=Hooks(), can_use_tool=answer
    )
    assert spans(played) == {"a": (200, 700), "b": (700, 800), "c": (800, 900)}


def test_one_that_is_denied_after_all_lets_the_others_in(shop) -> None:
    """H8: at once."""

    async def answer(question: Any) -> Any:
        await asyncio.sleep(0.4)
        return Deny("no", by_person=False)

    rules = PermissionRules(ask=("Act(x)",), allow=("Act",))

    @tool(name="Act", concurrency_safe=lambda given: "hard" not in given, subjects=lambda given: [given["command"]])
    async def body(command: str, hard: bool = True) -> str:
        return command

    async def rewrite(event: HookEvent) -> Any:
        return UpdatedInput({**event.input, "hard": True}) if event.input["command"] == "x" else None

    blocks = [(0.0, shop.block("a", "Act", command="x")), (0.0, shop.block("b", "Act", command="y"))]
    played = shop.play(
        *blocks, tools=ToolSet([body]), hooks=Hooks(pre=[rewrite]), can_use_tool=answer, permissions=rules
    )
    assert (played.outcomes, spans(played)) == ({"a": "denied", "b": "ok"}, {"b": (400, 400)})


def test_an_abort_while_it_waits_ends_the_wait_at_once(shop) -> None:
    """H6, H8: for it and for those behind it."""
    acts = [(0.4, lambda turn: turn.stop())]
    played = play(shop, {"takes": 9.0}, BECOMES, {"hooked": 0.3}, {"at": 0.3}, acts=acts, grace_s=0.0)
    assert played.rows == [
        "0 entered a",
        "400 stop",
        "400 signalled a user_interrupted",
        "400 left a cancelled",
        "400 emitted a user_interrupted",
        "400 emitted b user_interrupted",
        "400 emitted c user_interrupted",
        "400 emitted d user_interrupted",
        "400 turn_ended stopped",
    ]
    assert [result.started for result in played.results.values()] == [True, False, False, False]


def test_it_sees_the_changes_of_earlier_calls_and_later_ones_see_its_own(shop) -> None:
    """H8, C2, C3: a later safe call that ran before it keeps its change back until the end."""
    played = play(
        shop,
        {"takes": 0.5, "sets": "first"},
        BECOMES | {"sets": "second"},
        {"takes": 0.1, "sets": "third"},
        {"hooked": 0.4},
        {"at": 0.3},
    )
    contents = {call: result.content for call, result in played.results.items()}
    assert contents == {"a": "", "b": "first=a", "c": "", "d": "first=a second=b", "e": "first=a second=b"}
    assert dict(played.turn.context) == {"first": "a", "second": "b", "third": "c"}


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_every_engine_ends_with_the_same_results_and_context(shop, engine) -> None:
    """Q5, H8: all arrive at once, so nothing but the limit differs."""
    calls = [{"takes": 0.5, "sets": "x"}, BECOMES | {"sets": "y"}, {"hooked": 0.3, "sets": "z"}]
    played = play(shop, *calls, engine=engine)
    assert [result.content for result in played.results.values()] == ["", "x=a", "x=a y=b"]
    assert dict(played.turn.context) == {"x": "a", "y": "b", "z": "c"}


def test_under_eager_emission_results_pass_up_to_the_one_that_became_exclusive(shop) -> None:
    """E6: it counts as an executing exclusive call from then on."""
    played = play(shop, {"takes": 0.5}, BECOMES, {"takes": 0.1}, {"takes": 0.3}, emission="eager")
    assert played.emitted_ms == [(100, "c"), (500, "a"), (800, "b"), (800, "d")]


def test_a_tool_error_of_one_that_became_exclusive_cascades_as_an_exclusive_one(shop) -> None:
    """A2, H8: what counts is how the call ran."""

    @tool(name="Bash", concurrency_safe=lambda given: given["command"] == "ls", cascades=True)
    async def bash(command: str) -> str:
        raise OSError("exit status 2")

    async def rewrite(event: HookEvent) -> UpdatedInput | None:
        return UpdatedInput({"command": "make"}) if event.call_id == "a" else None

    blocks = [(0.0, shop.block("a", "Bash", command="ls")), (0.0, shop.block("b", "Bash", command="ls"))]
    played = shop.play(*blocks, tools=ToolSet([bash]), hooks=Hooks(pre=[rewrite]))
    assert played.outcomes == {"a": "error", "b": "sibling_error"}


def test_the_gate_by_itself() -> None:
    """H8, the rule: first come nobody's concern; then the earliest hardened one; the rest behind it."""
    gate = Gate()
    assert not gate.is_shut
    assert gate.lets_in(5, 0, bodies_run=True)
    gate.harden(4)
    gate.harden(2)
    assert gate.is_shut
    assert [gate.is_next(n) for n in range(6)] == [False, False, True, False, False, False]
    assert [gate.lets_in(n, 0, bodies_run=True) for n in range(6)] == [True, True, False, False, False, False]
    assert [gate.lets_in(n, 2, bodies_run=False) for n in (2, 3, 4, 5)] == [True, False, False, False]
    assert not gate.lets_in(2, 2, bodies_run=True)
    gate.is_over(2)
    assert [gate.lets_in(n, 3, bodies_run=False) for n in (3, 4, 5)] == [True, False, False]
    assert gate.lets_in(4, 4, bodies_run=False)
    gate.is_over(4)
    assert not gate.is_shut
