"""The content blocks of a history, each with its place.

The rule: consecutive messages of one role are one run, as the API joins them (B006). A kind of call that is not known
is an error, for nothing could tell whether it is answered (B021).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

Message = Mapping[str, Any]
"""A message of the Messages API: ``role`` and ``content``, whatever else it has."""

_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_CALLS: Final = _SERVER_CALLS | {"tool_use"}
_LIKE_CALLS: Final = ("_use", "_call", "_call_output", "_tool_calls")
_OF_OTHER_APIS: Final = ("tool_calls", "function_call", "tool_call_id")


class HistoryError(ValueError):
    """What was given is no history of the Messages API; the message is one line: where, expected, got."""


class Place(NamedTuple):
    """Where a block stands: the number of its message, and its own within the message, both from 0."""

    message: int
    block: int

    def __str__(self) -> str:
        return f"messages[{self.message}].content[{self.block}]"


class Block(NamedTuple):
    """One content block: its place, the role of its message, and what it holds."""

    place: Place
    role: str
    value: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The block's type."""
        kind: str = self.value["type"]
        return kind

    @property
    def is_call(self) -> bool:
        """Whether the block asks for a tool that the client runs."""
        return self.kind == "tool_use"

    @property
    def is_result(self) -> bool:
        """Whether the block answers a call of the client's."""
        return self.kind == "tool_result"

    @property
    def is_server_call(self) -> bool:
        """Whether the block asks for a tool that the server runs itself, and answers in the same response (B020)."""
        return self.kind in _SERVER_CALLS

    @property
    def is_server_result(self) -> bool:
        """Whether the block answers a call of the server's own."""
        return self.kind.endswith("_tool_result")

    @property
    def call_id(self) -> str | None:
        """The id of the call that the block makes or answers; ``None`` where it has none."""
        named = self.value.get("id" if self.kind in _CALLS else "tool_use_id")
        return named if isinstance(named, str) and named else None


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive messages of one role, within one segment: their numbers, and all their blocks."""

    role: str
    segment: int
    messages: tuple[int, ...]
    blocks: tuple[Block, ...]


def runs_of(messages: Sequence[Message], starts: Collection[int] = ()) -> list[Run]:
    """Join a history's messages to runs.

    Args:
        messages: the history.
        starts: numbers of messages before which it was compacted; no run goes across.

    Raises:
        HistoryError: something is no message of the Messages API.
    """
    runs: list[Run] = []
    segment = 0
    for number, message in enumerate(messages):
        if number in starts:
            segment += 1
        blocks = tuple(_blocks(number, message))
        last = runs[-1] if runs else None
        if last is not None and (last.role, last.segment) == (message["role"], segment):
            runs[-1] = Run(last.role, segment, (*last.messages, number), last.blocks + blocks)
        else:
            runs.append(Run(message["role"], segment, (number,), blocks))
    return runs


def content_of(message: Message) -> list[Mapping[str, Any]]:
    """Give a message's content as blocks, be it written as a text or as a list."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _blocks(number: int, message: object) -> Iterator[Block]:
    where = f"messages[{number}]"
    if not isinstance(message, Mapping):
        raise HistoryError(f"{where}: expected an object with role and content, got {_named(message)}")
    if foreign := next((key for key in _OF_OTHER_APIS if key in message), None):
        raise HistoryError(f"{where}.{foreign}: of another API; in the Messages API calls are tool_use blocks")
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        raise HistoryError(f"{where}.role: expected user or assistant, got {role!r}")
    if not isinstance(content, str | list | tuple):
        raise HistoryError(f"{where}.content: expected a text or a list of blocks, got {_named(content)}")
    for n, value in enumerate(content_of(message)):
        place = Place(number, n)
        kind = value.get("type") if isinstance(value, Mapping) else None
        if not isinstance(kind, str):
            raise HistoryError(f"{place}: expected a block with a type, got {_named(value)}")
        if kind.endswith(_LIKE_CALLS) and kind not in _CALLS:
            known = ", ".join(sorted(_CALLS))
            raise HistoryError(f"{place}.type: {kind!r} is a call of an unknown kind; known are {known}")
        yield Block(place, role, value)


def _named(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__}"
