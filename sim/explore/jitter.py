"""Latencies moved a little: the same turn, every fixed duration and instant off by up to a bound.

The rule: what was possible stays possible: blocks keep their order, the response ends after the last of them, no time
is negative; and each call's moves are drawn from a stream of its own. Unit: ns.
"""

import random

from scenarios import Call, Expect, Happening, Scenario


def jittered(scenario: Scenario, seed: int, by_ns: int) -> Scenario:
    """Move every arrival, fixed duration and event by up to ``by_ns`` nanoseconds either way, chosen by the seed.

    Durations that are drawn anyway are left to their own seed; what the file expects is dropped, as it may not hold.

    >>> from scenarios import Call
    >>> moved = jittered(Scenario(calls=[Call(id="a", at="1s", takes="1s")]), 7, 1_000_000)
    >>> abs(moved.calls[0].at_ns - 10**9) <= 10**6, moved == jittered(moved, 7, 0)
    (True, True)
    """
    calls: list[Call] = []
    for call in scenario.calls:
        draw = random.Random(f"{seed}/jitter/{call.id}")
        at_ns = max(_moved(call.at_ns, by_ns, draw), calls[-1].at_ns if calls else 0)
        takes = call.takes
        if isinstance(takes, int) and call.ends != "hang":
            takes = max(_moved(takes, by_ns, draw), *call.progress, 0)
        calls.append(call.model_copy(update={"at_ns": at_ns, "takes": takes}))
    draw = random.Random(f"{seed}/jitter")
    events: list[Happening] = []
    for event in scenario.events:
        at_ns = _moved(event.at_ns, by_ns, draw)
        if event.do in ("stream_end", "stream_error") and calls:
            at_ns = max(at_ns, calls[-1].at_ns)
        events.append(event.model_copy(update={"at_ns": at_ns}))
    events.sort(key=lambda event: event.at_ns)
    return scenario.model_copy(update={"calls": tuple(calls), "events": tuple(events), "expect": Expect()})


def _moved(at_ns: int, by_ns: int, draw: random.Random) -> int:
    return max(0, at_ns + draw.randint(-by_ns, by_ns))
