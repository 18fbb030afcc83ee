"""Codex rollouts: ``~/.codex/sessions/**/rollout-*.jsonl``.

The rule: the calls of a response are written together when it is over, and results when all are there, in order. So an
arrival and an end are the latest possible instants, and a start is counted back from the end by the duration that the
output's text names. Where call and result carry one stamp (0.40), the call's own is no arrival.
"""

import re
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated
from .fields import instant_ns, object_of, span_ns, text_of, word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits, OpenCall, OpenTurn

_CALLS: Final = frozenset(("function_call", "custom_tool_call", "local_shell_call", "tool_search_call"))
_RESULTS: Final = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))
_TYPES: Final = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted"))
_WALL: Final = re.compile(r"^Wall time: ([0-9.]{1,20}) seconds?$", re.MULTILINE)
_EXIT: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?[0-9]{1,9})$", re.MULTILINE)
_FAILED: Final = re.compile(r"apply_patch verification failed|exec_command failed|failed in sandbox|unsupported call")
_ABORTED: Final = "aborted by user"
_HEAD: Final = 400
"""How far into an output its own head reaches; further down it is what the command printed."""


class CodexRollout(Collector):
    """Takes the lines of a rollout."""

    habits: ClassVar[Habits] = Habits(program="Codex", arrival_bound=True, own_ids=True)

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._responses = 0

    def take(self, record: Record) -> None:
        """Take one line by its type and its payload's."""
        kind, payload = word(record.value.get("type")), record.value.get("payload")
        counts = self._findings.counts
        if not kind or not isinstance(payload, dict):
            self._findings.report("a line without a type and a payload, skipped")
            return
        counts.types[kind] += 1
        if kind not in _TYPES:
            counts.unknown_types[visible(kind)] += 1
        at_ns, inner = instant_ns(record.value.get("timestamp")), word(payload.get("type"))
        if kind == "session_meta":
            self._tells_version(payload.get("cli_version"))
        elif kind in ("turn_context", "compacted") or inner in ("token_count", "task_started"):
            self._turn = None
        elif kind == "response_item" and inner in _CALLS:
            self._call(payload, at_ns)
        elif kind == "response_item" and inner in _RESULTS:
            self._result(payload, at_ns)
        elif kind == "event_msg":
            self._event(payload, at_ns)

    def _call(self, payload: dict[str, Any], at_ns: int | None) -> None:
        main = self.conversations.main
        if self._turn is None or self._turn.closed:
            self._responses += 1
            self._turn = self._open(f"response {self._responses}", at_ns, main)
        else:
            self._turn.arrived(at_ns)
        written = payload.get("arguments", payload.get("input", payload.get("action")))
        given = object_of(written)
        if given is None and payload.get("type") == "custom_tool_call":
            given = {"input": written}
        name = payload.get("name", word(payload.get("type")).removesuffix("_call"))
        self._add_call(payload.get("call_id") or payload.get("id"), name, given, at_ns, self._turn, main)

    def _result(self, payload: dict[str, Any], at_ns: int | None) -> None:
        self._turn = None
        main = self.conversations.main
        known = main.calls.get(str(payload.get("call_id")))
        ended_ns = known[1].ended_ns if known is not None else None
        found = self._answer(payload.get("call_id"), at_ns, main)
        if found is None:
            return
        turn, call = found
        if at_ns is not None and at_ns == call.arrived_ns:
            call.arrived_ns = turn.first_ns = turn.last_block_ns = None
        if ended_ns is not None:
            call.ended_ns = ended_ns
        call.end_bound = ended_ns is None
        outcome, took_ns = read_output(payload.get("output"))
        call.outcome = call.outcome if call.outcome is Outcome.ERROR else outcome
        call.reported_ns = call.reported_ns if took_ns is None else took_ns

    def _event(self, payload: dict[str, Any], at_ns: int | None) -> None:
        """Read from an event when a call began or was over, and how; the result's own line comes later."""
        main, inner = self.conversations.main, word(payload.get("type"))
        if inner == "turn_aborted":
            self._findings.counts.interrupts += 1
            if main.current is not None and not main.current.answered:
                main.current.interrupted_ns = at_ns
            return
        found = main.calls.get(str(payload.get("call_id")))
        if found is None:
            return
        call = found[1]
        if inner.endswith("_begin"):
            call.started_ns = at_ns
        elif inner.endswith("_end") and call.result_place is None:
            _note_end(call, payload, at_ns)


def _note_end(call: OpenCall, payload: dict[str, Any], at_ns: int | None) -> None:
    call.ended_ns = at_ns
    took, result = payload.get("duration"), payload.get("result")
    if isinstance(took, dict):
        seconds, nanos = took.get("secs"), took.get("nanos")
        if type(seconds) is int and type(nanos) is int and 0 <= seconds < 10**9 and 0 <= nanos < 10**9:
            call.reported_ns = seconds * 1_000_000_000 + nanos
    failed = payload.get("success") is False or (isinstance(result, dict) and "Err" in result)
    if failed or payload.get("exit_code") not in (None, 0):
        call.outcome = Outcome.ERROR


def read_output(output: object) -> tuple[Outcome, int | None]:
    """Read from an output how its call ended and how long it took: an exit code other than 0 is an error.

    >>> read_output("Wall time: 0.5 seconds\\nProcess exited with code 2\\nOutput:\\n")
    (<Outcome.ERROR: 'error'>, 500000000)
    >>> read_output("Plan updated")
    (<Outcome.OK: 'ok'>, None)
    """
    document = object_of(output)
    metadata = document.get("metadata") if document is not None else None
    if isinstance(metadata, dict):
        failed = metadata.get("exit_code") not in (None, 0)
        return Outcome.ERROR if failed else Outcome.OK, span_ns(metadata.get("duration_seconds"))
    head = text_of(output)[:_HEAD]
    wall, code = _WALL.search(head), _EXIT.search(head)
    took_ns = span_ns(wall[1]) if wall else None
    if head.startswith(_ABORTED):
        return Outcome.USER_INTERRUPTED, took_ns
    failed = code[1] != "0" if code else _FAILED.match(head) is not None
    return Outcome.ERROR if failed else Outcome.OK, took_ns


CODEX_ROLLOUT: Final = Format(
    name="codex_rollout",
    title="Codex rollouts",
    facts=Facts(
        arrival=estimated("the line's stamp, written when the whole response was there; unknown in 0.40"),
        start=estimated("the end less the wall time in the output; unknown without"),
        end=estimated("the result's line, written when all results were there; told for patches and MCP tools"),
        progress=UNKNOWN,
        error=estimated("the exit code in the output's text; told for patches and MCP tools"),
        group=estimated("calls in a row before the first result"),
    ),
    fits=lambda record: {"timestamp", "type", "payload"} <= record.keys() and word(record["type"]) in _TYPES,
    collector=CodexRollout,
)
