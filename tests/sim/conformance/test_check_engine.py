"""An executor's examination: what holds, what is broken and where, what cannot be seen."""

import asyncio

from scenarios import Scenario, dump, loads
from sim import OwnStage, check, check_engine, from_coroutine, from_turn, simulate
from sim.conformance.shrinking import simplest
from sim.conformance.suite import random_turns_for

TURNS = 60


async def careless(stage: OwnStage) -> None:
    """All at once, results as they come: the one that everybody writes first."""

    async def one(block):
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])


async def one_by_one(stage: OwnStage) -> None:
    async for block in stage.blocks():
        stage.emit(await stage.call(block))


async def bounded(stage: OwnStage) -> None:
    """A semaphore keeps the limit; results wait for their turn, but nobody asks for the class of a call."""
    slots = asyncio.Semaphore(stage.options.max_concurrency or 1_000)

    async def one(block):
        async with slots:
            return await stage.call(block)

    for task in [asyncio.create_task(one(block)) async for block in stage.blocks()]:
        stage.emit(await task)


def broken(engine) -> set[str]:
    return set(check_engine(engine, random_turns=TURNS).broken)


def test_gather_breaks_order_and_exclusivity_and_falls_over_a_tool_that_cancels_itself() -> None:
    assert broken(careless) == {"P4", "S1", "S2", "S6", "L1"}


def test_a_semaphore_mends_order_and_keeps_the_limit_but_not_exclusivity() -> None:
    engine = from_coroutine(bounded, supports={"limit"})
    card = check_engine(engine, random_turns=TURNS)
    assert card.marks["S5"] == "holds"
    assert {"S1", "S2", "L1"} <= set(card.broken)
    assert "P4" not in card.broken


def test_a_whole_turn_is_judged_by_its_own_terms() -> None:
    """It starts at the response's end, so S3 and S4 are about that."""

    async def in_order(stage, blocks):
        return [await stage.call(block) for block in blocks]

    card = check_engine(from_turn(in_order), random_turns=TURNS)
    assert card.marks["S4"] == "holds"
    assert card.marks["P4"] == "holds"


def test_what_is_not_declared_is_not_observable_and_what_is_is_judged() -> None:
    card = check_engine(one_by_one, random_turns=TURNS)
    assert card.marks["F6"] == "not observable"
    assert card.unseen["F5"] == "stop and submit not declared"

    async def deaf(stage: OwnStage) -> None:
        stage.heed(stop=lambda: None)
        await one_by_one(stage)

    card = check_engine(from_coroutine(deaf, supports={"stop"}), random_turns=TURNS)
    assert card.marks["F4"] == "broken"


def test_of_an_executor_that_never_comes_to_an_end_nothing_is_said_to_hold() -> None:
    """L1: what it leaves out before it hangs or falls over, nobody can know."""

    async def spins(stage: OwnStage) -> None:
        asked = [block async for block in stage.blocks()]
        while asked is not None:
            await asyncio.sleep(0)

    async def falls_over(stage: OwnStage) -> None:
        _ = [block async for block in stage.blocks()]
        raise asyncio.CancelledError

    for engine, told in ((spins, "livelock"), (falls_over, "crash: CancelledError: it was cancelled from within")):
        card = check_engine(engine, random_turns=5)
        assert [rule for rule, mark in card.marks.items() if mark != "not observable"] == ["L1"]
        assert card.unseen["P1"] == "no run came to its end"
        assert told in card.broken["L1"].violation.message


def test_a_counterexample_is_small_and_its_line_shows_it_again() -> None:
    card = check_engine(careless, random_turns=TURNS)
    found = card.broken["P4"]
    assert len(found.scenario.calls) == 2
    names = {"check": check, "simulate": simulate, "loads": loads, "careless": careless}
    again = eval(found.violation.reproduce, names)
    assert "P4" in {violation.rule for violation in again}
    assert "P4  broken in " in str(card)


def test_the_same_executor_gets_the_same_card() -> None:
    assert str(check_engine(careless, random_turns=TURNS)) == str(check_engine(careless, random_turns=TURNS))


def test_a_scenario_shrinks_to_what_shows_the_fault() -> None:
    turn = Scenario(
        tools={"Read": {}, "Edit": {"safe": False}},
        calls=[{"id": "a", "takes": "3s"}, {"id": "b", "tool": "Edit", "at": "1s", "takes": "5s", "ends": "error"}],
        events=[{"at": "2s", "do": "stop"}],
    )
    assert dump(simplest(turn, lambda one: any(call.ends == "error" for call in one.calls))) == (
        "calls:\n  - {id: b, ends: error}\n"
    )
    assert simplest(turn, lambda one: False) == turn


def test_a_scenario_shrinks_to_tools_by_their_own_names() -> None:
    turn = Scenario(
        tools={"Write": {"safe": False, "aliases": ["FileWrite"]}}, calls=[{"id": "a", "tool": "FileWrite"}]
    )
    assert dump(simplest(turn, lambda one: any(tool.safe is False for tool in one.tools.values()))) == (
        "tools:\n  Write: {safe: false}\n"
    )
    assert dump(simplest(turn, lambda one: any(not one.is_safe(call) for call in one.calls))) == (
        "tools:\n  Write: {safe: false}\ncalls:\n  - {id: a, tool: Write}\n"
    )


def test_an_executor_that_asks_again_is_given_turns_of_several_attempts() -> None:
    """A8."""
    assert any(turn.attempts for turn in random_turns_for({"attempts", "discard"}, 20))
    assert not any(turn.attempts for turn in random_turns_for({"discard"}, 20))
