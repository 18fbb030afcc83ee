"""Lanes for what overlaps: as few as it takes, and nothing in a lane overlaps (B122). Unit: nanoseconds.

The rule: greedy, the earliest start first, the lowest lane that is free; so equal input gives equal lanes.
"""

import heapq
from collections.abc import Sequence


def lanes(spans_ns: Sequence[tuple[int, int]]) -> list[int]:
    """Give each span its lane, from 0 on; one that begins where another ends may follow it, an instant takes 1 ns.

    >>> lanes([(0, 2), (1, 3), (2, 4)])
    [0, 1, 0]
    """
    chosen = [0] * len(spans_ns)
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    for place in sorted(range(len(spans_ns)), key=lambda place: spans_ns[place][0]):
        start_ns, end_ns = spans_ns[place]
        while busy and busy[0][0] <= start_ns:
            heapq.heappush(free, heapq.heappop(busy)[1])
        # Lanes are taken from 0 on and never dropped, so that one beyond all in use is their number.
        chosen[place] = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (max(end_ns, start_ns + 1), chosen[place]))
    return chosen
