"""How the context moves on, without a loop (C1–C3, Q4)."""

from collections.abc import Callable
from typing import Any

import pytest

from executor import Fault, ToolContext
from executor.engines.context_line import ContextLine
from executor.events import Kind


class Line:
    """A context line that counts a list up, with what it announces and finds fault with."""

    def __init__(self) -> None:
        self.rows: list[tuple[Kind, str | None, dict[str, Any]]] = []
        self.faults: list[Fault] = []
        self.line = ContextLine(ToolContext(seen=""), self.announce, self.faults)

    def announce(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        self.rows.append((kind, call, detail))

    @property
    def seen(self) -> str:
        return str(self.line.current["seen"])


def adds(letter: str) -> Callable[[ToolContext], ToolContext]:
    return lambda context: context.updated(seen=context["seen"] + letter)


def test_an_exclusive_call_s_change_counts_at_once() -> None:
    """C2, Q4."""
    line = Line()
    line.line.settle(0, adds("a"), exclusive=True)
    assert line.seen == "a"
    assert line.rows == [(Kind.CONTEXT, None, {"values": {"seen": "a"}})]


def test_changes_of_safe_calls_wait_for_the_barrier_and_are_made_in_request_order() -> None:
    """C3, Q4: whatever order the calls ended in."""
    line = Line()
    for index, letter in ((2, "c"), (0, "a"), (1, "b")):
        line.line.settle(index, adds(letter), exclusive=False)
    assert line.seen == ""
    assert line.rows == []
    line.line.barrier()
    assert line.seen == "abc"
    assert line.rows == [(Kind.CONTEXT, None, {"values": {"seen": "abc"}})]


def test_a_barrier_with_nothing_to_do_changes_and_tells_nothing() -> None:
    """C3."""
    line = Line()
    line.line.barrier()
    line.line.settle(0, adds("a"), exclusive=False)
    line.line.barrier()
    line.line.barrier()
    assert line.seen == "a"
    assert len(line.rows) == 1


def test_a_context_that_was_handed_out_stays_as_it_was() -> None:
    """C1."""
    line = Line()
    seen_by_a_call = line.line.current
    line.line.settle(0, adds("a"), exclusive=True)
    assert seen_by_a_call["seen"] == ""


def _raises(context: ToolContext) -> ToolContext:
    raise ValueError("no")


def _forgets(context: ToolContext) -> ToolContext:
    return None  # type: ignore[return-value]


def _loosens(context: ToolContext) -> ToolContext:
    return {"seen": "everything"}  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("modifier", "told"),
    [
        (_raises, "a context modifier raised ValueError('no'); it changed nothing"),
        (_forgets, "a context modifier gave back None; it changed nothing"),
        (_loosens, "a context modifier gave back {'seen': 'everything'}; it changed nothing"),
    ],
)
def test_a_modifier_that_fails_changes_nothing_and_is_told_and_the_others_count(
    modifier: Callable[[ToolContext], ToolContext], told: str
) -> None:
    """C1: a modifier is context -> context."""
    line = Line()
    for index, change in enumerate((adds("a"), modifier, adds("c"))):
        line.line.settle(index, change, exclusive=False)
    line.line.barrier()
    assert line.seen == "ac"
    assert line.faults == [Fault("", told)]
