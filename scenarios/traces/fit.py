"""Make a scenario of a recorded turn, so that any engine can be asked what it would have made of it.

The rule: what was recorded is kept (arrivals, durations, errors, the user's stop), what the engine decides is left to
it (starts, cancellations, order); a turn with an unknown time gives no scenario, and the reason is said. Nanoseconds
from the turn's first block.
"""

from collections.abc import Mapping
from typing import Any, Final

from executor.calls.outcome import Outcome

from ..durations import LONGEST_NS, Empirical, LogNormal
from ..model import Call, Happening, Scenario, ToolSpec
from ..visible import visible
from .fit_log import MARGIN_NS, exact_scenario
from .latencies import BY_THEMSELVES
from .model import RecordedCall, RecordedTurn
from .profiles import AS_LOGGED, Profile

_BODILESS: Final = (Outcome.INVALID_INPUT, Outcome.UNKNOWN_TOOL)
_SHOWN: Final = 120


def obstacle(turn: RecordedTurn) -> str | None:
    """Say in a few words why no scenario can be made of a turn, or ``None`` if one can."""
    if turn.first_ns is None or turn.last_block_ns is None:
        return "its times are unknown"
    for call in turn.calls:
        if call.split_by_compaction:
            return "a result is split from its call by compaction"
        if call.outcome is None:
            return "a call has no result"
        if call.arrived_ns is None or call.ended_ns is None:
            return "the times of a call are unknown"
        if call.outcome in BY_THEMSELVES and call.started_ns is None:
            return "how long a call took is unknown"
        if call.outcome is Outcome.STREAMING_FALLBACK:
            return "a call was discarded with its attempt, and the retry is another response"
        if call.outcome is Outcome.SIBLING_ERROR and _culprit(turn) is None:
            return "a call was cancelled by an error that is not in the file"
    if (turn.ended_ns or 0) - turn.first_ns > LONGEST_NS:
        return "its times are centuries apart"
    return None


def to_scenario(turn: RecordedTurn, takes: Mapping[str, Empirical | LogNormal] | None = None) -> Scenario | None:
    """Build the scenario of a turn; ``None`` where :func:`obstacle` has a reason.

    Options and classes are those of the turn's profile, the published design where it has none. A refusal is an error
    after the recorded wait that cancels nobody. An event log's turn is said exactly, where a scenario can say it, and
    expects what came of it.

    Args:
        turn: as an importer gave it.
        takes: by tool, what its calls that ended by themselves take instead of what was recorded; they then report no
            progress.
    """
    if obstacle(turn) is not None or turn.first_ns is None or turn.last_block_ns is None:
        return None
    name = f"turn {turn.number}, line {turn.line}"
    stop_ns, profile = _stop_ns(turn), turn.choice.assumed
    if turn.log is not None and profile.name == AS_LOGGED and not takes:
        exact = exact_scenario(*turn.log, name)
        if exact is not None:
            return exact
    calls: list[Call] = []
    at_ns = 0
    for call in turn.calls:
        at_ns = max(at_ns, turn.since_start_ns(call.arrived_ns))
        calls.append(_call(call, turn, at_ns, (takes or {}).get(call.tool)))
    end_ns = max(at_ns, turn.last_block_ns - turn.first_ns)
    events = [Happening(at=f"{end_ns}ns", do="stream_end")]
    if stop_ns is not None:
        events.append(Happening(at=f"{stop_ns}ns", do="stop"))
    return Scenario(
        scenario=name,
        options=profile.options,
        tools={call.tool: _tool(recorded, profile) for call, recorded in zip(calls, turn.calls, strict=True)},
        calls=tuple(calls),
        events=tuple(sorted(events, key=lambda event: event.at_ns)),
    )


