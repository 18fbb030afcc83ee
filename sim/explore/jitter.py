"""Latencies moved a little: the same turn, every fixed duration and instant off by up to a bound.

The rule: what was possible stays possible: blocks keep their order, the response ends after the last of them, no time
is negative; and each call's moves are drawn from a stream of its own, as are those of each hook and answer. Unit: ns.
"""

import random
from typing import Final, TypeVar

from scenarios import Call, Expect, Happening, Scenario, Stream
from scenarios.part import Part

P = TypeVar("P", bound=Part)

_AROUND: Final = {"pre_hook": "takes", "post_hook": "takes", "failure_hook": "takes", "answer": "after"}
"""What stands around a body, and the word that says how long it takes."""


def jittered(scenario: Scenario, seed: int, by_ns: int) -> Scenario:
    """Move every arrival, event and fixed duration of bodies, hooks and answers by up to ``by_ns`` nanoseconds.

    The seed chooses how far, and which way. Durations that are drawn anyway are left to their own seed; what the file
    expects is dropped, as it may not hold.

    >>> from scenarios import Call
    >>> moved = jittered(Scenario(calls=[Call(id="a", at="1s", takes="1s")]), 7, 1_000_000)
    >>> abs(moved.calls[0].at_ns - 10**9) <= 10**6, moved == jittered(moved, 7, 0)
    (True, True)
    """
    name = f"{seed}/jitter"
    calls, events = _shaken(scenario.calls, scenario.events, scenario.stream, name, by_ns)
    attempts = []
    for n, attempt in enumerate(scenario.attempts):
        stream = attempt.stream or scenario.stream
        moved = _shaken(attempt.calls, attempt.events, stream, f"{name}/attempt {n}", by_ns)
        attempts.append(attempt.model_copy(update={"calls": moved[0], "events": moved[1]}))
    changes = {
        "calls": calls,
        "events": events,
        "attempts": tuple(attempts),
        "tools": {title: _around(tool, f"{name}/tool {title}", by_ns) for title, tool in scenario.tools.items()},
        "hooks": tuple(_timed(hook, "takes", f"{name}/hook {n}", by_ns) for n, hook in enumerate(scenario.hooks)),
        "permissions": _around(scenario.permissions, f"{name}/permissions", by_ns),
        "expect": Expect(),
    }
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
        changed = call.model_copy(update={"at_ns": at_ns if stream.rate is None else 0, "takes": takes})
        moved.append(_around(changed, f"{name}/{call.id}", by_ns))
    draw = random.Random(name)
    happenings: list[Happening] = []
    for event in events:
        at_ns = _moved(event.at_ns, by_ns, draw)
        if event.do in ("stream_end", "stream_error") and moved:
            at_ns = max(at_ns, moved[-1].at_ns)
        happenings.append(event.model_copy(update={"at_ns": at_ns}))
    happenings.sort(key=lambda event: event.at_ns)
    return tuple(moved), tuple(happenings)


def _around(part: P, name: str, by_ns: int) -> P:
    """Move what stands around the bodies of which ``part`` speaks."""
    found = {word: value for word in _AROUND if (value := getattr(part, word, None)) is not None}
    changes = {word: _timed(value, _AROUND[word], f"{name}/{word}", by_ns) for word, value in found.items()}
    return part.model_copy(update=changes) if changes else part


def _timed(part: P, word: str, name: str, by_ns: int) -> P:
    """Move the duration that a word of ``part`` gives, unless it is drawn or nothing ends."""
    takes = getattr(part, word)
    if not isinstance(takes, int) or getattr(part, "says", None) == "never":
        return part
    return part.model_copy(update={word: _moved(takes, by_ns, random.Random(name))})


def _moved(at_ns: int, by_ns: int, draw: random.Random) -> int:
    return max(0, at_ns + draw.randint(-by_ns, by_ns))
