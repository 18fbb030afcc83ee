"""OpenHands outputs: one line for each instance, with the history of its actions and observations.

The rule: an action with a tool call is a call, the observation it caused is its result. Times have no zone and count
as UTC.
"""

from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, object_of, word
from .lines import Record
from .opened import Habits


class OpenHands(Collector):
    """Takes the instances of an output."""

    habits: ClassVar[Habits] = Habits(program="OpenHands", arrival_bound=True)

    def take(self, record: Record) -> None:
        """Take one instance's history."""
        history = record.value.get("history")
        for event in history if isinstance(history, list) else ():
            if isinstance(event, dict):
                metadata = event.get("tool_call_metadata")
                if isinstance(metadata, dict):
                    self._event(event, metadata)
        # Another instance may use the same ids again.
        self.conversations.main.end()
        self._forget_ids()

    def _event(self, event: dict[str, Any], asked: dict[str, Any]) -> None:
        main, at_ns, call_id = self.conversations.main, instant_ns(event.get("timestamp")), asked.get("tool_call_id")
        self._findings.counts.types[word(event.get("action")) or word(event.get("observation"))] += 1
        if "observation" in event:
            found = self._answer(call_id, at_ns, main)
            if found is not None:
                found[1].outcome = Outcome.ERROR if _failed(event) else Outcome.OK
            return
        if event.get("action") == "finish":
            # It ends the run, and nothing answers it.
            return
        response = object_of(asked.get("model_response")) or {}
        turn = self._open(word(response.get("id")) or f"call {call_id!a}", at_ns, main)
        call = self._add_call(call_id, asked.get("function_name"), event.get("args"), at_ns, turn, main)
        if call is not None:
            call.started_ns = at_ns


def _failed(event: dict[str, Any]) -> bool:
    extras = event.get("extras")
    metadata = extras.get("metadata") if isinstance(extras, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return event.get("observation") == "error" or code not in (None, 0, -1)


OPENHANDS: Final = Format(
    name="openhands",
    title="OpenHands outputs",
    facts=Facts(
        arrival=estimated("the action's timestamp, when the whole response was there"),
        start=told("the action's timestamp"),
        end=told("the observation's timestamp"),
        progress=UNKNOWN,
        error=told("an error observation, or the exit code"),
        group=told("model_response.id"),
    ),
    fits=lambda record: {"instance_id", "history"} <= record.keys(),
    collector=OpenHands,
)