def _call(call: RecordedCall, turn: RecordedTurn, at_ns: int, drawn: Empirical | LogNormal | None) -> Call:
    """Give one call its body: its recorded end, or one that lasts until it is cut."""
    # A tool of the scenario is one thing to all its calls, so a call that met another fate calls another tool.
    apart = {Outcome.DENIED: " (denied)", Outcome.UNKNOWN_TOOL: " (unknown)"}
    name = call.tool + apart.get(call.outcome, "") if call.outcome is not None else call.tool
    ends, takes_ns = _body(call, turn)
    if call.outcome not in BY_THEMSELVES or call.permission_wait:
        drawn = None
    return Call(
        id=call.id,
        tool=name,
        at=f"{at_ns}ns",
        takes=drawn or (0 if takes_ns is None else f"{takes_ns}ns"),
        ends=ends,
        valid=call.outcome is not Outcome.INVALID_INPUT,
        progress=() if drawn else tuple(f"{offset_ns}ns" for offset_ns in _progress(call, takes_ns)),
        safe=None if call.safe is _is_safe(call.tool, turn.choice.assumed) else call.safe,
        input=_short(call.input),
    )


def _body(call: RecordedCall, turn: RecordedTurn) -> tuple[Any, int | None]:
    """Say how a body ends and after how long; no duration where only an abort ends it.

    A hang is used only where its end is sure to come: the user's stop, or the error of a call that is admitted before.
    A call that was cancelled while an earlier one of its kind still ran gets its recorded time and a margin instead.
    """
    if call.outcome in _BODILESS:
        return "ok", 0
    if call.outcome is Outcome.USER_INTERRUPTED:
        return "hang", None
    ran_ns = (call.ended_ns or 0) - (call.started_ns if call.started_ns is not None else call.ended_ns or 0)
    if call.outcome is Outcome.SIBLING_ERROR:
        culprit = _culprit(turn)
        behind = culprit is not None and turn.calls.index(culprit) < turn.calls.index(call)
        return ("hang", None) if behind else ("ok", ran_ns + MARGIN_NS)
    return ("ok" if call.outcome is Outcome.OK else "error"), ran_ns


def _culprit(turn: RecordedTurn) -> RecordedCall | None:
    """Find the call whose error cancelled its siblings: the first to end with one."""
    errors = [call for call in turn.calls if call.outcome is Outcome.ERROR and call.ended_ns is not None]
    return min(errors, key=lambda call: call.ended_ns or 0, default=None)


def _stop_ns(turn: RecordedTurn) -> int | None:
    """Give the instant of the user's stop, if it met a call that was still open: that call's end tells it."""
    ends = [call.ended_ns for call in turn.calls if call.outcome is Outcome.USER_INTERRUPTED]
    known = [at_ns for at_ns in ends if at_ns is not None]
    return turn.since_start_ns(min(known)) if known else None


def _tool(call: RecordedCall, profile: Profile) -> ToolSpec:
    return ToolSpec(
        safe=_is_safe(call.tool, profile),
        cascades=call.outcome is not Outcome.DENIED and profile.cascades(call.tool),
        interrupt=profile.interrupt(call.tool),
        available=call.outcome is not Outcome.UNKNOWN_TOOL,
    )


def _is_safe(tool: str, profile: Profile) -> bool:
    """Give the class of a tool: of a shell, exclusive, for the commands of its calls are not kept whole."""
    return profile.safe(tool) is True


def _progress(call: RecordedCall, takes_ns: int | None) -> list[int]:
    """Give a body's progress, from its start: increasing, and inside the body."""
    offsets: list[int] = []
    for at_ns in call.progress_ns if call.started_ns is not None else ():
        offset_ns = at_ns - (call.started_ns or 0)
        if offset_ns > (offsets[-1] if offsets else 0) and (takes_ns is None or offset_ns <= takes_ns):
            offsets.append(offset_ns)
    return offsets


def _short(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Keep of an input what fits on a line: a scenario is to be read, and file contents decide nothing in it."""
    kept: dict[str, Any] = {}
    for key, value in (given or {}).items():
        if (isinstance(value, str) and len(value) <= _SHOWN and value.isprintable()) or isinstance(value, bool | int):
            kept[visible(key)] = value
    return kept
