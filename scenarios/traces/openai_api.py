"""OpenAI streams, of the Responses API and of Chat Completions and its like, and recorded exchanges with these APIs.

The rule: a call is there when its item is done, or when its choice is finished; what the server runs itself is none.
Nothing here has a time but the second in which a response was created.
"""

from dataclasses import dataclass, field
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

_CLIENT: Final = frozenset(("function_call", "custom_tool_call", "local_shell_call", "apply_patch_call", "shell_call"))
_COHERE: Final = frozenset(("tool-call-start", "tool-call-delta", "tool-call-end"))


@dataclass(slots=True)
class _Piece:
    """A call of Chat Completions whose arguments are still coming."""

    id: object
    name: object
    json: list[str] = field(default_factory=list)


class OpenAiApi(Collector):
    """Takes the events or chunks of streamed responses, whole responses, and requests."""

    habits: ClassVar[Habits] = Habits(results_told=False)

    def __init__(self, findings: Findings, seen: Seen | None) -> None:
        super().__init__(findings, seen)
        self._turn: OpenTurn | None = None
        self._pieces: dict[object, _Piece] = {}

    def take(self, record: Record) -> None:
        """Take one event, chunk, response or request."""
        value, counts = record.value, self._findings.counts
        kind = word(value.get("type")) or word(value.get("object")) or ("request" if "request" in value else "none")
        counts.types[kind] += 1
        response = value.get("response")
        if "request" in value:
            self._request(value["request"])
        elif isinstance(value.get("choices"), list):
            self._choices(value)
        elif kind in ("response.created", "response.completed", "response.incomplete", "response.failed"):
            if kind == "response.created" and isinstance(response, dict):
                self._begin(response.get("id"))
            elif isinstance(response, dict):
                self._items(response)
                self._turn = None
        elif kind in ("response", "message-start"):
            self._begin(value.get("id"))
            self._items(value)
        elif kind == "response.output_item.done":
            self._item(value.get("item"))
        elif kind in _COHERE:
            self._cohere(kind, value)
        elif not kind.startswith(("response.", "message-", "tool-plan", "content-", "error")):
            counts.unknown_types[visible(kind)] += 1

    def end(self) -> None:
        """Report what the end of the file cuts off."""
        self._cut_off()
        super().end()

    def _begin(self, key: object) -> OpenTurn:
        self._cut_off()
        name = word(key) or f"record {self._findings.counts.records}"
        self._turn = self._open(name, None, self.conversations.main)
        return self._turn

    def _items(self, response: dict[str, Any]) -> None:
        """Read the items of a whole response: those that its stream did not give already."""
        output = response.get("output")
        for item in output if isinstance(output, list) else ():
            known = self._turn.calls if self._turn is not None else {}
            if isinstance(item, dict) and _id_of(item) not in known:
                self._item(item)

    def _item(self, item: object) -> None:
        if not isinstance(item, dict) or word(item.get("type")) not in _CLIENT:
            return
        environment = item.get("environment")
        if isinstance(environment, dict) and environment.get("type") == "container_reference":
            return
        written = item.get("arguments", item.get("action", item.get("operation")))
        given = object_of(written) if "input" not in item else {"input": item["input"]}
        turn = self._turn or self._begin(None)
        name = item.get("name") or word(item.get("type")).removesuffix("_call")
        self._add_call(_id_of(item), name, given, None, turn, self.conversations.main)

    def _choices(self, value: dict[str, Any]) -> None:
        """Take a chunk of Chat Completions, or a whole answer."""
        key = word(value.get("id"))
        if self._turn is None or (key and self._turn.key != key):
            self._begin(key)
        for choice in value["choices"]:
            if not isinstance(choice, dict):
                continue
            said = choice.get("delta") or choice.get("message")
            calls = said.get("tool_calls") if isinstance(said, dict) else None
            for place, call in enumerate(calls if isinstance(calls, list) else ()):
                if isinstance(call, dict):
                    self._piece((str(choice.get("index")), str(call.get("index", place))), call)
            if choice.get("finish_reason") is not None:
                self._finish()

    def _piece(self, key: object, call: dict[str, Any]) -> None:
        """Take a piece of a call; only its first has an id and a name."""
        function = call.get("function")
        named = function if isinstance(function, dict) else {}
        if key not in self._pieces:
            self._pieces[key] = _Piece(call.get("id"), named.get("name"))
        self._pieces[key].json.append(word(named.get("arguments")))

    def _cohere(self, kind: str, value: dict[str, Any]) -> None:
        delta = value.get("delta")
        message = delta.get("message") if isinstance(delta, dict) else None
        call = message.get("tool_calls") if isinstance(message, dict) else None
        if kind == "tool-call-end":
            self._finish()
        elif isinstance(call, dict):
            self._piece(str(value.get("index")), call)

    def _finish(self) -> None:
        turn = self._turn or self._open(f"record {self._findings.counts.records}", None, self.conversations.main)
        for piece in self._pieces.values():
            text = "".join(piece.json)
            given = object_of(text) if text.strip() else {}
            if given is None:
                self._findings.report("the arguments of a completed call are no JSON, taken as unknown")
            self._add_call(piece.id, piece.name, given, None, turn, self.conversations.main)
        self._pieces.clear()

    def _cut_off(self) -> None:
        """Give up the calls whose arguments are not whole: they are none (W3)."""
        for piece in self._pieces.values():
            self._findings.report(f"call {piece.id!a} is cut off before its end, no call")
        self._pieces.clear()

    def _request(self, body: object) -> None:
        """Read the results a request brings."""
        asked = body if isinstance(body, dict) else {}
        said = asked.get("messages", asked.get("input"))
        for one in said if isinstance(said, list) else ():
            if isinstance(one, dict) and one.get("role") == "tool":
                self._answer_again(one.get("tool_call_id"), Outcome.OK)
            elif isinstance(one, dict) and word(one.get("type")).endswith("_call_output"):
                self._answer_again(one.get("call_id"), Outcome.OK)


def _id_of(item: dict[str, Any]) -> object:
    return item.get("call_id") or item.get("id")


def is_openai_api(record: dict[str, Any]) -> bool:
    """Say whether a record is one that only these APIs have."""
    kind, what = word(record.get("type")), word(record.get("object"))
    if kind.startswith("response.") or what == "response" or kind in _COHERE:
        return True
    return what.startswith("chat.completion") or (isinstance(record.get("choices"), list) and "model" in record)


OPENAI_API: Final = Format(
    name="openai_stream",
    title="OpenAI Responses and Chat streams, and VCR cassettes",
    facts=Facts(
        arrival=UNKNOWN,
        start=UNKNOWN,
        end=UNKNOWN,
        progress=UNKNOWN,
        error=estimated("results in recorded requests have no flag and count as ok; a bare stream has no results"),
        group=told("the response's id"),
    ),
    fits=is_openai_api,
    collector=OpenAiApi,
)
