"""``opencode run --format json``: a tool's part is written once it is over, with its start and end.

The rule: parts of one message are one response. Unit: the file's milliseconds become nanoseconds.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import milliseconds_ns, word
from .lines import Record
from .opened import Habits

_TYPES: Final = frozenset(("step_start", "tool_use", "text", "reasoning", "step_finish", "error"))
_STATUS: Final = {"completed": Outcome.OK, "error": Outcome.ERROR}


class Opencode(Collector):
    """Takes the lines of a run."""

    habits: ClassVar[Habits] = Habits(program="opencode", arrival_bound=True)

    def take(self, record: Record) -> None:
        """Take one line."""
        kind, part = word(record.value.get("type")), record.value.get("part")
        counts = self._findings.counts
        counts.types[kind] += 1
        if kind not in _TYPES:
            counts.unknown_types[visible(kind)] += 1
        if isinstance(part, dict) and part.get("type") == "tool":
            self._tool(part)

    def _tool(self, part: dict[str, Any]) -> None:
        main, state = self.conversations.main, part.get("state")
        if not isinstance(state, dict):
            self._findings.report("a tool's part without a state, skipped")
            return
        times = state.get("time")
        clock = times if isinstance(times, dict) else {}
        key = word(part.get("messageID")) or f"record {self._findings.counts.records}"
        started_ns = milliseconds_ns(clock.get("start"))
        turn = self._open(key, started_ns, main)
        call = self._add_call(part.get("callID"), part.get("tool"), state.get("input"), started_ns, turn, main)
        outcome = _STATUS.get(word(state.get("status")))
        if call is None or outcome is None:
            return
        call.started_ns = started_ns
        self._answer(call.id, milliseconds_ns(clock.get("end")), main)
        call.outcome = outcome


OPENCODE: Final = Format(
    name="opencode",
    title="opencode run --format json",
    facts=Facts(
        arrival=estimated("state.time.start, at the latest"),
        start=told("state.time.start"),
        end=told("state.time.end"),
        progress=UNKNOWN,
        error=told("state.status"),
        group=told("messageID"),
    ),
    fits=lambda record: word(record.get("type")) in _TYPES and "sessionID" in record,
    collector=Opencode,
)
