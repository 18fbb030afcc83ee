"""AI SDK UI message streams: the parts a server sends to its page, as events, lines or a recorded list.

The rule: a step is a response. A call is there when its input is, or when somebody is asked about it, or its step ends;
what the provider runs itself is none. Nothing here has a time.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import object_of, word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits, OpenTurn

_RESULTS: Final = {
    "tool-output-available": Outcome.OK,
    "tool-output-error": Outcome.ERROR,
    "tool-output-denied": Outcome.DENIED,
}
_INPUTS: Final = frozenset(("tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"))
_SPOKEN: Final = ("text-", "reasoning-", "source-", "data-")
_OTHERS: Final = frozenset(
    (
        *("start", "start-step", "finish-step", "finish", "abort", "error", "file", "message-metadata"),
        *("tool-approval-request", "tool-approval-response"),
    )
)


class AiSdk(Collector):
    """Takes the parts of a stream."""

    habits: ClassVar[Habits] = Habits()

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._names: dict[str, object] = {}
        """The names of the calls whose input is still coming."""
        self._texts: dict[str, str] = {}
        """Their input so far."""
        self._elsewhere: set[str] = set()
        """The calls that the provider runs itself."""

    def take(self, record: Record) -> None:
        """Take one part by its type."""
        value, counts = record.value, self._findings.counts
        kind, call_id = word(value.get("type")), word(value.get("toolCallId"))
        counts.types[kind] += 1
        if value.get("providerExecuted") is True:
            self._elsewhere.add(call_id)
        if call_id and call_id in self._elsewhere:
            return
        if kind in ("start", "start-step"):
            self._complete()
            self._turn = None
        elif kind in ("finish-step", "finish"):
            self._complete()
        elif kind in _INPUTS:
            self._input(kind, call_id, value)
        elif kind == "tool-approval-request":
            self._complete(call_id)
            found = self.conversations.main.calls.get(visible(call_id))
            if found is not None:
                found[1].asked = True
        elif kind in _RESULTS and value.get("preliminary") is not True:
            self._complete(call_id)
            self._result(call_id, _RESULTS[kind])
        elif kind == "abort":
            self._interrupt(None, self.conversations.main)
        elif kind not in _OTHERS and kind not in _RESULTS and not kind.startswith(_SPOKEN):
            counts.unknown_types[visible(kind)] += 1

    def end(self) -> None:
        """Enter what is whole although the file ends here, and report what is not."""
        self._complete()
        super().end()

    def _input(self, kind: str, call_id: str, value: dict[str, Any]) -> None:
        if kind == "tool-input-start":
            self._names[call_id], self._texts[call_id] = value.get("toolName"), ""
        elif kind == "tool-input-delta":
            self._texts[call_id] = self._texts.get(call_id, "") + word(value.get("inputTextDelta"))
        else:
            name = self._names.pop(call_id, None)
            self._call(call_id, value.get("toolName", name), value.get("input"))
            if kind == "tool-input-error":
                self._result(call_id, Outcome.INVALID_INPUT)

    def _complete(self, only: str | None = None) -> None:
        """Enter the calls whose input has come to its end without saying so; one that is not whole is none (W3)."""
        for call_id in [call_id for call_id in self._names if only in (None, call_id)]:
            name, given = self._names.pop(call_id), object_of(self._texts.pop(call_id) or "{}")
            if given is None:
                self._findings.report(f"the input of call {call_id!a} is cut off, no call")
            else:
                self._call(call_id, name, given)

    def _call(self, call_id: str, name: object, given: object) -> None:
        main = self.conversations.main
        if self._turn is None or self._turn.closed:
            self._turn = self._open(f"step at record {self._findings.counts.records}", None, main)
        self._add_call(call_id, name, given, None, self._turn, main)

    def _result(self, call_id: str, outcome: Outcome) -> None:
        main = self.conversations.main
        known = main.calls.get(visible(call_id))
        if known is not None and known[1].outcome is Outcome.INVALID_INPUT:
            # Such an input is told of twice, as what is wrong with it and as the output.
            return
        found = self._answer(call_id, None, main)
        if found is not None:
            found[1].outcome = outcome


def is_ai_sdk(record: dict[str, Any]) -> bool:
    """Say whether a record is a part of such a stream, and of no other source's."""
    kind = word(record.get("type"))
    if kind in ("start", "start-step", "finish-step"):
        return record.keys() <= {"type", "messageId", "messageMetadata"}
    return (kind in _INPUTS or kind in _RESULTS) and "toolCallId" in record


AI_SDK: Final = Format(
    name="aisdk_ui_stream",
    title="AI SDK UI message streams",
    facts=Facts(
        arrival=UNKNOWN,
        start=UNKNOWN,
        end=UNKNOWN,
        progress=UNKNOWN,
        error=told("the type of the output's part"),
        group=estimated("the step; calls that were asked for before a stream begins are a response of their own"),
    ),
    fits=is_ai_sdk,
    collector=AiSdk,
)
