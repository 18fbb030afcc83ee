"""What events say besides their kind and instant, and what is left of a call once it is over (X7, X8, A4, A8, A9)."""

import asyncio
import gc
import weakref
from typing import Annotated, Any

from pydantic import AfterValidator

from executor import (
    Background,
    BatchToolExecutor,
    CallHandle,
    Deny,
    HookEvent,
    Hooks,
    Options,
    Question,
    Recorder,
    StreamingToolExecutor,
    ToolContext,
    ToolOutput,
    ToolSet,
    ToolUseBlock,
    Turn,
    UpdatedInput,
    tool,
)
from executor.engines import stopping
from executor.events import Kind
from sim import clock


def told(played: Any, kind: Kind) -> list[tuple[str | None, dict[str, Any]]]:
    """Whose and what each event of a kind was."""
    return [(event.call, dict(event.detail)) for event in played.recorder.events if event.kind is kind]


def test_a_given_up_attempt_tells_what_it_takes_back_and_what_may_have_happened(shop) -> None:
    """A8: withdrawn are results that were handed on, effects exclusive calls whose body had begun."""
    blocks = [(0.0, shop.block("a")), (0.0, shop.block("b", "Edit", takes=1.0)), (0.0, shop.block("c", "Edit"))]
    played = shop.play(
        attempts=[
            lambda _attempt=0: shop.response(*blocks, ends_s=0.5, fails=OSError("broke off")),
            lambda _attempt=0: shop.response((0.0, shop.block("d"))),
        ]
    )
    assert told(played, Kind.DISCARD) == [(None, {"attempt": 0, "withdrawn": ["a"], "effects": ["b"]})]


def test_a_tool_that_ends_the_turn_is_told_apart_from_a_person(shop) -> None:
    """A4."""
    played = shop.play((0.0, shop.block("a", ends="abort")))
    assert told(played, Kind.REFUSED) == [("a", {"by": "tool"})]


def test_a_call_that_became_exclusive_is_named_and_is_no_longer_safe(shop) -> None:
    """H8."""

    async def harden(event: HookEvent) -> UpdatedInput:
        return UpdatedInput({**event.input, "command": "rm x"})

    recorder = Recorder()

    async def main() -> list[tuple[bool, bool]]:
        options = Options(hooks=Hooks(pre=[harden]))
        async with StreamingToolExecutor(shop.tools, options=options, announce=recorder) as running:
            running.add(shop.block("a", "Bash", command="ls"))
            await anext(running.remaining_results())
            return [(call.safe, call.was_exclusive) for call in running.calls]

    assert clock.run(main()) == [(False, True)]
    assert [event.call for event in recorder.events if event.kind is Kind.HARDENED] == ["a"]


def test_a_body_is_told_with_the_context_it_sees_where_there_is_one(shop) -> None:
    """C1."""
    played = shop.play((0.0, shop.block("a", "Edit", sets={"cwd": "/src"})), (0.0, shop.block("b")))
    assert told(played, Kind.ENTERED) == [("a", {}), ("b", {"sees": {"cwd": "/src"}})]


def test_how_a_body_ended_is_told_whatever_its_result_says(shop) -> None:
    """A12, X4: a body that raises a cancellation nobody asked for was not stopped by anybody."""
    ends = {"a": "ok", "b": "error", "c": "raise", "d": "cancelled"}
    played = shop.play(*((0.0, shop.block(call, ends=how)) for call, how in ends.items()))
    assert told(played, Kind.LEFT) == [
        ("a", {"ended": "ok"}),
        ("b", {"ended": "error"}),
        ("c", {"ended": "raised"}),
        ("d", {"ended": "cancelled"}),
    ]


def test_work_that_goes_on_is_told_detached_or_not(shop) -> None:
    """X8."""

    async def begin(detached: bool) -> Background:
        return Background("goes on", asyncio.sleep(1.0), detached)

    tools = ToolSet([tool(name="Begin")(begin)])
    played = shop.play(
        (0.0, shop.block("a", "Begin", detached=False)), (0.0, shop.block("b", "Begin", detached=True)), tools=tools,
        ends_s=2.0,
    )  # fmt: skip
    assert told(played, Kind.LEFT) == [("a", {"ended": "background"}), ("b", {"ended": "background", "detached": True})]


def test_work_that_fails_without_a_word_is_a_fault_of_its_call_by_the_name_of_its_error(shop) -> None:
    """X8."""

    async def fail() -> None:
        raise LookupError

    async def begin() -> Background:
        return Background("goes on", fail())

    played = shop.play((0.0, shop.block("a", "Begin")), tools=ToolSet([tool(name="Begin")(begin)]), ends_s=1.0)
    faults = [(fault.call_id, fault.what) for fault in played.turn.report.faults]
    assert faults == [("a", "its background work failed: LookupError")]


