"""What calls took in a recorded session becomes durations to draw from."""

from pathlib import Path

from scenarios import Call, read_trace
from scenarios.durations import Empirical
from scenarios.traces import latencies

SAMPLE = Path(__file__).parents[3] / "scenarios" / "samples" / "failing_call_and_interrupt.jsonl"


def test_only_calls_that_ended_by_themselves_count_by_the_name_of_their_tool() -> None:
    """The session's last call was stopped by the user, and two were cancelled by a failing sibling."""
    found = latencies(read_trace(SAMPLE))
    assert found == {
        "Bash": Empirical(values=["1.5s"]),
        "Edit": Empirical(values=["120ms"]),
        "Grep": Empirical(values=["720ms"]),
        "Read": Empirical(values=["30ms", "30ms", "40ms"]),
    }
    assert Call(id="a", takes=found["Read"]).takes == found["Read"]


def test_a_session_without_calls_has_no_latencies() -> None:
    assert latencies([]) == {}
