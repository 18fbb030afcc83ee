"""Make a scenario of a turn's whole event log: what is told exactly is said exactly.

The rule: played by the engine that wrote the log, it gives the same results in the same order, and expects them. What
stands around bodies (hooks, questions) and what comes after a failed response is more than this can say; ``fit`` takes
such a turn as it takes any recording. Nanoseconds from the turn's start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from pydantic import ValidationError

from executor.calls.outcome import Outcome
from executor.events import LONGEST_TEXT, Event, Kind, has_contents

from ..calls import ToolSpec
from ..expect import ENGINES
from ..model import Scenario

_BEYOND: Final = frozenset(
    (Kind.HOOK_STARTED, Kind.QUESTION_ASKED, Kind.DENIED, Kind.HARDENED, Kind.DISCARD, Kind.CONSUMER_LEFT, Kind.HALTED)
)
_ENDS: Final = {"ok": "ok", "error": "error", "raised": "raise", "cancelled": "cancelled"}
_CUT: Final = (Outcome.SIBLING_ERROR, Outcome.USER_INTERRUPTED, Outcome.TIMEOUT)
MARGIN_NS: Final = 1_000_000_000
"""How much longer than recorded a cancelled call would have run at least: enough to be still running when it is cut."""


@dataclass(slots=True)
class _Told:
    """What the rows tell of one call."""

    block: Event
    rows: dict[Kind, Event] = field(default_factory=dict)
    progress_ns: list[int] = field(default_factory=list)

    def at_ns(self, kind: Kind) -> int | None:
        return self.rows[kind].t_ns if kind in self.rows else None

    def detail(self, kind: Kind) -> Mapping[str, Any]:
        return self.rows[kind].detail if kind in self.rows else {}

    @property
    def outcome(self) -> str:
        told = self.detail(Kind.COMPLETED) or self.detail(Kind.EMITTED)
        return str(told.get("outcome"))


def exact_scenario(header: Mapping[str, Any], rows: Sequence[Event], name: str) -> Scenario | None:
    """Build the scenario of a log; ``None`` where it tells of more than this can say.

    Args:
        header: the log's header.
        rows: its rows, whole.
        name: the scenario's name.
    """
    if not rows or rows[-1].kind is not Kind.TURN_ENDED or rows[-1].detail.get("how") == "left":
        return None
    if header.get("engine") == "streaming" and header["options"].get("start") != "block":
        return None
    if any(row.kind in _BEYOND or row.detail.get("attempt", 0) or row.detail.get("gated") for row in rows):
        return None
    calls = _by_call(rows)
    try:
        return Scenario.model_validate(
            {
                "scenario": name,
                "options": _options(header),
                "tools": {call.block.detail["tool"]: _tool(call, header) for call in calls.values()},
                "calls": [_call(call, header, calls) for call in calls.values()],
                "events": [event for row in rows for event in _happening(row)],
                "expect": _expect(header, rows, calls),
            }
        )
    except (ValidationError, KeyError, TypeError, AttributeError):
        # A log of somebody else's may say what no scenario can.
        return None


def _by_call(rows: Sequence[Event]) -> dict[str, _Told]:
    calls: dict[str, _Told] = {}
    for row in rows:
        if row.call is None:
            continue
        if row.kind is Kind.BLOCK:
            calls.setdefault(row.call, _Told(row))
        elif row.call in calls:
            call = calls[row.call]
            if row.kind is Kind.PROGRESSED:
                call.progress_ns.append(row.t_ns)
            elif row.kind is not Kind.EMITTED or row.detail.get("what") == "result":
                call.rows.setdefault(row.kind, row)
    return calls


def _options(header: Mapping[str, Any]) -> dict[str, Any]:
    said = header["options"]
    options = {"emission": said["emission"], "cascade": said["cascade"], "grace": f"{said['grace_ns']}ns"}
    if header.get("engine") != "serial":
        # A serial run has a limit of one whatever its options say.
        options["max_concurrency"] = said["max_concurrency"]
    # What a result holds was cut already, where it was.
    return options | {"max_output": None} if has_contents(header) else options


def _tool(call: _Told, header: Mapping[str, Any]) -> ToolSpec:
    said = _of_tool(call, header)
    deadline_ns = said.get("deadline_ns")
    return ToolSpec(
        safe=said.get("safe") is True,
        cascades=said.get("cascades") is True,
        interrupt="cancel" if said.get("interrupt") == "cancel" else "block",
        available=call.block.detail["known"],
        timeout=None if deadline_ns is None else f"{deadline_ns}ns",
        detached=call.detail(Kind.LEFT).get("detached") is True,
    )


def _of_tool(call: _Told, header: Mapping[str, Any]) -> Mapping[str, Any]:
    """Find what the header says of a call's tool, by its name or a retired one."""
    name, tools = call.block.detail["tool"], header["tools"]
    by_alias = (tool for tool in tools.values() if name in tool.get("aliases", ()))
    said: Mapping[str, Any] = tools[name] if name in tools else next(by_alias, {})
    return said


