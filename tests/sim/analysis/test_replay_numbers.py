"""What replayed turns amount to: exact numbers from recordings made by hand."""

from typing import Any

from executor import Outcome
from scenarios.traces.choosing import choose
from scenarios.traces.model import RecordedCall, RecordedTurn, StrayResult
from sim.analysis.replay import judge_recorded, replay, with_last
from sim.analysis.session import Session

MS = 1_000_000
START_NS = 1_767_600_000_000 * MS


def call(name: str, tool: str, at: int, start: int | None, end: int | None, **more: Any) -> RecordedCall:
    """A recorded call, its times in ms from the turn's first block."""
    words: dict[str, Any] = {
        "id": name, "tool": tool, "input": {}, "arrived_ns": START_NS + at * MS,
        "started_ns": None if start is None else START_NS + start * MS, "start_basis": "rule",
        "ended_ns": None if end is None else START_NS + end * MS, "outcome": Outcome.OK, "class_by": tool == "Read",
        "line": 1, "result_line": 2, "result_count": 1, "progress_ns": (), "permission_wait": False,
        "split_by_compaction": False, "estimated": False,
    }  # fmt: skip
    return RecordedCall(**(words | more))


def turn(*calls: RecordedCall, end: int, **more: Any) -> RecordedTurn:
    """A recorded response of these calls, its last block at ``end`` ms."""
    words: dict[str, Any] = {
        "message_id": "m", "number": 1, "calls": calls, "first_ns": START_NS, "last_block_ns": START_NS + end * MS,
        "version": "2.1.50", "choice": choose("Claude Code", "2.1.50"),
        "emitted": tuple(each.id for each in calls if each.outcome is not None),
        "interrupted_ns": None, "agent": None, "segment": 0, "line": 7, "duplicates": (), "unmatched": (),
    }  # fmt: skip
    return RecordedTurn(**(words | more))


STREAMED = turn(
    call("a", "Read", 0, 0, 200), call("b", "Read", 700, 700, 900), call("c", "Edit", 1900, 1900, 2100), end=2000
)
"""The seeds' example from its first block on: what arrives at 0.5 s there arrives at 0 here."""


def test_a_turn_is_replayed_under_every_engine() -> None:
    replayed = replay(STREAMED)
    assert replayed.makespan_ns == {
        "recorded": 2100 * MS, "streaming": 2100 * MS, "batch": 2400 * MS, "serial": 2600 * MS,
    }  # fmt: skip
    assert (replayed.violations, replayed.simulated, replayed.unanswered, replayed.why_unknown) == ((), (), (), None)


def test_a_session_sums_the_turns_it_can_compare_and_says_why_it_leaves_others_out() -> None:
    session = Session()
    session.add(replay(STREAMED))
    session.add(replay(turn(call("d", "Bash", 0, 0, 5000, permission_wait=True, start_basis="hook"), end=0)))
    session.add(replay(turn(call("e", "Read", 0, 0, None, outcome=None), end=0)))
    assert (session.turns, session.calls, session.together, session.waits) == (3, 5, 3, 1)
    assert (session.compared, session.left_out) == (2, {"a call has no result": 1})
    assert session.spans_ns == {
        "recorded": 7100 * MS, "streaming": 7100 * MS, "batch": 7400 * MS, "serial": 7600 * MS,
    }  # fmt: skip
    assert session.saving_ns == 300 * MS
    assert [each.id for _, _, each in session.slowest] == ["d", "a", "b", "c"]
    assert (session.safe, session.exclusive) == ({"Read": 3}, {"Edit": 1, "Bash": 1})
    assert session.bases == {"rule": 4, "hook": 1}
    assert session.widest is not None
    assert session.widest.turn is STREAMED


def test_a_recording_that_ran_faster_than_its_engine_could_refutes_the_classes_and_is_left_out() -> None:
    """Two shell calls side by side: then they were not exclusive, whatever the table says (README of the traces, 4)."""
    beside = turn(call("a", "Bash", 0, 0, 1000), call("b", "Bash", 0, 0, 1000), end=0)
    replayed = replay(beside)
    assert replayed.makespan_ns["streaming"] == 2000 * MS
    assert replayed.refutes_its_classes
    session = Session()
    session.add(replayed)
    assert (session.compared, session.spans_ns) == (0, {})
    assert session.left_out == {"calls ran side by side that the assumed classes keep apart": 1}


def test_an_unknown_tool_is_counted_as_one_whose_class_is_only_assumed() -> None:
    session = Session()
    session.add(replay(turn(call("a", "mcp__x__y", 0, 0, 10), end=0)))
    assert session.exclusive == {"mcp__x__y (unknown)": 1}


def test_a_missing_result_breaks_p1_unless_the_file_ends_with_the_turn() -> None:
    """P1, B085."""
    cut = turn(call("a", "Read", 0, 0, 10), call("b", "Read", 5, 5, None, outcome=None), end=5)
    violations, unanswered = judge_recorded(cut)
    assert [(one.rule, one.calls, one.message) for one in violations] == [
        ("P1", ("b",), "b (Read, safe) has no result")
    ]
    assert unanswered == ()
    assert judge_recorded(cut, is_last=True) == ((), ("b",))


def test_a_result_too_many_is_told_even_at_the_files_end_and_its_outcome_is_not_invented() -> None:
    """P1, P2, B005."""
    again = StrayResult("a", 9, START_NS + 20 * MS, "again")
    twice = turn(call("a", "Read", 0, 0, 10, outcome=Outcome.ERROR), end=0, duplicates=(again,))
    violations, _ = judge_recorded(twice, is_last=True)
    assert {one.rule for one in violations} == {"P1", "P2"}
    (doubled,) = [one for one in violations if one.rule == "P1"]
    assert doubled.message == "a (Read, safe) has 2 results: error at 10 ms, untold at 20 ms"


def test_two_fates_of_one_tool_are_two_tools_of_the_scenario() -> None:
    lost = call("b", "Foo", 0, None, 10, outcome=Outcome.UNKNOWN_TOOL)
    replayed = replay(turn(call("a", "Foo", 0, 0, 2000), lost, end=0))
    assert replayed.makespan_ns["streaming"] == 2000 * MS


def test_the_last_turn_is_known_as_the_last() -> None:
    assert list(with_last([])) == []
    first, second = turn(end=0), turn(end=1)
    assert list(with_last([first, second])) == [(first, False), (second, True)]
