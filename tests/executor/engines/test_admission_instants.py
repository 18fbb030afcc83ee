"""When calls start, to the nanosecond on the virtual clock (E1–E5, E11, X7)."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from executor import (
    Recorder,
    StreamingToolExecutor,
    ToolContext,
    ToolOutput,
    ToolSet,
    ToolUseBlock,
    Turn,
    make_executor,
    tool,
)
from executor.events import Kind
from sim import clock

ENGINES = ["streaming", "batch", "serial"]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_tool_is_answered_at_once_and_changes_nothing_for_the_others(shop, engine, place) -> None:
    """E1, B019, at every place: it starts nothing, blocks nothing, splits no batch, overtakes nothing."""
    known = [
        (0.0, shop.block("a", takes=0.2)),
        (0.0, shop.block("b", takes=0.2)),
        (0.0, shop.block("c", "Edit", takes=0.2)),
    ]
    without = shop.play(*known, engine=engine, max_concurrency=2)
    mixed = shop.play(*known[:place], (0.0, shop.block("u", "Grpe")), *known[place:], engine=engine, max_concurrency=2)
    assert mixed.started_ms == without.started_ms
    assert mixed.instants_ms(Kind.COMPLETED, outcome="unknown_tool") == [(0, "u")]
    order = ["a", "b", "c"]
    order.insert(place, "u")
    assert list(mixed.outcomes) == order
    assert mixed.outcomes["u"] == "unknown_tool"
    assert mixed.results["u"].content == "<tool_use_error>Error: No such tool available: Grpe</tool_use_error>"
    assert not mixed.results["u"].started
    if place == 0:
        assert (0, "u") in mixed.emitted_ms


@pytest.mark.parametrize("given", [None, [], "text", 3, {"takes": "long"}, {"takes": 1, "more": 2}, {"says": None}])
@pytest.mark.parametrize("engine", ENGINES)
def test_whatever_a_model_sends_becomes_a_call_with_a_result(shop, engine, given) -> None:
    """E1, X1, B054: invalid input never raises; it is exclusive, has no body and waits for its turn."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.2)),
        (0.0, ToolUseBlock("b", "Read", given)),
        (0.0, shop.block("c", takes=0.1)),
        engine=engine,
    )
    assert played.outcomes == {"a": "ok", "b": "invalid_input", "c": "ok"}
    assert played.results["b"].content.startswith("<tool_use_error>InputValidationError: ")
    assert not played.results["b"].started
    assert played.started_ms == [(0, "a"), (200, "c")]
    assert played.instants_ms(Kind.COMPLETED, outcome="invalid_input") == [(200, "b")]


def test_an_invalid_input_says_where_it_is_wrong_and_what_is_expected(shop) -> None:
    """X1."""
    played = shop.play((0.0, shop.block("a", takes="long", says=3)), (0.0, ToolUseBlock("b", "Read", [])))
    assert played.results["a"].summary == (
        "InputValidationError: "
        "takes: Input should be a valid number, unable to parse string as a number; "
        "says: Input should be a valid string"
    )
    assert played.results["b"].summary == "InputValidationError: input: Input should be a valid dictionary"


def _raises(value: int) -> int:
    raise KeyError("no such volume")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_validator_may_raise_anything_and_add_raises_nothing(shop, engine) -> None:
    """E1: pydantic hands on what is no ValueError."""

    @tool(concurrency_safe=True)
    async def read(volume: Annotated[int, AfterValidator(_raises)]) -> str:
        return str(volume)

    played = shop.play((0.0, ToolUseBlock("a", "read", {"volume": 1})), tools=ToolSet([read]), engine=engine)
    assert played.outcomes == {"a": "invalid_input"}
    assert played.results["a"].summary == "InputValidationError: 'no such volume'"


def _broken(given: Mapping[str, Any]) -> bool:
    raise RuntimeError("broken")


