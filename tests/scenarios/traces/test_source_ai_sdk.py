"""AI SDK UI message streams: a step is a response, a call is there when its input is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace

Read = Callable[..., list[RecordedTurn]]
BEGIN: dict[str, Any] = {"type": "start"}
STEP: dict[str, Any] = {"type": "start-step"}
OVER: dict[str, Any] = {"type": "finish-step"}


def part(kind: str, call: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"tool-{kind}", "toolCallId": call, **fields}


def begun(call: str, *pieces: str) -> list[dict[str, Any]]:
    return [
        part("input-start", call, toolName="read"),
        *(part("input-delta", call, inputTextDelta=piece) for piece in pieces),
    ]


def outcomes(turns: list[RecordedTurn]) -> list[list[tuple[str, Any, str]]]:
    return [[(call.id, call.input, str(call.outcome)) for call in turn.calls] for turn in turns]


def test_steps_are_responses_and_parts_of_their_calls_may_be_mixed(read: Read) -> None:
    turns = read(
        BEGIN,
        STEP,
        *begun("a", '{"path"', ': "x"}'),
        *begun("b"),
        part("input-available", "b", toolName="edit", input={"n": 1}),
        part("input-available", "a", toolName="read", input={"path": "x"}),
        part("output-available", "a", output="half", preliminary=True),
        part("output-error", "b", errorText="no"),
        part("output-available", "a", output="whole"),
        OVER,
        STEP,
        *begun("c"),
        part("input-available", "c", toolName="read", input={}),
        part("output-denied", "c"),
    )
    assert outcomes(turns) == [
        [("b", {"n": 1}, "error"), ("a", {"path": "x"}, "ok")],
        [("c", {}, "denied")],
    ]
    assert [turn.emitted for turn in turns] == [("b", "a"), ("c",)]
    assert [call.tool for call in turns[0].calls] == ["edit", "read"]


def test_a_call_that_waits_for_approval_is_one_and_what_is_not_whole_is_none(tmp_path: Path, read: Read) -> None:
    """W3."""
    turns = read(BEGIN, STEP, *begun("a", '{"n":', "1}"), *begun("b", '{"n":'), part("approval-request", "a"), OVER)
    assert outcomes(turns) == [[("a", {"n": 1}, "None")]]
    assert turns[0].calls[0].permission_wait
    reader = read_trace(tmp_path / "recording")
    list(reader)
    assert [damage.what for damage in reader.damage] == ["the input of call 'b' is cut off, no call"]


def test_a_result_that_comes_while_another_call_is_still_being_written_completes_only_its_own(read: Read) -> None:
    turns = read(
        BEGIN,
        STEP,
        *begun("a", "{}"),
        *begun("b", '{"n"'),
        part("output-available", "a", output=""),
        part("input-delta", "b", inputTextDelta=": 2}"),
        part("output-available", "b", output=""),
    )
    assert outcomes(turns) == [[("a", {}, "ok"), ("b", {"n": 2}, "ok")]]


@pytest.mark.parametrize("told_twice", [False, True])
def test_an_input_that_does_not_fit_is_answered_once(told_twice: bool, read: Read) -> None:
    again = [part("output-error", "a", errorText="no")] if told_twice else []
    (turn,) = read(BEGIN, STEP, *begun("a"), part("input-error", "a", toolName="read", input=3, errorText="no"), *again)
    assert [(call.outcome, call.result_count) for call in turn.calls] == [("invalid_input", 1)]


def test_what_the_provider_runs_itself_is_no_call(read: Read) -> None:
    """B020."""
    own = {"providerExecuted": True}
    turns = read(
        BEGIN,
        STEP,
        part("input-start", "s", toolName="search", **own),
        part("input-delta", "s", inputTextDelta="{}"),
        part("input-available", "s", toolName="search", input={}, **own),
        part("output-available", "s", output="", **own),
        part("input-available", "a", toolName="read", input={}),
    )
    assert outcomes(turns) == [[("a", {}, "None")]]


def test_a_call_asked_for_before_the_stream_began_gets_its_result_in_it(read: Read) -> None:
    turns = read(
        BEGIN, part("input-available", "a", toolName="read", input={}), STEP, part("output-available", "a", output="")
    )
    assert outcomes(turns) == [[("a", {}, "ok")]]


def test_a_stop_is_noted_with_its_step_and_unknown_parts_are_counted(tmp_path: Path, read: Read) -> None:
    read(BEGIN, STEP, *begun("a", "{}"), {"type": "abort"}, {"type": "data-weather"}, {"type": "hologram"})
    reader = read_trace(tmp_path / "recording")
    assert outcomes(list(reader)) == [[("a", {}, "None")]]
    assert (reader.counts.interrupts, reader.counts.unknown_types) == (1, {"hologram": 1})
