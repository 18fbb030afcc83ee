"""A replay beside its recording: what is kept from the run, and what counts as the same."""

from pathlib import Path

from scenarios.traces import RecordedTurn, read_trace
from sim.analysis.fidelity import fidelities, fidelity, without_hooks

SAMPLES = Path(__file__).parents[3] / "scenarios" / "samples"
FAILING = SAMPLES / "failing_call_and_interrupt.jsonl"
HOOKS = SAMPLES / "sub_agents_and_refusal.jsonl"
MS = 10**6


def several(path: Path) -> list[RecordedTurn]:
    return [turn for turn in read_trace(path) if len(turn.calls) > 1]


def test_what_hooks_say_is_kept_from_the_run_and_held_against_it() -> None:
    assert {call.start_basis for turn in without_hooks(HOOKS) for call in turn.calls} == {"rule"}
    found = {
        each.turn.number: [(one.call.tool, one.error_ns // MS) for one in each.starts] for each in fidelities(HOOKS)
    }
    assert found == {1: [("Task", 4), ("Task", 4)], 4: [("Write", 3)]}
    assert all(start.is_exact for each in fidelities(HOOKS) for start in each.starts)


def test_a_run_cancels_and_orders_as_the_sample_does() -> None:
    reads, failing, stopped = fidelities(FAILING)
    assert [each.order for each in (reads, failing, stopped)] == ["same"] * 3
    assert reads.emitted == ("toolu_a1", "toolu_a3", "toolu_a2")
    assert failing.cancelled == failing.recorded_cancelled == {"toolu_b3", "toolu_b4"}
    assert (reads.peak, failing.peak) == (2, 1)


def test_results_of_one_millisecond_may_change_places_and_others_not() -> None:
    reads = several(SAMPLES / "batch_era.jsonl")[0]
    assert len({call.ended_ns for call in reads.calls}) == 1
    turned = fidelity(reads, reads._replace(emitted=reads.emitted[::-1]))
    assert (turned.order, bool(turned.inversions)) == ("tied", True)
    first = several(FAILING)[0]
    turned = fidelity(first, first._replace(emitted=first.emitted[::-1]))
    assert turned.order == "other"
    assert ("toolu_a2", "toolu_a3") in [(one.id, other.id) for one, other in turned.inversions]


def test_neighbouring_commands_are_told_apart_by_what_they_do() -> None:
    """R1, S1: each of these waits for the one before, by what they are; by what is recorded two may have overlapped."""
    commands = several(SAMPLES / "batch_era.jsonl")[1]
    pairs = fidelity(commands, commands).neighbours
    assert [(pair.predicted, pair.recorded, pair.witness) for pair in pairs] == [(False, None, "nothing")] * 2
    early = commands.calls[0]._replace(ended_ns=(commands.calls[1].ended_ns or 0) + MS)
    told = fidelity(commands, commands._replace(calls=(early, *commands.calls[1:]))).neighbours
    assert (told[0].recorded, told[0].witness) == (True, "the second ended first")


def test_a_response_that_cannot_be_played_says_why() -> None:
    first = several(FAILING)[0]
    lost = first._replace(calls=(first.calls[0]._replace(outcome=None), *first.calls[1:]))
    assert fidelity(lost, lost).why_not == "a call has no result"
