"""How long a turn took, from its log.

The rule: from the turn's start (t = 0) until there is nothing left to wait for. Times in nanoseconds.
"""

from collections.abc import Iterable

from executor.events import Event, Kind

_RESPONSE_OVER = frozenset({Kind.RESPONSE_ENDED, Kind.RESPONSE_FAILED})


def makespan_ns(events: Iterable[Event]) -> int | None:
    """Give the instant of the last result taken or of the response's end, whichever is later (T2).

    ``None`` where calls owe results and none was taken. Results in the closing report do not count, for nobody took
    them; a result that a fallback withdrew does. A turn without calls, or whose calls were given up with their attempt,
    is over with its response.

    >>> makespan_ns([Event(7, Kind.EMITTED, "a", {"what": "result"}), Event(9, Kind.RESPONSE_ENDED, None, {})])
    9
    """
    last_ns: int | None = None
    over_ns: int | None = None
    owes = False
    for event in events:
        if event.kind is Kind.EMITTED and event.detail.get("what") == "result":
            last_ns = event.t_ns
        elif event.kind in _RESPONSE_OVER:
            over_ns = event.t_ns
        elif event.kind is Kind.BLOCK:
            owes = True
        elif event.kind is Kind.DISCARD:
            owes = False
    if last_ns is None:
        return None if owes else over_ns
    return max(last_ns, over_ns or 0)
