"""The events of the Messages API's stream as values (W2).

The rule: what is not known is kept apart as :class:`UnknownEvent`, never an error; what is known and malformed is one.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .sse import ServerSentEvent

Index = Annotated[int, Field(ge=0, strict=True)]
"""A content block's place in its message, from 0."""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Typed(BaseModel):
    """An object that says its type; what else it has is kept."""

    model_config = ConfigDict(frozen=True, extra="allow")
    type: str

    def fields(self) -> dict[str, Any]:
        """Give the object as it came."""
        return {"type": self.type, **(self.model_extra or {})}


class Message(_Event):
    """A message as its start tells it; content and the reason of its end are there only if it came in one piece."""

    id: str | None = None
    content: list[_Typed] | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None


class MessageStart(_Event):
    """A message begins."""

    type: Literal["message_start"]
    message: Message


class ContentBlockStart(_Event):
    """A content block begins."""

    type: Literal["content_block_start"]
    index: Index
    content_block: _Typed


class ContentBlockDelta(_Event):
    """A content block grows."""

    type: Literal["content_block_delta"]
    index: Index
    delta: _Typed


class ContentBlockStop(_Event):
    """A content block is complete."""

    type: Literal["content_block_stop"]
    index: Index


class Ending(_Event):
    """Why a message ends."""

    stop_reason: str | None = None


class MessageDelta(_Event):
    """Why the message ends, and its usage so far."""

    type: Literal["message_delta"]
    delta: Ending = Ending()
    usage: dict[str, Any] | None = None


class MessageStop(_Event):
    """The message is complete."""

    type: Literal["message_stop"]


class StreamError(_Event):
    """The server gives up."""

    type: Literal["error"]
    error: Any = None

    @property
    def error_type(self) -> str:
        """The API's word for it."""
        return str(self._get("type") or "unknown_error")

    @property
    def message(self) -> str:
        """What the server says about it."""
        return str(self._get("message") or self.error or "no reason given")

    def _get(self, key: str) -> Any:
        return self.error.get(key) if isinstance(self.error, Mapping) else None


class Ping(_Event):
    """The connection is alive."""

    type: Literal["ping"] = "ping"


class UnknownEvent(_Event):
    """An event of a type that did not exist when this was written."""

    type: str


Event = (
    MessageStart
    | ContentBlockStart
    | ContentBlockDelta
    | ContentBlockStop
    | MessageDelta
    | MessageStop
    | StreamError
    | Ping
    | UnknownEvent
)
"""Any event of the stream."""

_KNOWN: Final[Mapping[str, type[Event]]] = {
    "message_start": MessageStart,
    "content_block_start": ContentBlockStart,
    "content_block_delta": ContentBlockDelta,
    "content_block_stop": ContentBlockStop,
    "message_delta": MessageDelta,
    "message_stop": MessageStop,
    "error": StreamError,
    "ping": Ping,
}


def event_of(payload: Mapping[str, Any]) -> Event:
    """Read an event that is decoded already; keys it does not know are ignored.

    Raises:
        ValueError: it has no type, or is not what its type promises.

    >>> event_of({"type": "content_block_stop", "index": 2, "new": True})
    ContentBlockStop(type='content_block_stop', index=2)
    >>> event_of({"type": "brand_new"})
    UnknownEvent(type='brand_new')
    """
    name = payload.get("type")
    if not isinstance(name, str):
        raise ValueError(f"an event needs a type, got {name!r}")
    if name not in _KNOWN:
        return UnknownEvent(type=name)
    try:
        return _KNOWN[name].model_validate(dict(payload))
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def event_of_sse(event: ServerSentEvent) -> Event:
    """Read an event from the wire; where its data says no type, the event's own name is its type.

    Raises:
        ValueError: its data is no JSON object, or not what its type promises; an ``error`` is one whatever it says.
    """
    try:
        payload = json.loads(event.data)
    except (ValueError, RecursionError):
        payload = None
    if isinstance(payload, dict):
        return event_of({"type": event.event} | payload)
    if event.event == "error":
        return StreamError(type="error", error=event.data)
    if event.event == "ping":
        return Ping()
    raise ValueError(f"{event.event}: the data must be a JSON object, got {event.data[:80]!r}")
