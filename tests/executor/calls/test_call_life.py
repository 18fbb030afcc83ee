"""A call moves forwards only, along one table (S8); what is known of it beside its status."""

import itertools

import pytest

from executor import ToolUseBlock
from executor.calls.call import Call
from executor.calls.life import TRANSITIONS, IllegalTransition, Status, diagram

ALLOWED = {
    ("queued", "executing"),
    ("queued", "completed"),
    ("executing", "completed"),
    ("completed", "yielded"),
}


def call_with(name: str = "Bash", given: object = None) -> Call:
    return Call(ToolUseBlock("a", name, {} if given is None else given), 0, None, 0.0)


def test_the_table_allows_exactly_the_four_moves_of_the_specification() -> None:
    """S8."""
    assert {(old.value, new.value) for old, news in TRANSITIONS.items() for new in news} == ALLOWED


@pytest.mark.parametrize(("old", "new"), list(itertools.product(Status, Status)))
def test_a_call_moves_along_the_table_and_nowhere_else(old: Status, new: Status) -> None:
    """S8: a move against the table is a defect of the executor and says which."""
    call = call_with()
    call.status = old
    if (old, new) in ALLOWED:
        call.advance(new)
        assert call.status is new
    else:
        with pytest.raises(IllegalTransition, match=f"call 'a': {old} → {new} is not in the table"):
            call.advance(new)
        assert call.status is old


def test_every_walk_along_the_table_ends_yielded_and_visits_nothing_twice() -> None:
    """S8: forwards only."""

    def walks(walk: list[Status]) -> list[list[Status]]:
        onward = [walks([*walk, new]) for new in TRANSITIONS[walk[-1]]]
        return list(itertools.chain(*onward)) or [walk]

    for walk in walks([Status.QUEUED]):
        assert walk[-1] is Status.YIELDED
        assert len(set(walk)) == len(walk)


def test_the_drawn_diagram_has_an_arrow_for_each_move_of_the_table_and_no_other() -> None:
    """S8: the diagram and the code share the table."""
    arrows = {tuple(line.strip().split(" --> ")) for line in diagram().splitlines()[1:]}
    assert arrows == ALLOWED | {("[*]", "queued"), ("yielded", "[*]")}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"command": "mkdir build"}, "Bash(mkdir build)"),
        ({"path": "a.ts"}, "Bash(a.ts)"),
        ({"file_path": "b.ts"}, "Bash(b.ts)"),
        ({"pattern": "TODO"}, "Bash(TODO)"),
        ({"pattern": "TODO", "path": "src", "command": "ls"}, "Bash(ls)"),
        ({"command": "x" * 40}, f"Bash({'x' * 40})"),
        ({"command": "x" * 41}, f"Bash({'x' * 40})"),
        ({"command": 7, "path": "a.ts"}, "Bash(a.ts)"),
        ({"command": ["ls"]}, ""),
        ({"other": "text"}, ""),
        ({}, ""),
        ("mkdir build", ""),
        (["command"], ""),
    ],
)
def test_a_call_is_described_by_the_first_forty_characters_of_what_it_does(given: object, text: str) -> None:
    """SPEC 9, second row of the table."""
    assert call_with(given=given).describe() == text


@pytest.mark.parametrize("given", [None, "text", 3, ["a"], True])
def test_an_input_that_is_no_object_stands_as_an_empty_one_in_the_history(given: object) -> None:
    """W4."""
    assert ToolUseBlock("a", "Read", given).to_block() == {"type": "tool_use", "id": "a", "name": "Read", "input": {}}


def test_a_block_keeps_the_input_it_came_with_in_the_history() -> None:
    """W4."""
    given = {"path": "a.ts", "limit": None}
    written = ToolUseBlock("a", "Read", given).to_block()
    assert written == {"type": "tool_use", "id": "a", "name": "Read", "input": given}
    assert written["input"] is not given
