"""A call's life as one table, shared by the code, the oracle and the drawn diagram (SPEC 2, S8)."""

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    """Where a call stands; it only moves forwards."""

    QUEUED = "queued"
    EXECUTING = "executing"
    COMPLETED = "completed"
    YIELDED = "yielded"

    __hash__ = str.__hash__  # equal to its text, so found by its text; and Enum hashes in Python code


TRANSITIONS: Final = {
    Status.QUEUED: frozenset({Status.EXECUTING, Status.COMPLETED}),
    Status.EXECUTING: frozenset({Status.COMPLETED}),
    Status.COMPLETED: frozenset({Status.YIELDED}),
    Status.YIELDED: frozenset[Status](),
}
"""From each status, those it may move to. ``queued → completed`` is a call that can never run."""


class IllegalTransition(AssertionError):
    """A call was moved against the table: a defect of the executor, never of its input."""


def diagram() -> str:
    """Draw the table as a Mermaid state diagram.

    >>> print(diagram())
    stateDiagram-v2
        [*] --> queued
        queued --> executing
        queued --> completed
        executing --> completed
        completed --> yielded
        yielded --> [*]
    """
    lines = ["stateDiagram-v2", "    [*] --> queued"]
    for status in Status:
        lines += [f"    {status} --> {new}" for new in Status if new in TRANSITIONS[status]]
    return "\n".join([*lines, "    yielded --> [*]"])
