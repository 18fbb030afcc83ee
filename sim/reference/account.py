"""What there is to see of a turn from outside, in one value: as a model predicts it, or as a log tells it (T1).

The rule: two accounts of one turn are equal, or one of them is wrong. Times in nanoseconds from the turn's start.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from executor.events import Event, Kind
from sim.oracle.instants import in_words


@dataclass(frozen=True, slots=True)
class Account:
    """What was, or must be, seen of a turn.

    Args:
        entered: when each body began.
        left: when each body ended.
        saw: the context that each body saw, where it was not empty.
        emitted: the results that the consumer took, in order: id, outcome, instant.
        progress: the progress that the consumer took, in order: id, number, instant.
        closing: the results that nobody took: id and outcome, in request order.
        abandoned: the calls whose body still ran at the end, by id: nothing says in which order they are told.
        how: how the turn ended, ``None`` for one that never does.
        ended_ns: when it ended.
        context: the context at the end.
    """

    entered: dict[str, int]
    left: dict[str, int]
    saw: dict[str, dict[str, Any]]
    emitted: tuple[tuple[str, str, int], ...]
    progress: tuple[tuple[str, int, int], ...]
    closing: tuple[tuple[str, str], ...]
    abandoned: tuple[str, ...]
    how: str | None
    ended_ns: int | None
    context: dict[str, Any]

    def told(self) -> list[tuple[int, str, str]]:
        """Tell the account as rows of instant, id (empty for the turn) and words, by instant."""
        return sorted(self._rows(), key=lambda row: row[0])

    def _rows(self) -> Iterator[tuple[int, str, str]]:
        for id_, at_ns in self.entered.items():
            saw = f", saw {self.saw[id_]}" if id_ in self.saw else ""
            yield at_ns, id_, f"body entered{saw}"
        yield from ((at_ns, id_, "body left") for id_, at_ns in self.left.items())
        yield from ((at_ns, id_, f"progress {n} taken") for id_, n, at_ns in self.progress)
        for place, (id_, outcome, at_ns) in enumerate(self.emitted, start=1):
            yield at_ns, id_, f"result {place} taken: {outcome}"
        if self.how is not None and self.ended_ns is not None:
            untaken = "".join(f", {id_} untaken: {outcome}" for id_, outcome in self.closing)
            running = "".join(f", {id_} still running" for id_ in self.abandoned)
            yield self.ended_ns, "", f"turn {self.how} with context {self.context}{untaken}{running}"


def account_of(events: Iterable[Event]) -> Account:
    """Read a turn's account off its log.

    >>> account_of([Event(7, Kind.ENTERED, "a", {}), Event(9, Kind.LEFT, "a", {})]).left
    {'a': 9}
    """
    entered: dict[str, int] = {}
    left: dict[str, int] = {}
    saw: dict[str, dict[str, Any]] = {}
    emitted: list[tuple[str, str, int]] = []
    progress: list[tuple[str, int, int]] = []
    context: dict[str, Any] = {}
    discarded = False
    end: Event | None = None
    for event in events:
        id_, detail = event.call or "", event.detail
        match event.kind:
            case Kind.ENTERED:
                entered[id_] = event.t_ns
                if "sees" in detail:
                    saw[id_] = detail["sees"]
            case Kind.LEFT:
                left[id_] = event.t_ns
            case Kind.EMITTED if detail.get("what") == "progress":
                progress.append((id_, detail["n"], event.t_ns))
            case Kind.EMITTED:
                emitted.append((id_, detail["outcome"], event.t_ns))
            case Kind.RESPONSE_STARTED:
                context, discarded = {}, False
            case Kind.DISCARD:
                discarded = True
            case Kind.CONTEXT:
                context = detail["values"]
            case Kind.TURN_ENDED:
                end = event
    ended = end.detail if end is not None else {}
    return Account(
        entered=entered,
        left=left,
        saw=saw,
        emitted=tuple(emitted),
        progress=tuple(progress),
        closing=tuple((id_, outcome) for id_, outcome in ended.get("closing", ())),
        abandoned=tuple(sorted(ended.get("abandoned", ()))),
        how=ended.get("how"),
        ended_ns=end.t_ns if end is not None else None,
        context={} if discarded else context,
    )


def first_difference(seen: Account, expected: Account) -> tuple[int, list[str], str] | None:
    """Find where two accounts part: the instant, the calls concerned, and both in words; ``None`` if they agree."""
    if seen == expected:
        return None
    ours, theirs = seen.told(), expected.told()
    only_seen = [row for row in ours if row not in theirs]
    only_expected = [row for row in theirs if row not in ours]
    at_ns = min(row[0] for row in only_seen + only_expected)
    parts = [[row for row in rows if row[0] == at_ns] for rows in (only_expected, only_seen)]
    calls = list(dict.fromkeys(id_ for rows in parts for _, id_, _ in rows if id_))
    wanted, got = (", ".join(f"{id_} {words}".strip() for _, id_, words in rows) or "nothing" for rows in parts)
    return at_ns, calls, f"expected at {in_words(at_ns)}: {wanted}; seen: {got}"
