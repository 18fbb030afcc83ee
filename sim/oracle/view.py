"""One call as seen from outside, and what single rows of the log say.

The rule: what the inside kinds tell of a call is kept apart and used by rules that need it alone. Times in nanoseconds
from the turn's start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from executor.calls.life import Status
from executor.events import Event, Kind

from .instants import in_words

STATUSES: Final = {
    Kind.QUEUED: Status.QUEUED,
    Kind.ADMITTED: Status.EXECUTING,
    Kind.COMPLETED: Status.COMPLETED,
    Kind.YIELDED: Status.YIELDED,
}
"""What each step of the inside view makes of a call."""

FIRST_ROWS: Final = 4
LONGEST: Final = 64
"""A call that says more than this many rows keeps its first ones and its latest: a verdict shows no more."""


@dataclass(slots=True, eq=False)
class CallView:
    """One call as seen from outside; an instant is ``None`` and ``place`` is -1 until the log has told it.

    ``place`` counts the blocks in order of arrival, ``index`` is the place in the response.
    Without a block the class is exclusive: nothing says that the call may run beside others (E2). ``doom_ns`` is when
    a signalled body's time to obey runs out. Of progress, ``reported`` counts what came while the call was not
    settled, ``taken`` what the consumer took. The inside view tells ``admitted_ns``, ``hardened``, ``status``,
    ``permitted`` and ``denied_by``.
    """

    id: str
    tool: str = "?"
    attempt: int = 0
    place: int = -1
    index: int = -1
    known: bool = True
    valid: bool = True
    safe: bool = False
    gated: bool = False
    entered_ns: int | None = None
    left_ns: int | None = None
    ended: str | None = None
    signal: str | None = None
    doom_ns: int | None = None
    deadline_ns: int | None = None
    abandoned: bool = False
    said: str | None = None
    admitted_ns: int | None = None
    hardened: bool = False
    status: Status | None = None
    permitted: bool = False
    denied_by: str | None = None
    reported: int = 0
    taken: int = 0
    results: tuple[tuple[int, str], ...] = ()
    rows: list[tuple[int, Event]] = field(default_factory=list)
    forgotten: int = 0
    namesake: "CallView | None" = None

    @property
    def request(self) -> tuple[int, int]:
        """The place in the request: attempt and index."""
        return self.attempt, self.index

    @property
    def arrived(self) -> bool:
        """Whether the call's block is complete."""
        return self.place >= 0

    @property
    def may_run(self) -> bool:
        """Whether the call can have a body at all."""
        return self.known and self.valid

    def note(self, number: int, event: Event) -> None:
        """Keep a row that names the call; of very many, the first and the latest."""
        self.rows.append((number, event))
        if len(self.rows) > LONGEST:
            half = LONGEST // 2
            del self.rows[FIRST_ROWS : FIRST_ROWS + half]
            self.forgotten += half

    def forget(self) -> None:
        """Let go of the rows."""
        self.forgotten += len(self.rows)
        self.rows = []

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


def mapped(event: Event, key: str) -> dict[str, Any]:
    """Give what a row maps under a key, nothing where the key is missing; :class:`ValueError` if it is no object."""
    value = event.detail.get(key, {})
    if not isinstance(value, Mapping):
        raise ValueError(f"{_where(event)}: {key}: expected an object, got {value!r}")
    return dict(value)


def ids_in(event: Event, key: str) -> frozenset[str]:
    """Give the ids that a row lists under a key; errors as for :func:`listed`."""
    return frozenset(map(str, listed(event, key)))


def _where(event: Event) -> str:
    return f"{event.kind.value} at {in_words(event.t_ns)}"
