"""One call as seen from outside, and what single rows of the log say.

The rule: nothing here comes from the inside kinds. Times in nanoseconds from the turn's start.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from executor.events import Event, Kind

from .instants import in_words


@dataclass(slots=True, eq=False)
class CallView:
    """One call as seen from outside; an instant is ``None`` and ``place`` is -1 until the log has told it.

    ``place`` counts the blocks in order of arrival, ``request`` is the place in the request: attempt and index.
    Without a block the class is exclusive: nothing says that the call may run beside others (E2).
    """

    id: str
    tool: str = "?"
    attempt: int = 0
    place: int = -1
    request: tuple[int, int] = (0, -1)
    known: bool = True
    valid: bool = True
    safe: bool = False
    entered_ns: int | None = None
    signal: str | None = None
    results: list[tuple[int, str]] = field(default_factory=list)
    rows: list[tuple[int, Event]] = field(default_factory=list)
    namesake: "CallView | None" = None

    @property
    def arrived(self) -> bool:
        """Whether the call's block is complete."""
        return self.place >= 0

    def __str__(self) -> str:
        return f"{self.id} ({self.tool}, {'safe' if self.safe else 'exclusive'})"


def results_in(event: Event) -> Iterator[tuple[str, str]]:
    """Give the results that a row hands over or closes with: pairs of id and outcome."""
    if event.kind is Kind.EMITTED and event.detail.get("what") == "result":
        yield event.call or "?", str(event.detail.get("outcome"))
    elif event.kind is Kind.TURN_ENDED:
        for pair in listed(event, "closing"):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise ValueError(f"{_where(event)}: closing: expected pairs of id and outcome, got {pair!r}")
            yield str(pair[0]), str(pair[1])


def listed(event: Event, key: str) -> list[Any]:
    """Give what a row lists under a key, nothing where the key is missing; :class:`ValueError` if it is no list."""
    value = event.detail.get(key, [])
    if not isinstance(value, list | tuple):
        raise ValueError(f"{_where(event)}: {key}: expected a list, got {value!r}")
    return list(value)


def ids_in(event: Event, key: str) -> frozenset[str]:
    """Give the ids that a row lists under a key; errors as for :func:`listed`."""
    return frozenset(map(str, listed(event, key)))


def _where(event: Event) -> str:
    return f"{event.kind.value} at {in_words(event.t_ns)}"