@pytest.mark.parametrize("classifier", [_broken, None, False, 1, lambda given: 0, lambda given: given["missing"]])
def test_a_call_whose_class_is_in_doubt_runs_alone(shop, classifier) -> None:
    """E2: fail closed."""

    @tool(name="Doubtful", concurrency_safe=classifier)
    async def doubtful() -> str:
        await asyncio.sleep(0.2)
        return ""

    played = shop.play(
        (0.0, shop.block("a", takes=0.2)),
        (0.0, shop.block("b", "Doubtful")),
        (0.0, shop.block("c", takes=0.2)),
        tools=ToolSet([*shop.tools, doubtful]),
    )
    assert played.started_ms == [(0, "a"), (200, "b"), (400, "c")]


def test_the_class_is_decided_once_at_arrival_by_the_validated_input(shop) -> None:
    """E2: a shell call that only lists runs beside reads, one that writes runs alone; the log tells which."""
    asked: list[str] = []

    @tool(name="Sh", concurrency_safe=lambda given: asked.append(given["command"]) or given["command"] == "ls")
    async def shell(command: str) -> str:
        await asyncio.sleep(0.2)
        return command

    played = shop.play(
        (0.0, ToolUseBlock("a", "Sh", {"command": "ls"})),
        (0.0, ToolUseBlock("b", "Sh", {"command": "ls"})),
        (0.1, ToolUseBlock("c", "Sh", {"command": "rm"})),
        (0.1, ToolUseBlock("d", "Sh", {"command": "ls"})),
        tools=ToolSet([shell]),
    )
    assert played.started_ms == [(0, "a"), (0, "b"), (200, "c"), (400, "d")]
    assert asked == ["ls", "ls", "rm", "ls"]
    told = {e.call: e.detail["safe"] for e in played.recorder.events if e.kind is Kind.BLOCK}
    assert told == {"a": True, "b": True, "c": False, "d": True}


@pytest.mark.parametrize("engine", ENGINES)
def test_both_engines_look_names_up_with_the_aliases_of_this_set(shop, engine) -> None:
    """E2, SPEC 12.9: streaming and batch answer alike."""
    played = shop.play((0.0, shop.block("a", "View", says="hi")), engine=engine)
    assert (played.outcomes, played.results["a"].tool) == ({"a": "ok"}, "View")
    fewer = ToolSet([known for known in shop.tools if known.name != "Read"])
    assert shop.play((0.0, shop.block("a", "View")), engine=engine, tools=fewer).outcomes == {"a": "unknown_tool"}


SEEDS = [(0.5, "Read"), (1.2, "Read"), (2.4, "Edit")]


@pytest.mark.parametrize(
    ("engine", "starts", "end_ms"),
    [
        ("streaming", [500, 1200, 2400], 2600),
        ("batch", [2500, 2500, 2700], 2900),
        ("serial", [2500, 2700, 2900], 3100),
    ],
)
def test_the_seeds_example_starts_and_ends_when_the_seeds_say(shop, engine, starts, end_ms) -> None:
    """E3, E5, Q1, E13: a stream of 2.5 s with three calls of 0.2 s, the last one exclusive."""
    timed = [(at_s, shop.block(str(at_s), name, takes=0.2)) for at_s, name in SEEDS]
    played = shop.play(*timed, ends_s=2.5, engine=engine)
    assert [at for at, _ in played.started_ms] == starts
    assert played.emitted_ms[-1] == (end_ms, "2.4")


@pytest.mark.parametrize(("engine", "end_ms"), [("streaming", 200), ("batch", 200), ("serial", 1000)])
def test_five_safe_calls_take_as_long_as_one_unless_they_run_one_by_one(shop, engine, end_ms) -> None:
    """E3, Q2."""
    played = shop.play(*((0.0, shop.block(call, takes=0.2)) for call in "abcde"), engine=engine)
    assert played.emitted_ms[-1] == (end_ms, "e")


def test_five_reads_inside_a_long_stream_leave_nothing_to_wait_for_at_its_end(shop) -> None:
    """E3: streaming."""
    timed = [(0.4 * n, shop.block(str(n), takes=0.2)) for n in range(5)]
    played = shop.play(*timed, ends_s=3.0)
    assert played.emitted_ms[-1] == (1800, "4")
    assert played.all_rows[-2:] == ["3000 response_ended 0", "3000 turn_ended completed"]