def test_output_is_progress_that_carries_its_text_and_the_context(shop) -> None:
    """A10, E7."""

    async def speak(call: CallHandle) -> str:
        call.output("half a line")
        return "done"

    async def main() -> list[Any]:
        turn = Turn(ToolSet([tool(name="Speak")(speak)]), context=ToolContext(cwd="/src"))
        return [
            (update.message, update.context)
            async for update in turn.run(shop.response((0.0, shop.block("a", "Speak"))))
        ]

    (progress, context), (_, after) = clock.run(main())
    assert (progress.call_id, progress.n, progress.data) == ("a", 0, "half a line")
    assert context == after == ToolContext(cwd="/src")


def test_the_calls_of_a_batch_are_admitted_when_the_response_is_complete(shop) -> None:
    """X7, Q1."""

    async def main() -> list[float | None]:
        loop = asyncio.get_running_loop()
        start_s = loop.time()
        async with BatchToolExecutor(shop.tools) as running:
            running.add(shop.block("a", takes=1.0))
            await asyncio.sleep(0.5)
            async for _ in running.remaining_results():
                pass
            return [round(call.admitted_s - start_s, 3) for call in running.calls if call.admitted_s is not None]

    assert clock.run(main()) == [0.5]


def test_a_call_held_up_by_background_work_is_admitted_when_that_ends(shop) -> None:
    """X7, X8."""

    async def begin() -> Background:
        return Background("goes on", asyncio.sleep(1.0))

    async def main() -> list[float | None]:
        start_s = asyncio.get_running_loop().time()
        async with StreamingToolExecutor(ToolSet([tool(name="Begin")(begin), *shop.tools])) as running:
            running.add(shop.block("a", "Begin"))
            running.add(shop.block("b"))
            async for _ in running.remaining_results():
                pass
            return [round(call.admitted_s - start_s, 3) for call in running.calls if call.admitted_s is not None]

    assert clock.run(main()) == [0.0, 1.0]


def test_only_what_was_handed_on_or_has_ended_is_a_result(shop) -> None:
    """P1: a call that still runs has none, one that waits for its turn is unclaimed."""

    async def main() -> Any:
        async with StreamingToolExecutor(shop.tools) as running:
            for call, takes in (("a", 2.0), ("b", 1.0), ("c", 9.0)):
                running.add(shop.block(call, takes=takes))
            await asyncio.sleep(1.5)
            early = [list(running.results(unclaimed=unclaimed)) for unclaimed in (False, True)]
            await running.wait()
            taken = [update.message.call_id for update in running.completed_results()]
            return early, taken, [list(running.results(unclaimed=unclaimed)) for unclaimed in (False, True)]

    assert clock.run(main()) == ([[], ["b"]], ["a", "b"], [["a", "b"], ["a", "b"]])


def test_an_owner_cancelled_twice_hurries_every_call_and_not_only_those_before_one_in_its_last_grace(
    shop,
) -> None:
    """E10, A9."""

    async def resist() -> None:
        await shop.resist(30.0)

    tools = ToolSet([tool(name="Resist", concurrency_safe=True, timeout_s=1.0)(resist), *shop.tools])
    recorder = Recorder()

    async def own() -> None:
        async with StreamingToolExecutor(tools, options=Options(grace_s=10.0), announce=recorder) as running:
            running.add(ToolUseBlock("a", "Resist", {}))
            running.add(shop.block("b", takes=90.0))
            await asyncio.sleep(60.0)

    async def main() -> None:
        owner = asyncio.create_task(own())
        await asyncio.sleep(12.5)
        owner.cancel()
        await asyncio.sleep(0.5)
        owner.cancel()
        await asyncio.wait([owner])
        await asyncio.sleep(60.0)

    clock.run(main())
    ends_s = {event.call: event.t_ns / 1e9 for event in recorder.events if event.kind is Kind.COMPLETED}
    # The first was cancelled at 11 s, by its deadline and its grace, and is in its last grace when the owner is
    # cancelled for the second time, which cancels the other.
    assert ends_s == {"a": 21.0, "b": 13.0}


def test_what_was_abandoned_is_kept_alive_until_it_ends_and_no_longer(shop) -> None:
    """A9, B076: a hook and a body that resist; a task that nobody holds may vanish in mid-run."""
    ended: list[str] = []

    async def hook(event: HookEvent) -> None:
        if event.call_id == "a":
            await shop.resist(5.0)
            ended.append("hook")

    async def body() -> None:
        await shop.resist(5.0)
        ended.append("body")

    tools = ToolSet([tool(name="Resist", concurrency_safe=True)(body)])

    async def main() -> tuple[set[Any], set[Any], list[str]]:
        options = Options(grace_s=0.5, hooks=Hooks(pre=[hook]))
        running = StreamingToolExecutor(tools, options=options)
        async with running:
            running.add(ToolUseBlock("a", "Resist", {}))
            running.add(ToolUseBlock("b", "Resist", {}))
            await asyncio.sleep(1.0)
        held = set(running.report.abandoned)
        assert len(stopping._ABANDONED) == 2
        gone = weakref.ref(running)
        del running
        gc.collect()
        await asyncio.sleep(10.0)
        gc.collect()
        return held, set(stopping._ABANDONED), ended if gone() is None else ["the executor is kept"]

    held, left, ends = clock.run(main())
    assert held == {"a: hook hook", "b"}
    assert sorted(ends) == ["body", "hook"]
    assert left == set()


