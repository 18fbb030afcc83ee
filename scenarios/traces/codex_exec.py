"""``codex exec --json``: the items of a thread as they start and are completed.

The rule: nothing here has a time. Items that are open together belong to one response; whether others did, the file
does not tell.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from ..visible import visible
from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits

_TOOLS: Final = frozenset(("command_execution", "mcp_tool_call", "file_change", "collab_tool_call"))
_SPOKEN: Final = frozenset(("agent_message", "reasoning", "todo_list", "error", "web_search"))
_EVENTS: Final = frozenset(
    (
        *("thread.started", "turn.started", "turn.completed", "turn.failed", "error"),
        *("item.started", "item.updated", "item.completed"),
    )
)


class CodexExec(Collector):
    """Takes the events of a thread."""

    habits: ClassVar[Habits] = Habits(program="Codex")

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turns_begun = 0
        self._responses = 0

    def take(self, record: Record) -> None:
        """Take one event."""
        kind, item = word(record.value.get("type")), record.value.get("item")
        counts = self._findings.counts
        counts.types[kind] += 1
        if kind not in _EVENTS:
            counts.unknown_types[visible(kind)] += 1
        if kind == "turn.started":
            self._turns_begun += 1
        if not isinstance(item, dict):
            return
        what = word(item.get("type"))
        if what not in _TOOLS:
            if what not in _SPOKEN:
                counts.unknown_types[visible(f"item {what}")] += 1
            return
        # An item's number begins anew with every turn of a resumed thread.
        call_id = f"{self._turns_begun}:{item['id']}" if isinstance(item.get("id"), str) else None
        if kind == "item.started":
            self._start(call_id, item)
        elif kind == "item.completed":
            self._complete(call_id, item)

    def _start(self, call_id: str | None, item: dict[str, Any]) -> None:
        main = self.conversations.main
        current = main.current
        if current is None or current.closed or current.answered:
            self._responses += 1
            current = self._open(f"response {self._responses}", None, main)
        tool = item.get("tool") if isinstance(item.get("tool"), str) else item.get("type")
        given = {key: item[key] for key in ("command", "changes", "arguments", "prompt", "server") if key in item}
        self._add_call(call_id, tool, given, None, current, main)

    def _complete(self, call_id: str | None, item: dict[str, Any]) -> None:
        main = self.conversations.main
        if call_id is None or call_id not in main.calls:
            self._start(call_id, item)
        if call_id is None:
            return
        found = self._answer(call_id, None, main)
        if found is not None:
            failed = item.get("status") in ("failed", "declined") or item.get("exit_code") not in (None, 0)
            found[1].outcome = Outcome.ERROR if failed or item.get("error") else Outcome.OK


CODEX_EXEC: Final = Format(
    name="codex_exec_json",
    title="codex exec --json",
    facts=Facts(
        arrival=UNKNOWN,
        start=UNKNOWN,
        end=UNKNOWN,
        progress=UNKNOWN,
        error=told("status and exit_code"),
        group=estimated("items that were open at the same time"),
    ),
    fits=lambda record: word(record.get("type")) in _EVENTS - {"error"},
    collector=CodexExec,
)
