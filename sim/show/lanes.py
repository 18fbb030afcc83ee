"""What a drawing of a turn needs, read from its log: a lane per call, the response's marks, the user's acts.

The rule: what the log does not tell stays untold. Times in nanoseconds from the turn's start.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from executor.events import INSIDE, Event, Kind


@dataclass(slots=True, eq=False)
class Lane:
    """One call: its instants, as far as they are told, and how it ended."""

    id: str
    tool: str = "?"
    kind: str = ""
    attempt: int = 0
    arrived_ns: int | None = None
    entered_ns: int | None = None
    left_ns: int | None = None
    emitted_ns: int | None = None
    progress_ns: list[int] = field(default_factory=list)
    outcome: str = "no result"
    started: bool = True

    @property
    def ran_ns(self) -> int | None:
        """How long the body ran, ``None`` where it did not or is not told."""
        return None if self.entered_ns is None or self.left_ns is None else self.left_ns - self.entered_ns


@dataclass(slots=True)
class Drawn:
    """What a drawing needs of a log."""

    lanes: list[Lane] = field(default_factory=list)
    stream: list[tuple[int, str]] = field(default_factory=list)
    stream_end: str = "no response"
    acts: list[tuple[int, str]] = field(default_factory=list)
    ended: str = "not ended"
    ended_ns: int | None = None
    halted: str = ""
    span_ns: int = 0
    bodies_told: bool = False


def read(events: Iterable[Event]) -> Drawn:
    """Read the outside view of a log."""
    turn, newest, running = Drawn(), dict[str, Lane](), dict[str, Lane]()

    def lane_of(id_: str | None) -> Lane:
        if (name := id_ or "?") not in newest:
            newest[name] = Lane(name)
            turn.lanes.append(newest[name])
        return newest[name]

    for event in events:
        if event.kind in INSIDE:
            continue
        t_ns, told = event.t_ns, event.detail
        turn.span_ns = max(turn.span_ns, t_ns)
        match event.kind:
            case Kind.RESPONSE_STARTED:
                turn.stream.append((t_ns, "begin"))
            case Kind.BLOCK:
                turn.stream.append((t_ns, "block"))
                turn.stream_end = "open"
                if lane_of(event.call).arrived_ns is not None:
                    del newest[event.call or "?"]
                lane = lane_of(event.call)
                lane.arrived_ns, lane.tool, lane.attempt = t_ns, str(told.get("tool", "?")), told.get("attempt", 0)
                lane.kind = _kind(told)
            case Kind.RESPONSE_ENDED:
                turn.stream.append((t_ns, "end"))
                turn.stream_end = "ended"
            case Kind.RESPONSE_FAILED:
                turn.stream.append((t_ns, "failure"))
                turn.stream_end = "failed"
            case Kind.ENTERED:
                turn.bodies_told = True
                lane = running[event.call or "?"] = lane_of(event.call)
                lane.entered_ns = t_ns if lane.entered_ns is None else lane.entered_ns
            case Kind.PROGRESSED:
                running.get(event.call or "?", lane_of(event.call)).progress_ns.append(t_ns)
            case Kind.LEFT:
                running.pop(event.call or "?", lane_of(event.call)).left_ns = t_ns
            case Kind.EMITTED if told.get("what") == "result":
                lane = lane_of(event.call)
                lane.emitted_ns = t_ns
                lane.outcome = str(told.get("outcome", "?")) + (", abandoned" if told.get("abandoned") else "")
                lane.started = bool(told.get("started", True))
            case Kind.STOP | Kind.SUBMIT:
                turn.acts.append((t_ns, event.kind.value))
            case Kind.DISCARD:
                for lane in turn.lanes:
                    if lane.attempt == told.get("attempt", 0):
                        lane.outcome = "withdrawn" if lane.id in told.get("withdrawn", ()) else "discarded"
            case Kind.TURN_ENDED:
                turn.ended, turn.ended_ns = str(told.get("how", "ended")), t_ns
                for id_, outcome in told.get("closing", ()):
                    lane_of(id_).outcome = f"{outcome}, untaken"
            case Kind.HALTED:
                waiting = "; ".join(map(str, told.get("waiting", ())))
                turn.halted = ": ".join(filter(None, ["halted", str(told.get("why", "?")), waiting]))
    return turn


def _kind(told: Mapping[str, Any]) -> str:
    if not told.get("known", True) or not told.get("valid", True):
        return "none"
    return "" if "safe" not in told else "safe" if told["safe"] else "excl"
