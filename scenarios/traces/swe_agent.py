"""SWE-agent trajectories: one document, one call a step.

The rule: there is no clock; where a step says how long it took, its instants count from its own start. Unit:
nanoseconds.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import object_of, span_ns, word
from .lines import Record
from .opened import Habits


class SweAgent(Collector):
    """Takes a trajectory, or the history of a demonstration."""

    habits: ClassVar[Habits] = Habits(program="SWE-agent")

    def take(self, record: Record) -> None:
        """Take the steps of a document."""
        steps, history = record.value.get("trajectory"), record.value.get("history")
        listed = steps if isinstance(steps, list) else history if isinstance(history, list) else []
        for number, step in enumerate(listed, start=1):
            if isinstance(step, dict) and word(step.get("action")):
                self._step(number, step)

    def _step(self, number: int, step: dict[str, Any]) -> None:
        main = self.conversations.main
        self._findings.counts.types["step"] += 1
        turn = self._open(f"step {number}", None, main)
        calls = step.get("tool_calls")
        asked = calls[0] if isinstance(calls, list) and calls and isinstance(calls[0], dict) else {}
        function = object_of(asked.get("function")) or {}
        name = word(function.get("name")) or word(step["action"]).split(maxsplit=1)[0]
        given = object_of(function.get("arguments")) or {"command": step["action"]}
        call = self._add_call(f"step {number}", name, given, None, turn, main)
        took_ns = span_ns(step.get("execution_time"))
        if call is None:
            return
        call.reported_ns = took_ns
        self._answer(call.id, took_ns, main)
        call.outcome = Outcome.OK


SWE_AGENT: Final = Format(
    name="swe_agent_traj",
    title="SWE-agent trajectories",
    facts=Facts(
        arrival=UNKNOWN,
        start=estimated("0: a step's instants count from its own start; unknown without execution_time"),
        end=estimated("execution_time; unknown without"),
        progress=UNKNOWN,
        error=estimated("nothing tells a failure: every step counts as ok"),
        group=told("the step: one call each"),
    ),
    fits=lambda record: (
        isinstance(record.get("trajectory"), list)
        or (isinstance(record.get("history"), list) and "instance_id" not in record)
    ),
    collector=SweAgent,
)
