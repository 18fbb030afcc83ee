"""Random options, users and consumers. Unit: ticks of 100 ms."""

from collections.abc import Collection, Sequence
from typing import Any

from hypothesis import strategies as st

from ..model import Consumer, Happening, Options
from .features import Feature
from .grid import TICKS, time


@st.composite
def options(draw: st.DrawFn, on: Collection[Feature]) -> Options:
    """Make the executor's options."""
    words: dict[str, Any] = {}
    if "limit" in on:
        words["max_concurrency"] = draw(st.sampled_from([10, None, 1, 2, 3, 4]))
    if "eager" in on:
        words["emission"] = draw(st.sampled_from(["ordered", "eager"]))
    if "policies" in on:
        words["cascade"] = draw(st.sampled_from(["exclusive", "any", "never"]))
    if "stubborn" in on:
        words["grace"] = draw(st.sampled_from(["2s", "200ms", "0s"]))
    return Options(**words)


def consumers() -> st.SearchStrategy[Consumer]:
    """Make consumers that are slow, leave after some updates or from an instant on."""

    slow = TICKS.map(time).map(lambda takes: {"takes": takes})
    after = st.integers(1, 6).map(lambda count: {"leaves_after": count})
    at = st.integers(0, 20).map(time).map(lambda instant: {"leaves_at": instant})
    return st.builds(lambda takes, leaves: Consumer(**takes, **leaves), slow, st.just({}) | after | at)


@st.composite
def users(
    draw: st.DrawFn, until: int = 20, acts: Sequence[Feature] = ("stop", "submit", "discard", "cancel")
) -> list[Happening]:
    """Make up to two of the acts of a user or a client, each at most once, in order of time.

    Args:
        until: the last tick at which they act.
        acts: what they may do.
    """
    count = draw(st.integers(0, 2)) if acts else 0
    kinds = dict.fromkeys(draw(st.sampled_from(acts)) for _ in range(count))
    made = []
    for kind in kinds:
        words: dict[str, Any] = {"do": kind, "at": time(draw(st.integers(0, until)))}
        made.append(Happening(**words, **({"force": draw(st.booleans())} if kind == "submit" else {})))
    return sorted(made, key=lambda event: event.at_ns)


@st.composite
def events(draw: st.DrawFn, last: int, on: Collection[Feature], interruptions: Sequence[Feature]) -> list[Happening]:
    """Make the response's end and up to two ways to cut the turn short.

    Nothing ends the response before its last call's tick; the user may act at any time.
    """
    count = draw(st.integers(0, 2)) if interruptions else 0
    kinds = dict.fromkeys(draw(st.sampled_from(interruptions)) for _ in range(count))
    events: list[tuple[int, dict[str, Any]]] = []
    for kind in kinds:
        match kind:
            case "submit":
                events.append((draw(st.integers(0, last + 10)), {"do": kind, "force": draw(st.booleans())}))
            case "stop" | "discard" | "cancel":
                events.append((draw(st.integers(0, last + 10)), {"do": kind}))
            case _:
                events.append((draw(st.integers(last, last + 10)), {"do": kind}))
    if "late_end" in on and "stream_error" not in kinds:
        events.append((draw(st.integers(last, last + 10)), {"do": "stream_end"}))
    events.sort(key=lambda event: event[0])
    return [Happening(at=time(tick), **words) for tick, words in events]