def test_a_block_is_told_with_what_is_known_of_it_at_its_arrival(shop) -> None:
    """X7, E2: its place and attempt, whether tool and input are good, its class, whether anything stands before it."""

    def allow(event: HookEvent) -> None:
        pass

    blocks = [shop.block("a"), shop.block("b", "Nope"), shop.block("c", takes="long"), shop.block("d", "Edit")]
    asked = [
        lambda _attempt=0: shop.response((0.0, blocks[0]), ends_s=0.1, fails=OSError("broke off")),
        lambda _attempt=0: shop.response(*((0.0, block) for block in blocks)),
    ]
    first = {"tool": "Read", "index": 0, "attempt": 0, "known": True, "valid": True, "safe": True}
    second = [
        first | {"attempt": 1},
        {"tool": "Nope", "index": 1, "attempt": 1, "known": False, "valid": False, "safe": False},
        {"tool": "Read", "index": 2, "attempt": 1, "known": True, "valid": False, "safe": False},
        {"tool": "Edit", "index": 3, "attempt": 1, "known": True, "valid": True, "safe": False},
    ]
    calls = zip("aabcd", [first, *second], strict=True)
    assert told(shop.play(attempts=asked), Kind.BLOCK) == list(calls)
    guarded = shop.play((0.0, blocks[0]), hooks=Hooks(pre=[allow]))
    assert told(guarded, Kind.BLOCK) == [("a", first | {"gated": True})]


def test_a_person_that_ends_the_turn_is_told_apart_from_a_tool(shop) -> None:
    """A4, H4."""

    async def refuse(question: Question) -> Deny:
        return Deny("no", by_person=True)

    played = shop.play((0.0, shop.block("a")), can_use_tool=refuse)
    assert told(played, Kind.REFUSED) == [("a", {"by": "person"})]


def test_a_modifier_that_raises_is_a_fault_of_the_turn(shop) -> None:
    """C1."""

    def break_off(context: ToolContext) -> ToolContext:
        raise LookupError("no such name")

    async def act() -> ToolOutput:
        return ToolOutput("done", modifier=break_off)

    played = shop.play((0.0, shop.block("a", "Act")), tools=ToolSet([tool(name="Act")(act)]))
    assert played.outcomes == {"a": "ok"}
    assert [fault.what for fault in played.turn.report.faults] == [
        "a context modifier raised LookupError('no such name'); it changed nothing"
    ]


def test_a_question_that_cannot_be_taken_back_is_left_after_the_grace_and_reported(shop) -> None:
    """H6, A9, E10: the call does not wait for it."""

    async def think(question: Question) -> None:
        await shop.resist(3.0)

    played = shop.play((0.0, shop.block("a")), can_use_tool=think, grace_s=0.5, acts=[(1.0, Turn.stop)])
    assert played.emitted_ms == [(1500, "a")]
    assert played.outcomes == {"a": "user_interrupted"}
    assert played.turn.report.abandoned == ("a: question",)


def test_however_many_calls_end_within_one_pass_each_ends_once(shop) -> None:
    """E5, A11: what settles while calls are being started starts nothing of its own, it is the same pass."""
    invalid = [(0.0, shop.block(f"c{n}", takes="long")) for n in range(2_000)]
    played = shop.play((0.0, shop.block("first", "Edit", takes=1.0)), *invalid, (0.0, shop.block("last", takes=1.0)))
    outcomes = played.outcomes
    assert list(outcomes) == ["first", *(f"c{n}" for n in range(2_000)), "last"]
    assert [outcomes["first"], outcomes["c0"], outcomes["c1999"], outcomes["last"]] == [
        *("ok", "invalid_input", "invalid_input", "ok")
    ]
    assert played.started_ms == [(0, "first"), (1000, "last")]


def test_input_that_does_not_fit_is_answered_with_the_place_and_what_is_wrong(shop) -> None:
    """X1."""

    def refuse(value: Any) -> Any:
        raise LookupError

    async def act(items: list[int], odd: Annotated[int, AfterValidator(refuse)] = 0) -> str:
        return "done"

    tools = ToolSet([tool(name="Act")(act)])
    played = shop.play(
        (0.0, shop.block("a", "Act", items=[1, "x"])), (0.0, shop.block("b", "Act", items=[], odd=1)), tools=tools
    )
    texts = [played.results[call].content for call in ("a", "b")]
    assert texts == [
        "<tool_use_error>InputValidationError: items.1: Input should be a valid integer, unable to parse string as an "
        "integer</tool_use_error>",
        "<tool_use_error>InputValidationError: LookupError</tool_use_error>",
    ]
