"""A turn and where it stands: in which conversation, and when.

The rule: where the source does not tell when a turn began, its start is ``None``. Unit: nanoseconds.
"""

from typing import NamedTuple

from .course import TurnCourse


class PlacedTurn(NamedTuple):
    """One turn of a run, a log or a session.

    Args:
        name: what to call it, such as ``turn 3``.
        track: which of the things that go on side by side it belongs to: an engine's name, or an agent's.
        start_ns: when it began, from the epoch of its source's clock; 0 for what was simulated.
        course: what it came to.
    """

    name: str
    track: str
    start_ns: int | None
    course: TurnCourse
