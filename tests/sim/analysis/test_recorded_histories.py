"""Recorded sessions judged in two ways, as histories and turn by turn as logs: both find the same calls."""

from pathlib import Path

import pytest

from scenarios.history import lint, repair
from scenarios.history.session import read_session
from scenarios.traces import read_trace
from sim.analysis.replay import judge_recorded, with_last

TRACES = Path(__file__).parents[4] / "shared" / "traces" / "claude_transcript"

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded traces do not lie beside the project")

GOES_ON = {"wesm+agentsview__valid_session.jsonl": "toolu_1"}
"""Calls that only a look at what follows can tell: no call comes after them, but the session goes on."""


def by_history(path: Path) -> tuple[set[str], set[str]]:
    """The calls concerned by a fault, and those that are open."""
    histories = read_session(path).histories
    return (
        {fault.call for history in histories for fault in history.faults()},
        {call for history in histories for call in history.open_calls()},
    )


def by_turns(path: Path) -> tuple[set[str], set[str]]:
    reader = read_trace(path)
    broken: set[str] = set()
    unanswered: set[str] = set()
    for turn, is_last in with_last(reader):
        violations, left = judge_recorded(turn, is_last=is_last)
        broken |= {call for violation in violations for call in violation.calls}
        unanswered |= set(left)
    return broken | {stray.id for stray in reader.strays}, unanswered - broken


def test_the_linter_and_the_oracle_find_the_same_calls() -> None:
    """P1, P2."""
    for path in sorted(TRACES.iterdir()):
        broken, unanswered = by_turns(path)
        if path.name in GOES_ON:
            broken, unanswered = broken | {GOES_ON[path.name]}, unanswered - {GOES_ON[path.name]}
        assert by_history(path) == (broken, unanswered), path.name


def test_recorded_sessions_are_valid_once_mended_and_most_are_so_as_they_are() -> None:
    """P1, P2, P3, W7, B016."""
    touched = set()
    for path in sorted(TRACES.iterdir()):
        for history in (part for whole in read_session(path).histories for part in whole.segments()):
            repaired = repair(history.messages, close=True)
            assert lint(repaired.messages) == []
            if repaired.deeds:
                touched.add(path.name)
            else:
                assert repaired.messages == history.messages
    assert len(touched) < 0.4 * len(list(TRACES.iterdir()))
