"""Field cases of calls side by side: who waits, who is stopped, whose result is whose (B031–B047)."""

import asyncio
import gc
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor import CallHandle, HookEvent, Hooks, ToolOutput, ToolSet, tool
from executor.events import Kind
from sim import clock

ENGINES = ["streaming", "batch"]


@pytest.mark.parametrize("engine", ENGINES)
def test_two_edits_of_one_file_both_arrive_in_it(shop, engine) -> None:
    """B031, S1: each reads at its start and writes at its end; the quick one waits for the slow one."""
    files = {"f.txt": "50 75"}

    @tool(name="Edit")
    async def edit(old: str, new: str, takes: float) -> str:
        text = files["f.txt"]
        await asyncio.sleep(takes)
        files["f.txt"] = text.replace(old, new)
        return "edited"

    played = shop.play(
        (0.0, shop.block("e1", "Edit", old="50", new="FIFTY", takes=0.3)),
        (0.0, shop.block("e2", "Edit", old="75", new="SEVENTY", takes=0.1)),
        tools=ToolSet([edit]),
        engine=engine,
    )
    assert files == {"f.txt": "FIFTY SEVENTY"}
    assert (played.started_ms, played.emitted_ms) == ([(0, "e1"), (300, "e2")], [(300, "e1"), (400, "e2")])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_write_waits_for_the_read_before_it_and_holds_back_the_one_behind_it(shop, engine) -> None:
    """B032, E3, E4."""
    played = shop.play(
        (0.0, shop.block("before", takes=0.2)),
        (0.0, shop.block("write", "Edit", takes=0.4)),
        (0.0, shop.block("behind", takes=0.1)),
        engine=engine,
    )
    assert played.started_ms == [(0, "before"), (200, "write"), (600, "behind")]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_loses_no_sibling_leaves_none_running_and_is_taken_care_of(shop, engine, caplog) -> None:
    """B036, X4, E10: asyncio has nothing to say of an exception that nobody looked at."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1, says="first")),
        (0.0, shop.block("b", takes=0.2, ends="raise", says="broken")),
        (0.0, shop.block("c", takes=0.3, says="third")),
        engine=engine,
    )
    assert played.outcomes == {"a": "ok", "b": "error", "c": "ok"}
    assert [result.content for result in played.results.values()] == ["first", "broken", "third"]
    assert played.emitted_ms == [(100, "a"), (200, "b"), (300, "c")]
    del played
    gc.collect()
    assert caplog.records == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cancelled_sibling_does_nothing_more(shop, engine) -> None:
    """B038, A2, A9: seen by its effect; under "any", the default never lets a cascade meet a running sibling."""
    ticks: list[float] = []

    @tool(name="Bash", concurrency_safe=True, cascades=True)
    async def bash(command: str) -> ToolOutput:
        loop = asyncio.get_running_loop()
        if command == "bad":
            await asyncio.sleep(0.12)
            return ToolOutput("bad", is_error=True)
        for _ in range(100):
            await asyncio.sleep(0.05)
            ticks.append(loop.time())
        return ToolOutput("ticked")

    played = shop.play(
        (0.0, shop.block("bad", "Bash", command="bad")),
        (0.0, shop.block("tick", "Bash", command="tick")),
        tools=ToolSet([bash]),
        engine=engine,
        cascade="any",
        grace_s=0.0,
        consume=lambda _: asyncio.sleep(1.0),
    )
    assert played.outcomes == {"bad": "error", "tick": "sibling_error"}
    assert ticks == [0.05, 0.1]
    assert played.recorder.events[-1].t_ns == clock.ns(2.12), "time went on, so it could have ticked"


CALLS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.1, 0.3]),
        st.sampled_from(["Read", "Edit", "Stubborn"]),
        st.sampled_from([0.0, 0.1, 0.5, 2.0]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=CALLS, second=CALLS, fails_s=st.sampled_from([0.1, 0.2, 0.6]), engine=st.sampled_from(ENGINES))
def test_every_result_is_its_own_call_s_and_none_comes_from_an_earlier_response(
    shop, first, second, fails_s, engine
) -> None:
    """B046, P5, A8: echoes; both responses use the same ids, and bodies of the first one end in the second's time."""

    async def echo(call: CallHandle, nonce: str, takes: float) -> str:
        await asyncio.sleep(takes)
        return f"{call.call_id}:{nonce}"

    async def stubborn(call: CallHandle, nonce: str, takes: float) -> str:
        await shop.resist(takes)
        return f"{call.call_id}:{nonce}"

    def response(nonce: str, calls: list[tuple[float, str, float]], fails: BaseException | None = None) -> partial:
        timed = [(at, shop.block(str(n), name, nonce=nonce, takes=takes)) for n, (at, name, takes) in enumerate(calls)]
        return partial(shop.response, *timed, ends_s=fails_s, fails=fails)

    played = shop.play(
        attempts=[response("first", first, OSError("cut")), response("second", second)],
        tools=ToolSet(
            [
                tool(name="Read", concurrency_safe=True)(echo),
                tool(name="Edit")(echo),
                tool(name="Stubborn", concurrency_safe=True)(stubborn),
            ]
        ),
        engine=engine,
        grace_s=0.1,
    )
    expected = [(str(n), f"{n}:second") for n in range(len(second))]
    [_, answered] = played.turn.messages
    assert [(part["tool_use_id"], part["content"]) for part in answered["content"]] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_three_calls_that_look_alike_keep_their_own_durations_results_and_hooks(shop, engine) -> None:
    """B047, X7: the id alone tells them apart, in the log, in hooks and in results."""
    durations_s = iter([3.0, 1.0, 2.0])
    heard: list[tuple[str, str]] = []

    @tool(name="Read", concurrency_safe=True)
    async def read(path: str) -> str:
        takes = next(durations_s)
        await asyncio.sleep(takes)
        return f"{takes:g} s"

    def hear(event: HookEvent) -> None:
        heard.append((event.stage, event.call_id))

    played = shop.play(
        *((0.0, shop.block(call, path="same.txt")) for call in "abc"),
        tools=ToolSet([read]),
        hooks=Hooks(pre=[hear], post=[hear]),
        engine=engine,
    )
    assert played.instants_ms(Kind.ENTERED) == [(0, "a"), (0, "b"), (0, "c")]
    assert played.instants_ms(Kind.LEFT) == [(1000, "b"), (2000, "c"), (3000, "a")]
    assert {call: result.content for call, result in played.results.items()} == {"a": "3 s", "b": "1 s", "c": "2 s"}
    assert heard == [("pre", "a"), ("pre", "b"), ("pre", "c"), ("post", "b"), ("post", "c"), ("post", "a")]