def _call(call: _Told, header: Mapping[str, Any], calls: Mapping[str, _Told]) -> dict[str, Any]:
    block = call.block.detail
    words: dict[str, Any] = {"id": call.block.call, "tool": block["tool"], "at": f"{call.block.t_ns}ns"}
    if isinstance(block.get("raw"), str):
        words["raw"] = block["raw"]
    elif isinstance(block.get("input"), Mapping):
        words["input"] = block["input"]
    if not block["known"]:
        return words
    if not block["valid"]:
        return words if "raw" in words else words | {"valid": False}
    if block["safe"] is not (_of_tool(call, header).get("safe") is True):
        words["safe"] = block["safe"]
    return words | _body(call, header, calls)


def _body(call: _Told, header: Mapping[str, Any], calls: Mapping[str, _Told]) -> dict[str, Any]:
    """Say what a body does: as it did, or, where it was cut or never began, for as long as it takes to be cut."""
    entered_ns, left_ns, left = call.at_ns(Kind.ENTERED), call.at_ns(Kind.LEFT), call.detail(Kind.LEFT)
    ran_ns = 0 if entered_ns is None or left_ns is None else left_ns - entered_ns
    words: dict[str, Any] = {}
    refused_ns = call.at_ns(Kind.REFUSED)
    if refused_ns is not None and entered_ns is not None:
        words["refuses"] = f"{refused_ns - entered_ns}ns"
    progress = [at_ns - (entered_ns or 0) for at_ns in call.progress_ns]
    words["progress"] = [f"{ns}ns" for before, ns in pairwise([-1, *progress]) if ns > before]
    if call.outcome in _CUT and left.get("ended") != "ok":
        words |= _stubbornness(call, header["options"]["grace_ns"])
        if call.outcome == Outcome.SIBLING_ERROR and not _is_behind_its_culprit(call, header, calls):
            return words | {"takes": f"{ran_ns + MARGIN_NS}ns"}
        return words | {"ends": "hang"}
    if left.get("ended") == "background":
        over_ns = call.at_ns(Kind.WORK_ENDED)
        lasts = {"ends": "hang"} if over_ns is None else {"takes": f"{over_ns - (entered_ns or 0)}ns"}
        return words | lasts | {"background": f"{ran_ns}ns"}
    ends = {"takes": f"{ran_ns}ns", "ends": _ENDS[left["ended"]], "sets": left.get("sets", {})}
    return words | ends | _output(call)


def _stubbornness(call: _Told, grace_ns: int) -> dict[str, Any]:
    """Say what a body that was cut did not listen to."""
    signalled_ns, left_ns = call.at_ns(Kind.SIGNALLED), call.at_ns(Kind.LEFT)
    if signalled_ns is None:
        return {}
    if left_ns is None:
        return {"stubborn": "cancel"}
    return {"stubborn": "signal"} if 0 < grace_ns <= left_ns - signalled_ns else {}


def _output(call: _Told) -> dict[str, Any]:
    content = call.detail(Kind.COMPLETED).get("content")
    if content is None:
        # Without contents a log keeps the beginning of what bodies say; it may be the whole.
        said = call.detail(Kind.LEFT).get("said")
        return {"output": said} if isinstance(said, str) and len(said) < LONGEST_TEXT else {}
    return {"output": content} if isinstance(content, str) else {"content": list(content)}


def _is_behind_its_culprit(call: _Told, header: Mapping[str, Any], calls: Mapping[str, _Told]) -> bool:
    """Tell a call that an engine cannot start before the one that failed and cancelled it."""
    for other in calls.values():
        if other is call:
            return False
        if other.outcome in (Outcome.ERROR, Outcome.TIMEOUT) and _of_tool(other, header).get("cascades") is True:
            return True
    return False


def _happening(row: Event) -> list[dict[str, Any]]:
    at = f"{row.t_ns}ns"
    if row.kind is Kind.RESPONSE_ENDED:
        return [{"at": at, "do": "stream_end"}]
    if row.kind is Kind.RESPONSE_FAILED:
        return [{"at": at, "do": "stream_error", "error": str(row.detail.get("error"))}]
    if row.kind is Kind.SUBMIT:
        return [{"at": at, "do": "submit", "force": row.detail.get("force") is True}]
    return [{"at": at, "do": "stop"}] if row.kind is Kind.STOP else []


def _expect(header: Mapping[str, Any], rows: Sequence[Event], calls: Mapping[str, _Told]) -> dict[str, Any]:
    if header.get("engine") not in ENGINES:
        return {}
    given = [row for row in rows if row.kind is Kind.EMITTED and row.detail.get("what") == "result"]
    return {
        "results": [(row.call, str(row.detail["outcome"])) for row in given],
        "started": [call_id for call_id, call in calls.items() if Kind.ENTERED in call.rows],
        "turn": rows[-1].detail["how"],
        "engines": [header["engine"]],
    }
