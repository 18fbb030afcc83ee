"""Turns in which an executor fails shrink to the smallest that shows it, whatever kind of failure it is."""

import asyncio

import pytest
from hypothesis import Phase, find, settings

from scenarios import Call, Scenario, ToolSpec
from scenarios.strategies import FEATURES, turns
from sim import OwnStage, check, simulate

ENOUGH = settings(database=None, derandomize=True, max_examples=2_000, phases=[Phase.generate, Phase.shrink])
KNOWN = {"classes", "overrides", "unknown", "invalid", "failures", "progress", "modifiers", "late_end"}
"""What an executor that declares nothing can be played in."""


async def all_at_once(stage: OwnStage) -> None:
    """Lets exclusive calls overlap (S1)."""
    tasks = [asyncio.create_task(stage.call(block)) async for block in stage.blocks()]
    for task in tasks:
        stage.emit(await task)


async def as_they_come(stage: OwnStage) -> None:
    """Hands results on in the order of completion (P4)."""

    async def one(block) -> None:
        stage.emit(await stage.call(block))

    await asyncio.gather(*[asyncio.create_task(one(block)) async for block in stage.blocks()])


async def only_good_news(stage: OwnStage) -> None:
    """Keeps errors to itself (P1)."""
    async for block in stage.blocks():
        result = await stage.call(block)
        if not result.is_error:
            stage.emit(result)


@pytest.mark.parametrize(
    ("engine", "rule", "smallest"),
    [
        (
            all_at_once,
            "S1",
            Scenario(
                tools={"Read": ToolSpec(), "Edit": ToolSpec(safe=False)},
                calls=[Call(id="c0", takes="100ms"), Call(id="c1", tool="Edit")],
            ),
        ),
        (as_they_come, "P4", Scenario(calls=[Call(id="c0", takes="100ms"), Call(id="c1")])),
        (only_good_news, "P1", Scenario(calls=[Call(id="c0", ends="error")])),
    ],
    ids=["overlap", "order", "loss"],
)
def test_a_failure_shrinks_to_the_smallest_turn(engine, rule: str, smallest: Scenario) -> None:
    def fails(turn: Scenario) -> bool:
        return rule in {violation.rule for violation in check(simulate(turn, engine))}

    assert find(turns(without=set(FEATURES) - KNOWN), fails, settings=ENOUGH) == smallest
