"""An executor of one's own on the stage: what it is given, and that it is judged by the same rules."""

import asyncio
import functools

import pytest

from executor.events import Kind
from scenarios import Call, Scenario, ToolSpec
from sim import OwnStage, ResponseFailed, check, simulate

TURN = Scenario(
    tools={"Read": ToolSpec(), "Edit": ToolSpec(safe=False), "Gone": ToolSpec(available=False)},
    calls=[
        Call(id="a", takes="300ms", progress=["100ms"]),
        Call(id="e", tool="Edit", at="100ms", takes="200ms", ends="error"),
        Call(id="r", tool="Edit", at="200ms", ends="raise"),
        Call(id="u", tool="Gone", at="300ms"),
        Call(id="i", at="400ms", valid=False),
    ],
    events=[{"at": "500ms", "do": "stream_end"}],
)


async def one_by_one(stage: OwnStage) -> None:
    """The simplest right executor: each call when the one before is over."""
    async for block in stage.blocks():
        stage.emit(await stage.call(block))


def test_an_executor_that_runs_one_call_after_the_other_is_told_the_truth_about_each() -> None:
    run = simulate(TURN, one_by_one)
    rows = [(event.t_ns // 1_000_000, event.kind.value, event.call) for event in run.events]
    assert rows == [
        (0, "response_started", None),
        (0, "block", "a"), (0, "entered", "a"),
        (100, "progressed", "a"), (100, "block", "e"), (200, "block", "r"),
        (300, "left", "a"), (300, "emitted", "a"), (300, "entered", "e"), (300, "block", "u"), (400, "block", "i"),
        (500, "left", "e"), (500, "emitted", "e"), (500, "entered", "r"),
        (500, "left", "r"), (500, "emitted", "r"), (500, "emitted", "u"), (500, "emitted", "i"),
        (500, "response_ended", None), (500, "turn_ended", None),
    ]  # fmt: skip
    assert [(result.call_id, result.outcome.value, result.started) for result in run.results] == [
        ("a", "ok", True), ("e", "error", True), ("r", "error", True), ("u", "unknown_tool", False),
        ("i", "invalid_input", False),
    ]  # fmt: skip
    assert run.engine == "your one_by_one"


def test_it_is_judged_by_its_own_terms_whatever_its_name() -> None:
    """It starts calls before the response's end: right for it, wrong for an engine of ours with that name (S4)."""

    async def serial(stage: OwnStage) -> None:
        await one_by_one(stage)

    run = simulate(Scenario(calls=[Call(id="a", takes="1s")], events=[{"at": "2s", "do": "stream_end"}]), serial)
    assert run.header["options"]["start"] == "block"
    assert check(run) == []
    assert simulate(TURN, functools.partial(one_by_one)).engine == "your partial"


def test_one_that_leaves_a_call_unanswered_breaks_p1_and_one_that_waits_for_nothing_breaks_s3() -> None:
    async def forgetful(stage: OwnStage) -> None:
        async for block in stage.blocks():
            result = await stage.call(block)
            if block.id != "e":
                stage.emit(result)

    found = [(one.rule, one.calls) for one in check(simulate(TURN, forgetful))]
    assert ("P1", ("e",)) in found

    async def lazy(stage: OwnStage) -> None:
        blocks = [block async for block in stage.blocks()]
        for block in blocks:
            stage.emit(await stage.call(block))

    assert "S3" in {one.rule for one in check(simulate(TURN, lazy))}


def test_it_meets_a_response_that_breaks_off() -> None:
    met: list[str] = []

    async def careful(stage: OwnStage) -> None:
        try:
            await one_by_one(stage)
        except ResponseFailed as failure:
            met.append(str(failure))

    broken = Scenario(events=[{"at": "1s", "do": "stream_error", "error": "overloaded"}])
    run = simulate(broken, careful)
    assert (met, run.trouble) == (["overloaded"], None)
    assert [event.kind for event in run.events] == [Kind.RESPONSE_STARTED, Kind.RESPONSE_FAILED, Kind.TURN_ENDED]
    run = simulate(broken, one_by_one)
    assert run.trouble == "ResponseFailed: overloaded"
    assert run.events[-1].kind is Kind.HALTED


def test_what_it_cannot_be_told_of_is_refused() -> None:
    stopped = Scenario(calls=[Call(id="a")], events=[{"at": 0, "do": "stop"}])
    with pytest.raises(ValueError, match="one_by_one does not declare stop, which the scenario has: "):
        simulate(stopped, one_by_one)
    with pytest.raises(ValueError, match="engine: expected one of streaming, batch, serial or a function, got 'steam'"):
        simulate(TURN, "steam")  # type: ignore[arg-type]


def test_a_deadlock_of_it_is_reported_with_who_waits_for_what() -> None:
    """L1."""

    async def stuck(stage: OwnStage) -> None:
        await asyncio.Event().wait()

    run = simulate(Scenario(), stuck)
    assert run.trouble is not None
    assert run.trouble.startswith("deadlock at 0 s")
    (violation,) = check(run)
    assert violation.rule == "L1"
