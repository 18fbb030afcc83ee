"""A recorded turn as an event log, so that it can be judged and drawn like a simulated one (DESIGN 5).

The rule: only what the file tells becomes an event; a log that was read stays what it is. A call whose start is unknown
is never entered; an event whose time is a bound or unknown carries ``estimated``. Times in nanoseconds from the first
block's arrival, a log's own from the turn's start.
"""

from collections.abc import Iterator
from typing import Any, Final

from executor.events import Event, Kind

from .model import RecordedCall, RecordedTurn, StrayResult
from .profiles import Profile

JUDGED: Final = ("P1", "P2")
"""The rules a recording can be judged by: the others need exact starts and classes, which it does not tell."""

_ORDER: Final = (
    Kind.RESPONSE_STARTED,
    Kind.BLOCK,
    Kind.ENTERED,
    Kind.PROGRESSED,
    Kind.LEFT,
    Kind.EMITTED,
    Kind.RESPONSE_ENDED,
    Kind.STOP,
)
"""Within one instant of a file's clock (a millisecond holds much) things are put in the order of a call's life."""


def to_log(turn: RecordedTurn) -> tuple[dict[str, Any], list[Event]]:
    """Write a recorded turn as a log.

    Args:
        turn: as an importer gave it; where it knows no times, every event is at 0 and estimated.

    Returns:
        The header and the events, by time.
    """
    if turn.log is not None:
        header, rows = turn.log
        return dict(header), list(rows)
    events = sorted(_events(turn), key=lambda event: (event.t_ns, _ORDER.index(event.kind)))
    how = "completed" if turn.interrupted_ns is None else "stopped"
    end = Event(events[-1].t_ns, Kind.TURN_ENDED, None, {"how": how, "closing": [], "abandoned": []})
    return _header(turn), [*events, end]


def _header(turn: RecordedTurn) -> dict[str, Any]:
    profile = turn.choice.assumed
    return {
        "scenario": f"turn {turn.number}",
        "engine": profile.engine if turn.choice.profile is not None else "unknown",
        "estimates": True,
        "tools": {name: _described(name, profile) for name in sorted({call.tool for call in turn.calls})},
        "options": {
            "max_concurrency": profile.max_concurrency,
            "emission": profile.emission,
            "cascade": profile.cascade,
            "grace_ns": 0,
            "start": "response_end" if profile.engine != "streaming" else "block",
        },
    }


def _described(tool: str, profile: Profile) -> dict[str, Any]:
    safe = profile.safe(tool)
    return {
        "safe": safe if isinstance(safe, bool) else None,
        "cascades": profile.cascades(tool),
        "interrupt": profile.interrupt(tool),
    }


def _events(turn: RecordedTurn) -> Iterator[Event]:
    last_ns = turn.since_start_ns(turn.ended_ns)
    yield Event(0, Kind.RESPONSE_STARTED, None, {"attempt": 0})
    yield Event(turn.since_start_ns(turn.last_block_ns), Kind.RESPONSE_ENDED, None, {"attempt": 0})
    if turn.interrupted_ns is not None:
        yield Event(turn.since_start_ns(turn.interrupted_ns), Kind.STOP, None, {})
    calls = {call.id: call for call in turn.calls}
    for index, call in enumerate(turn.calls):
        yield from _life(turn, call, index)
    for call in (calls[call_id] for call_id in turn.emitted):
        yield _emitted(turn, call, call.ended_ns, last_ns)
    for stray in turn.duplicates + turn.unmatched:
        yield _emitted(turn, stray, stray.at_ns, last_ns)


def _life(turn: RecordedTurn, call: RecordedCall, index: int) -> Iterator[Event]:
    block: dict[str, Any] = {
        "tool": call.tool,
        "index": index,
        "attempt": 0,
        "known": True,
        "valid": True,
        "safe": call.safe,
    }
    if turn.arrival_bound or call.arrived_ns is None:
        block["estimated"] = True
    yield Event(turn.since_start_ns(call.arrived_ns), Kind.BLOCK, call.id, block)
    if call.started_ns is None:
        return
    guessed = {"estimated": True} if call.start_basis == "rule" or call.estimated else {}
    yield Event(turn.since_start_ns(call.started_ns), Kind.ENTERED, call.id, guessed)
    for n, at_ns in enumerate(call.progress_ns):
        yield Event(turn.since_start_ns(at_ns), Kind.PROGRESSED, call.id, {"n": n})
    if call.ended_ns is not None:
        ended = "ok" if call.outcome == "ok" else "error"
        bound = {"estimated": True} if call.estimated else {}
        yield Event(turn.since_start_ns(call.ended_ns), Kind.LEFT, call.id, {"ended": ended, **bound})


def _emitted(turn: RecordedTurn, what: RecordedCall | StrayResult, at_ns: int | None, last_ns: int) -> Event:
    detail: dict[str, Any] = {"what": "result", "outcome": "untold", "abandoned": False}
    if isinstance(what, RecordedCall) and what.outcome is not None:
        told = {"outcome": what.outcome.value, "is_error": what.outcome != "ok", "started": what.started_ns is not None}
        detail |= told
    if at_ns is None:
        return Event(last_ns, Kind.EMITTED, what.id, detail | {"estimated": True})
    return Event(turn.since_start_ns(at_ns), Kind.EMITTED, what.id, detail)
