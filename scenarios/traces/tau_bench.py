"""tau-bench results: a list of tasks, each with the chat messages of its trial.

The rule: tasks are apart from each other. A failure is an output that begins as the benchmark writes failures; nothing
here has a time.
"""

import re
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import object_of, text_of, word
from .lines import Record
from .opened import Habits

_FAILED: Final = re.compile(r"Error\b")
_UNKNOWN: Final = re.compile(r"Unknown action\b")


class TauBench(Collector):
    """Takes the trials of a result."""

    habits: ClassVar[Habits] = Habits()

    def take(self, record: Record) -> None:
        """Take one trial's messages."""
        said = record.value.get("traj")
        for message in said if isinstance(said, list) else ():
            if isinstance(message, dict):
                self._message(message)
            else:
                self._findings.report("a message that is no object, skipped")
        # Another trial may use the same ids again.
        self.conversations.main.end()
        self._forget_ids()

    def _message(self, message: dict[str, Any]) -> None:
        main, role, calls = self.conversations.main, word(message.get("role")), message.get("tool_calls")
        self._findings.counts.types[role] += 1
        if role == "assistant":
            turn = self._open(f"message {self._findings.counts.types.total()}", None, main)
            for call in calls if isinstance(calls, list) else ():
                function = call.get("function") if isinstance(call, dict) else None
                if isinstance(function, dict):
                    given = object_of(function.get("arguments"))
                    self._add_call(call.get("id"), function.get("name"), given, None, turn, main)
        elif role == "tool":
            found = self._answer(message.get("tool_call_id"), None, main)
            if found is not None:
                found[1].outcome = _outcome(text_of(message.get("content")))


def _outcome(output: str) -> Outcome:
    if _UNKNOWN.match(output):
        return Outcome.UNKNOWN_TOOL
    return Outcome.ERROR if _FAILED.match(output) else Outcome.OK


TAU_BENCH: Final = Format(
    name="tau_bench",
    title="tau-bench results",
    facts=Facts(
        arrival=UNKNOWN,
        start=UNKNOWN,
        end=UNKNOWN,
        progress=UNKNOWN,
        error=estimated("the beginning of the output's text"),
        group=told("the message"),
    ),
    fits=lambda record: "task_id" in record and isinstance(record.get("traj"), list),
    collector=TauBench,
)
