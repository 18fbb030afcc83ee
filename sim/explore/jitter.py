"""Latencies moved a little: the same turn, every fixed duration and instant off by up to a bound.

The rule: what was possible stays possible: blocks keep their order, the response ends after the last of them, no time
is negative; and each call's moves are drawn from a stream of its own. Unit: ns.
"""

import random

from scenarios import Call, Expect, Happening, Scenario, Stream


def jittered(scenario: Scenario, seed: int, by_ns: int) -> Scenario:
    """Move every arrival, fixed duration and event by up to ``by_ns`` nanoseconds either way, chosen by the seed.

    Durations that are drawn anyway are left to their own seed; what the file expects is dropped, as it may not hold.

    >>> from scenarios import Call
    >>> moved = jittered(Scenario(calls=[Call(id="a", at="1s", takes="1s")]), 7, 1_000_000)
    >>> abs(moved.calls[0].at_ns - 10**9) <= 10**6, moved == jittered(moved, 7, 0)
    (True, True)
    """
    calls, events = _shaken(scenario.calls, scenario.events, scenario.stream, f"{seed}/jitter", by_ns)
    attempts = []
    for n, attempt in enumerate(scenario.attempts):
        stream = attempt.stream or scenario.stream
        moved = _shaken(attempt.calls, attempt.events, stream, f"{seed}/jitter/attempt {n}", by_ns)
        attempts.append(attempt.model_copy(update={"calls": moved[0], "events": moved[1]}))
    changes = {"calls": calls, "events": events, "attempts": tuple(attempts), "expect": Expect()}
    return scenario.model_copy(update=changes)


def _shaken(
    calls: tuple[Call, ...], events: tuple[Happening, ...], stream: Stream, name: str, by_ns: int
) -> tuple[tuple[Call, ...], tuple[Happening, ...]]:
    """Move the calls and the events of one response; where a rate says when calls arrive they stay."""
    moved: list[Call] = []
    for call in calls:
        draw = random.Random(f"{name}/{call.id}")
        at_ns = max(_moved(call.at_ns, by_ns, draw), moved[-1].at_ns if moved else 0)
        takes = call.takes
        if isinstance(takes, int) and call.ends != "hang":
            takes = max(_moved(takes, by_ns, draw), *call.progress, call.refuses_ns or 0)
        moved.append(call.model_copy(update={"at_ns": at_ns if stream.rate is None else 0, "takes": takes}))
    draw = random.Random(name)
    happenings: list[Happening] = []
    for event in events:
        at_ns = _moved(event.at_ns, by_ns, draw)
        if event.do in ("stream_end", "stream_error") and moved:
            at_ns = max(at_ns, moved[-1].at_ns)
        happenings.append(event.model_copy(update={"at_ns": at_ns}))
    happenings.sort(key=lambda event: event.at_ns)
    return tuple(moved), tuple(happenings)


def _moved(at_ns: int, by_ns: int, draw: random.Random) -> int:
    return max(0, at_ns + draw.randint(-by_ns, by_ns))
