"""A run is judged by the rules on its log and by the reference model (T1)."""

from dataclasses import replace

from executor.events import Event, Kind
from scenarios import Call, Scenario
from sim import OwnStage, check, simulate
from sim.clock import Choices
from sim.world import judge_run

READS = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s")])


def test_a_run_that_departs_from_the_model_breaks_t1() -> None:
    """T1: a result that the consumer took a nanosecond late breaks no other rule."""
    run = simulate(READS)
    late = tuple(
        event._replace(t_ns=event.t_ns + 1) if event.kind in (Kind.EMITTED, Kind.TURN_ENDED) else event
        for event in run.events
    )
    assert [violation.rule for violation in check(replace(run, events=late))] == ["T1"]


def test_what_the_model_does_not_speak_of_is_skipped_and_said_so() -> None:
    """T1 is judged of our engines, first-come, and of what the model knows."""
    late = Scenario(calls=[Call(id="a", takes="1s", background="100ms")])
    assert judge_run(simulate(READS)).skipped.get("T1") is None
    assert judge_run(simulate(late)).skipped["T1"] == "the reference model does not speak of background_ns of a Call"
    assert "first come" in judge_run(simulate(READS, choices=Choices({0: 1}))).skipped["T1"]
    cancelled = replace(simulate(READS), events=(Event(0, Kind.CONSUMER_LEFT, None, {"how": "cancelled"}),))
    assert "cancelled" in judge_run(cancelled).skipped["T1"]


async def in_a_row(stage: OwnStage) -> None:
    async for block in stage.blocks():
        stage.emit(await stage.call(block))


def test_an_executor_of_ones_own_is_not_held_to_the_model() -> None:
    assert judge_run(simulate(READS, in_a_row)).skipped["T1"] == "the reference model predicts our engines only"