@pytest.mark.parametrize(
    ("limit", "starts"),
    [
        (1, [0, 300, 400, 600, 700]),
        (2, [0, 0, 100, 300, 300]),
        (3, [0, 0, 0, 100, 200]),
        (None, [0, 0, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("engine", ["streaming", "batch"])
def test_the_limit_is_never_passed_and_always_used_up(shop, engine, limit, starts) -> None:
    """E3, E5, Q2: the next starts in the instant in which one ends."""
    takes = [0.3, 0.1, 0.2, 0.1, 0.1]
    timed = [(0.0, shop.block(str(n), takes=takes_s)) for n, takes_s in enumerate(takes)]
    played = shop.play(*timed, engine=engine, max_concurrency=limit)
    assert [at for at, _ in played.started_ms] == starts


def test_no_call_overtakes_a_queued_one_even_if_it_could_run(shop) -> None:
    """E4."""
    played = shop.play(
        (0.0, shop.block("a", takes=1.0)),
        (0.1, shop.block("b", "Edit", takes=0.5)),
        (0.2, shop.block("c", takes=0.1)),
        (0.3, shop.block("d", "Edit", takes=0.1)),
        (1.7, shop.block("e", takes=0.1)),
    )
    assert played.started_ms == [(0, "a"), (1000, "b"), (1500, "c"), (1600, "d"), (1700, "e")]


def test_an_arrival_and_an_end_at_one_instant_start_the_call_in_that_instant(shop) -> None:
    """E5, A11."""
    played = shop.play((0.0, shop.block("a", "Edit", takes=0.3)), (0.3, shop.block("b", "Edit", takes=0.1)))
    assert played.started_ms == [(0, "a"), (300, "b")]


def test_an_end_has_all_its_consequences_before_a_block_of_the_same_instant_arrives(shop) -> None:
    """A11: settled, handed over, and the next one in its body."""
    played = shop.play(
        (0.0, shop.block("a", "Edit", takes=0.3)),
        (0.1, shop.block("b", "Edit", takes=0.2)),
        (0.3, shop.block("c")),
    )
    assert [row for row in played.all_rows if row.startswith("300 ")] == [
        "300 left a ok",
        "300 completed a ok",
        "300 admitted b",
        "300 entered b",
        "300 yielded a",
        "300 emitted a ok",
        "300 block c",
        "300 queued c",
        "300 response_ended 0",
    ]


def test_calls_that_take_no_time_run_one_after_the_other_in_one_instant(shop) -> None:
    """E5: exclusive ones too; none is skipped and the log shows them apart."""
    played = shop.play(*((0.0, shop.block(call, "Edit")) for call in "abc"))
    rows = [row for row in played.rows if " entered " in row or " left " in row]
    assert rows == [f"0 {what}" for call in "abc" for what in (f"entered {call}", f"left {call} ok")]


def test_the_whole_log_of_a_mixed_turn_is_exactly_this(shop) -> None:
    """E1–E7, E13: two reads, an edit behind them, an unknown tool."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.3)),
        (0.1, shop.block("b", takes=0.1, reports=[0.05])),
        (0.1, shop.block("c", "Edit", takes=0.1)),
        (0.2, shop.block("d", "Nope")),
        ends_s=0.25,
    )
    assert played.all_rows == [
        "0 response_started 0",
        "0 block a",
        "0 queued a",
        "0 admitted a",
        "0 entered a",
        "100 block b",
        "100 queued b",
        "100 admitted b",
        "100 entered b",
        "100 block c",
        "100 queued c",
        "150 progressed b 0",
        "150 emitted b progress 0",
        "200 block d",
        "200 queued d",
        "200 completed d unknown_tool",
        "200 left b ok",
        "200 completed b ok",
        "250 response_ended 0",
        "300 left a ok",
        "300 completed a ok",
        "300 admitted c",
        "300 entered c",
        "300 yielded a",
        "300 emitted a ok",
        "300 yielded b",
        "300 emitted b ok",
        "400 left c ok",
        "400 completed c ok",
        "400 yielded c",
        "400 emitted c ok",
        "400 yielded d",
        "400 emitted d unknown_tool",
        "400 turn_ended completed",
    ]


def with_executor(main, engine="streaming", tools=None, **more):
    """Run ``main(executor)`` on the virtual clock."""

    async def run() -> Any:
        async with make_executor(engine, tools, **more) as executor:
            return await main(executor)

    return clock.run(run())


def test_a_call_keeps_the_instants_of_its_life_apart(shop) -> None:
    """X7, B119."""

    async def main(executor: StreamingToolExecutor) -> Any:
        executor.add(shop.block("a", "Edit", takes=0.3))
        await asyncio.sleep(0.1)
        call = executor.add(shop.block("b", "Edit", takes=0.2))
        queued = executor.add(shop.block("c", "Edit"))
        await asyncio.sleep(0.9)
        assert [update.result.call_id for update in executor.completed_results()] == ["a", "b", "c"]
        assert queued.emitted_s == 1.0
        return call

    call = with_executor(main, tools=shop.tools)
    assert (call.arrived_s, call.admitted_s, call.body_started_s) == (0.1, 0.3, 0.3)
    assert (call.body_ended_s, call.settled_s, call.emitted_s) == (0.5, 0.5, 1.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_block_again_is_the_same_call_and_runs_once(shop, engine) -> None:
    """E11, S7."""

    async def main(executor: Any) -> Any:
        first = executor.add(shop.block("a", takes=0.1))
        again = executor.add(shop.block("a", takes=0.1))
        assert again is first
        return [update.result.call_id async for update in executor.remaining_results()], executor.report.faults

    recorder = Recorder()
    assert with_executor(main, engine, shop.tools, announce=recorder) == (["a"], ())
    recorder_rows = [event for event in recorder.events if event.kind in (Kind.BLOCK, Kind.ENTERED)]
    assert [shop.words(event) for event in recorder_rows] == ["0 block a", "0 entered a"]


@pytest.mark.parametrize(
    ("second", "fault"),
    [
        (("a", "Edit", {}), ("a", "the id came again with other content; the first block stays")),
        (("a", "Read", {"says": "other"}), ("a", "the id came again with other content; the first block stays")),
        (("", "Edit", {}), ("", "a Edit block came without an id; it was left out")),
        ((None, "Edit", {}), ("", "a Edit block came without an id; it was left out")),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_block_of_an_id_or_one_without_an_id_is_a_fault_and_never_runs(shop, engine, second, fault) -> None:
    """E11: the first stays."""

    async def main(executor: Any) -> Any:
        first = executor.add(shop.block("a", says="first"))
        again = executor.add(ToolUseBlock(*second))
        assert again is (first if second[0] else None)
        results = [(update.result.call_id, update.result.content) async for update in executor.remaining_results()]
        return results, [(told.call_id, told.what) for told in executor.report.faults]

    assert with_executor(main, engine, shop.tools) == ([("a", "first")], [fault])


def test_a_repeated_block_stands_once_in_the_messages_of_the_turn(shop) -> None:
    """E11, P2."""
    played = shop.play((0.0, shop.block("a")), (0.0, shop.block("a")), (0.0, ToolUseBlock("", "Read", {})))
    assert [block["id"] for block in played.turn.messages[0]["content"]] == ["a"]
    assert [block["tool_use_id"] for block in played.turn.messages[1]["content"]] == ["a"]
    assert len(played.turn.report.faults) == 1


def test_a_block_after_the_response_was_declared_complete_is_the_caller_s_mistake(shop) -> None:
    """E8."""

    async def main(executor: Any) -> None:
        executor.response_complete()
        with pytest.raises(
            RuntimeError, match="block 'a' came after the response was declared complete: add it before"
        ):
            executor.add(shop.block("a"))

    with_executor(main, tools=shop.tools)


def test_an_executor_is_made_where_a_loop_runs(shop) -> None:
    with pytest.raises(RuntimeError):
        StreamingToolExecutor(shop.tools)


def test_a_later_call_sees_what_earlier_exclusive_calls_changed_and_siblings_see_nothing(shop) -> None:
    """C2, C3: a safe call's change is seen from the next barrier on."""
    played = shop.play(
        (0.0, shop.block("a", sets={"a": 1}, takes=0.1)),
        (0.2, shop.block("b", shows="a")),
        (0.3, shop.block("c", "Edit", sets={"c": 3}, shows="a")),
        (0.4, shop.block("d", shows="a")),
        (0.4, shop.block("e", shows="c")),
    )
    assert {call: result.content for call, result in played.results.items()} == {
        "a": "",
        "b": "None",
        "c": "1",
        "d": "1",
        "e": "3",
    }
    assert played.turn.context == {"a": 1, "c": 3}
    seen = {e.call: e.detail.get("sees", {}) for e in played.recorder.events if e.kind is Kind.ENTERED}
    assert seen == {"a": {}, "b": {}, "c": {"a": 1}, "d": {"a": 1, "c": 3}, "e": {"a": 1, "c": 3}}
    assert [row for row in played.rows if "context" in row] == ["300 context a=1", "300 context a=1,c=3"]


def test_an_exclusive_call_that_cannot_run_is_a_barrier_all_the_same(shop) -> None:
    """C3: even if it is then denied, here for its input."""
    played = shop.play(
        (0.0, shop.block("a", sets={"a": 1})),
        (0.0, shop.block("b", "Edit", takes="?")),
        (0.0, shop.block("c", shows="a")),
    )
    assert played.results["c"].content == "1"


def test_the_end_of_the_turn_is_a_barrier_in_the_instant_in_which_its_last_call_settles(shop) -> None:
    """C3: before the last result goes out, so that its update carries the final context; not when the turn is left."""

    async def slowly(message: Any) -> None:
        await asyncio.sleep(1)

    played = shop.play((0.0, shop.block("a", sets={"a": 1}, takes=0.1)), consume=slowly)
    assert played.rows == [
        "0 entered a",
        "100 left a ok",
        "100 context a=1",
        "100 emitted a ok",
        "1100 turn_ended completed",
    ]


@pytest.mark.parametrize("ends", ["error", "raise", "cancelled"])
def test_only_calls_that_end_well_change_the_context(shop, ends) -> None:
    """C1."""
    played = shop.play((0.0, shop.block("a", "Edit", sets={"a": 1}, ends=ends)), (0.0, shop.block("b", shows="a")))
    assert (played.results["b"].content, dict(played.turn.context)) == ("None", {})


def test_a_context_is_handed_in_and_goes_out_with_each_update(shop) -> None:
    """C1, SPEC 1: an update carries the context as it stands after it."""

    @tool(name="Count")
    async def count() -> ToolOutput:
        return ToolOutput("", modifier=lambda context: context.updated(n=context["n"] + 1))

    async def main() -> list[int]:
        turn = Turn(ToolSet([count]), ToolContext(n=5))
        blocks = shop.response(*((0.1 * n, ToolUseBlock(str(n), "Count", {})) for n in range(3)))
        return [update.context["n"] async for update in turn.run(blocks)]

    assert clock.run(main()) == [6, 7, 8]


@pytest.mark.parametrize("strange", [None, 7, ["x"], {}, ""])
def test_an_id_or_a_name_that_is_no_text_is_told_and_raises_nothing(shop, strange) -> None:
    """E1, E11: whatever a model sends."""

    async def main(executor: Any) -> Any:
        assert executor.add(ToolUseBlock(strange, "Read", {})) is None
        executor.add(ToolUseBlock("a", strange, {}))
        return [update.result.outcome async for update in executor.remaining_results()], executor.report.faults

    outcomes, faults = with_executor(main, tools=shop.tools)
    assert outcomes == ["unknown_tool"]
    assert [fault.call_id for fault in faults] == [""]
