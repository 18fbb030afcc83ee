"""Gemini API answers: streams of ``candidates``, the CLI's recorded responses, and Interactions events.

The rule: one response is one answer with all its parts; calls have neither times nor results, and mostly no ids.
"""

from typing import Any, ClassVar, Final

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, told
from .fields import object_of, word
from .findings import Findings
from .fingerprints import Seen
from .lines import Record
from .opened import Habits, OpenTurn


class GeminiApi(Collector):
    """Takes chunks, recorded responses and events."""

    habits: ClassVar[Habits] = Habits(results_told=False)

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._key: str = ""
        self._step: dict[str, Any] = {}
        self._json: list[str] = []

    def take(self, record: Record) -> None:
        """Take one record by its shape."""
        value = record.value
        event = word(value.get("event_type"))
        self._findings.counts.types[event or word(value.get("method")) or "chunk"] += 1
        if event:
            self._event(event, value)
        elif "method" in value:
            self._turn = None
            response = value.get("response")
            for chunk in response if isinstance(response, list) else (response,):
                self._chunk(chunk)
            self._turn = None
        else:
            key = word(value.get("responseId"))
            if key != self._key:
                self._turn, self._key = None, key
            self._chunk(value)

    def _chunk(self, chunk: object) -> None:
        candidates = chunk.get("candidates") if isinstance(chunk, dict) else None
        for candidate in candidates if isinstance(candidates, list) else ():
            content = candidate.get("content") if isinstance(candidate, dict) else None
            parts = content.get("parts") if isinstance(content, dict) else None
            for part in parts if isinstance(parts, list) else ():
                call = part.get("functionCall") if isinstance(part, dict) else None
                # Arguments may follow in parts of their own, which have no name.
                if isinstance(call, dict) and word(call.get("name")):
                    self._call(call.get("id"), call["name"], call.get("args", {}))

    def _event(self, event: str, value: dict[str, Any]) -> None:
        step, delta = value.get("step"), value.get("delta")
        if event == "interaction.created":
            self._turn = None
        elif event == "step.start" and isinstance(step, dict):
            self._step, self._json = step, []
        elif event == "step.delta" and isinstance(delta, dict):
            self._json.append(word(delta.get("arguments")))
        elif event == "step.stop":
            if self._step.get("type") == "function_call":
                given = object_of("".join(self._json)) or self._step.get("arguments")
                self._call(self._step.get("id"), self._step.get("name"), given)
            self._step = {}

    def _call(self, call_id: object, name: object, given: object) -> None:
        main = self.conversations.main
        if self._turn is None:
            self._turn = self._open(f"record {self._findings.counts.records}", None, main)
        number = len(self._turn.calls) + 1
        made_up = f"{self._turn.key}, call {number}"
        self._add_call(word(call_id) or made_up, name, given, None, self._turn, main)


def is_gemini_api(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only this API's answers have."""
    if "candidates" in record or "event_type" in record:
        return True
    return {"method", "response"} <= record.keys() and word(record["method"]).startswith("generateContent")


GEMINI_API: Final = Format(
    name="gemini_stream",
    title="Gemini API streams and recorded responses",
    facts=Facts(
        arrival=UNKNOWN, start=UNKNOWN, end=UNKNOWN, progress=UNKNOWN, error=UNKNOWN, group=told("the response")
    ),
    fits=is_gemini_api,
    collector=GeminiApi,
)
