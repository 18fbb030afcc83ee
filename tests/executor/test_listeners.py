"""A user's listener that raises breaks nothing of what it is told (A6, E9)."""

import logging
from typing import Any

import pytest

from executor import ToolSet, ToolUseBlock, Turn, tool
from executor.events import Kind, silent
from executor.listeners import guarded
from sim import clock


@tool(concurrency_safe=True)
async def read() -> str:
    return "text"


async def response() -> Any:
    yield ToolUseBlock("a", "read", {})
    yield ToolUseBlock("b", "read", {})


def run(**listeners: Any) -> Turn:
    async def main() -> Turn:
        turn = Turn(ToolSet([read]), **listeners)
        assert [update.result.content async for update in turn.run(response()) if update.result] == ["text", "text"]
        return turn

    return clock.run(main())


def test_a_listener_of_events_that_raises_is_logged_and_the_turn_completes(caplog) -> None:
    """A6: each event is offered all the same."""
    told: list[Kind] = []

    def broken(kind: Kind, call: str | None, /, **detail: Any) -> None:
        told.append(kind)
        raise LookupError("no view")

    with caplog.at_level(logging.ERROR):
        assert run(announce=broken).ended == "completed"
    assert told.count(Kind.COMPLETED) == 2
    assert told[-1] is Kind.TURN_ENDED
    assert "a listener of the event log raised at turn_ended; the turn goes on" in caplog.messages


def test_a_listener_of_the_executing_calls_that_raises_is_logged(caplog) -> None:
    """E9."""

    def broken(executing: tuple[str, ...], interruptible: bool) -> None:
        raise LookupError("no view")

    with caplog.at_level(logging.ERROR):
        assert run(on_activity=broken).ended == "completed"
    assert "a listener of the executing calls raised; the turn goes on" in caplog.messages


def test_an_interrupt_of_the_whole_program_passes_through_a_listener() -> None:
    """X4."""

    def interrupted(kind: Kind, call: str | None, /, **detail: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(interrupted)(Kind.STOP, None)


def test_the_silent_listener_stays_itself() -> None:
    """Where nobody listens nothing is put together to be told."""
    assert guarded(silent) is silent
    once = guarded(lambda kind, call, /, **detail: None)
    assert guarded(once) is once
