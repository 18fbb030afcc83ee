"""The verdicts on the field cases' histories and session files, and what others of them are about."""

import json
from pathlib import Path

import pytest

from scenarios.history import lint, repair
from scenarios.history.session import read_session

INPUTS = Path(__file__).parents[4] / "shared" / "bugs" / "inputs"

CLEAN: tuple[list[object], list[str]] = ([], [])
VERDICTS = {
    "B005": ([("P1", "duplicate", "t1", [3, 1, 2])], []),
    "B006": ([("P1", "duplicate", "t1", [3, 1, 2])], []),
    "B010": CLEAN,
    "B015": ([("P2", "orphan", "ghost", [1])], []),
    "B067": ([], ["t1"]),
    "B085": CLEAN,
    "B086": CLEAN,
    "B087": CLEAN,
    "B088": CLEAN,
    "B090": CLEAN,
    "B091": CLEAN,
    "B093": ([("P1", "duplicate", "t1", [5, 2, 4])], []),
    "B094-old": CLEAN,
    "B094": CLEAN,
    "B095": CLEAN,
    "B096": ([("P1", "split_by_compaction", "t1", [3, 1])], []),
    "B097": CLEAN,
    "B099": ([("P1", "duplicate", "t1", [4, 2, 3])], []),
    "B100": CLEAN,
    "B102": CLEAN,
    "B120": ([("P1", "unanswered", "t3", [1])], []),
    "B121": CLEAN,
}
"""For each file: rule, kind, call and the lines of the ends of every fault, then the calls that it ends with."""

NOT_OF_PAIRS = {
    "B067": "a stream: its events and the message after them tell of one call",
    "B085": "damage: a line that is cut",
    "B086": "damage: a torn record, and two records on one line",
    "B087": "damage: NUL bytes",
    "B088": "damage: a malformed line, and lines of other types",
    "B094": "two files: copies are known by message and call",
    "B095": "usage, and lines of one message",
    "B099": "damage: fields of other shapes",
    "B100": "timing: stamps that disagree with the order",
    "B120": "timing: a call without an end",
    "B121": "timing: bounds of durations",
}
"""What cases with a file are about where it is not only the pairs."""


def field_case(name: str) -> Path:
    path = INPUTS / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} lies in the shared folder, which is not here")
    return path


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_on_a_field_case_is_what_its_entry_says(name) -> None:
    """P1, P2, P3, B005, B006, B010, B015, B067, B085-B102, B120, B121."""
    histories = read_session(field_case(name)).histories
    found = [
        (fault.rule, fault.kind.value, fault.call, [history.line(end.place) for end in fault.ends])
        for history in histories
        for fault in history.faults()
    ]
    assert (found, [call for history in histories for call in history.open_calls()]) == VERDICTS[name]


@pytest.mark.parametrize("name", VERDICTS)
def test_a_field_case_is_clean_once_it_is_mended(name) -> None:
    """P1, P2, P3, B015."""
    for history in (part for whole in read_session(field_case(name)).histories for part in whole.segments()):
        messages = repair(history.messages, close=True).messages
        assert lint(messages) == []
        json.dumps(messages)


@pytest.mark.parametrize(("name", "lines"), [("B085", [4]), ("B086", [2, 3]), ("B087", [3, 4])])
def test_what_is_damaged_in_a_field_case_is_told_with_its_line(name, lines) -> None:
    """B085, B086, B087."""
    assert sorted({damage.line for damage in read_session(field_case(name)).damage}) == lines


def test_each_part_of_a_conversation_and_each_sub_agent_is_a_history_of_its_own() -> None:
    """B096, B097."""
    (compacted,) = read_session(field_case("B096")).histories
    assert [len(part.messages) for part in compacted.segments()] == [1, 2]
    main, agent = read_session(field_case("B097")).histories
    assert (main.rest, agent.rest) == ({}, {"agent": "a1"})
    assert [len(main.messages), len(agent.messages)] == [3, 3]


def test_no_file_of_the_field_cases_is_left_out() -> None:
    if not INPUTS.is_dir():
        pytest.skip("the field cases lie in the shared folder, which is not here")
    assert {path.stem for path in INPUTS.glob("*.jsonl")} == set(VERDICTS)
    assert set(NOT_OF_PAIRS) < set(VERDICTS)
