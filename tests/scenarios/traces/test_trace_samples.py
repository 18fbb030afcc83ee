"""The sample recordings: made by their script, byte for byte, and rich in what an importer has to know."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace, to_scenario

SAMPLES = Path(__file__).parents[3] / "scenarios" / "samples"


def turns_of(name: str) -> list[RecordedTurn]:
    reader = read_trace(SAMPLES / f"{name}.jsonl")
    turns = list(reader)
    assert reader.damage == []
    return turns


def outcomes(turn: RecordedTurn) -> list[tuple[str, Any]]:
    return [(call.tool, call.outcome) for call in turn.calls]


def test_the_script_writes_the_samples_that_lie_beside_it_byte_for_byte() -> None:
    made = runpy.run_path(str(SAMPLES / "make_samples.py"))["samples"]()
    lying = [*SAMPLES.glob("*.jsonl"), *(SAMPLES / "formats").iterdir()]
    assert made == {path.relative_to(SAMPLES).as_posix(): path.read_bytes() for path in lying}


def test_one_has_overlapping_reads_a_failing_call_that_cancels_later_ones_and_an_interrupt() -> None:
    reads, failing, stopped = turns_of("failing_call_and_interrupt")
    assert {str(turn.choice) for turn in (reads, failing)} == {
        "claude-shell-error (2.1.63 is one of those from 2.1.46 on)"
    }
    assert reads.emitted == ("toolu_a1", "toolu_a3", "toolu_a2")
    assert outcomes(failing) == [
        ("Read", "ok"),
        ("Bash", "error"),
        ("Bash", "sibling_error"),
        ("Read", "sibling_error"),
    ]
    assert [call.started_ns is None for call in failing.calls] == [False, False, True, True]
    assert outcomes(stopped) == [("Edit", "ok"), ("Bash", "user_interrupted")]
    assert stopped.interrupted_ns is not None


def test_one_is_of_the_batch_era_and_nothing_in_it_cascades() -> None:
    reads, commands = turns_of("batch_era")
    assert {turn.choice.assumed.name for turn in (reads, commands)} == {"claude-batch"}
    assert {call.started_ns for call in reads.calls} == {reads.last_block_ns}
    assert len({call.ended_ns for call in reads.calls}) == 1
    assert outcomes(commands) == [("Bash", "ok"), ("Bash", "error"), ("Bash", "ok")]


def test_one_has_sub_agents_hooks_and_a_refusal() -> None:
    agents, *inner, refused = turns_of("sub_agents_and_refusal")
    assert {call.start_basis for call in agents.calls} == {"hook"}
    assert [turn.agent for turn in inner] == ["a11ce", "b0b"]
    assert outcomes(refused) == [("Write", "denied")]
    assert refused.calls[0].permission_wait


@pytest.mark.parametrize("name", ["failing_call_and_interrupt", "batch_era", "sub_agents_and_refusal"])
def test_every_turn_of_the_samples_can_be_replayed(name: str) -> None:
    assert all(to_scenario(turn) is not None for turn in turns_of(name))
