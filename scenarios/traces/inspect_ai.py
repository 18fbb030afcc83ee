"""Inspect AI logs: one JSON document, or an ``.eval`` archive with a document for each sample.

The rule: samples are apart from each other; a response is a model event, and the tools it asked for have events with
their start and end. Calls that no model event asked for are responses of their own.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, word
from .lines import Record
from .opened import Conversation, Habits


class InspectAi(Collector):
    """Takes a log, or one sample of it."""

    habits: ClassVar[Habits] = Habits(program="Inspect AI", arrival_bound=True)

    def take(self, record: Record) -> None:
        """Take the samples of a log, or one."""
        samples = record.value.get("samples")
        for sample in samples if isinstance(samples, list) else (record.value,):
            if isinstance(sample, dict):
                self._sample(sample)

    def _sample(self, sample: dict[str, Any]) -> None:
        main = self.conversations.main
        for event in _events(sample.get("events")):
            kind = word(event.get("event"))
            self._findings.counts.types[kind] += 1
            if kind == "model":
                self._model(event, main)
            elif kind == "tool":
                self._tool(event, main)
        # Another sample may use the same ids again.
        main.end()
        self._forget_ids()

    def _model(self, event: dict[str, Any], main: Conversation) -> None:
        output = event.get("output")
        choices = output.get("choices") if isinstance(output, dict) else None
        at_ns = instant_ns(event.get("completed"))
        turn = self._open(f"event {sum(self._findings.counts.types.values())}", at_ns, main)
        for choice in choices if isinstance(choices, list) else ():
            message = choice.get("message") if isinstance(choice, dict) else None
            calls = message.get("tool_calls") if isinstance(message, dict) else None
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict):
                    name, given = call.get("function"), call.get("arguments")
                    self._add_call(call.get("id"), name, given, at_ns, turn, main)

    def _tool(self, event: dict[str, Any], main: Conversation) -> None:
        call_id = word(event.get("id")) or f"event {sum(self._findings.counts.types.values())}"
        if call_id not in main.calls:
            turn = self._open(f"for {call_id}", None, main)
            self._add_call(call_id, event.get("function"), event.get("arguments"), None, turn, main)
        found = main.calls.get(call_id)
        if found is None:
            return
        found[1].started_ns = instant_ns(event.get("timestamp"))
        ended_ns = instant_ns(event.get("completed"))
        if ended_ns is not None or "result" in event:
            self._answer(call_id, ended_ns, main)
            found[1].outcome = Outcome.OK if event.get("error") is None else Outcome.ERROR


def _events(listed: object) -> Iterator[dict[str, Any]]:
    """Give the events of a sample, and those that older logs have inside a tool's."""
    waiting = list(reversed(listed)) if isinstance(listed, list) else []
    while waiting:
        event = waiting.pop()
        if isinstance(event, dict):
            yield event
            inner = event.get("events")
            waiting += reversed(inner) if isinstance(inner, list) else ()


def is_inspect_ai(record: dict[str, Any]) -> bool:
    """Say whether a record is a log, a sample of one, or its events alone."""
    if "eval" in record and ("samples" in record or "status" in record or "version" in record):
        return True
    events = record.get("events")
    alone = {"epoch", "id"} <= record.keys() or {"description", "expected"} <= record.keys()
    return isinstance(events, list) and alone


INSPECT_AI: Final = Format(
    name="inspect_eval",
    title="Inspect AI logs (.json and .eval)",
    facts=Facts(
        arrival=estimated("the model event's end, when the whole response was there"),
        start=told("the tool event's timestamp"),
        end=told("completed; unknown in older logs"),
        progress=UNKNOWN,
        error=told("error"),
        group=told("the model event that asked for them"),
    ),
    fits=is_inspect_ai,
    collector=InspectAi,
)
