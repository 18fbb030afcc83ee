"""From whatever a response comes as to its blocks (W1, W3); the one place of this package that waits.

The rule: a source gives one kind of thing, raw bytes, events or blocks, and what comes first says which.
"""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from ..calls.block import ToolUseBlock
from .assembler import Assembler, Start
from .events import Event, event_of, event_of_sse
from .faults import ProtocolFault
from .sse import SSEDecoder

Piece = bytes | Event | Mapping[str, Any] | BaseModel
"""A chunk of Server-Sent Events in any cut, or an event of the Messages API (typed, or as a dict)."""

Source = AsyncIterable[bytes] | AsyncIterable[Event | Mapping[str, Any] | BaseModel] | AsyncIterable[ToolUseBlock]
"""A response as it comes; it fails by raising."""


class BlockStream(AsyncIterator[ToolUseBlock]):
    """The blocks of one response, each as soon as it may start.

    Args:
        source: see :func:`blocks`.
        start: see :func:`blocks`.
        may_be_empty: whether a source that gives nothing at all is a response without blocks rather than a failure.
    """

    def __init__(self, source: Source, start: Start = "block", *, may_be_empty: bool = False) -> None:
        self._source = source
        self._may_be_empty = may_be_empty
        self._assembler = Assembler(start)
        self._decoder = SSEDecoder()
        self._kind: Literal["bytes", "events", "blocks"] | None = None
        self._reading = self._read()

    @property
    def message(self) -> dict[str, Any] | None:
        """The assistant message to send back, as far as it has come; ``None`` where the source gives only blocks."""
        return self._assembler.message if self._kind in ("bytes", "events") else None

    @property
    def message_id(self) -> str | None:
        """The message's id, ``None`` while it is not known."""
        return self._assembler.message_id

    @property
    def stop_reason(self) -> str | None:
        """Why the message ended, ``None`` while it is not known."""
        return self._assembler.stop_reason

    @property
    def usage(self) -> dict[str, Any]:
        """The tokens the message took, as last told."""
        return self._assembler.usage

    @property
    def skipped(self) -> Counter[str]:
        """How often each type of ping and of unknown event, block and delta was skipped (W2)."""
        return self._assembler.skipped

    @property
    def faults(self) -> list[ProtocolFault]:
        """What was wrong with the stream and did not stop it (W6)."""
        return self._assembler.faults

    def __aiter__(self) -> AsyncIterator[ToolUseBlock]:
        return self._reading

    async def __anext__(self) -> ToolUseBlock:
        return await anext(self._reading)

    async def aclose(self) -> None:
        """Stop reading and close the source, where it can be closed."""
        await self._reading.aclose()
        close = getattr(self._source, "aclose", None)
        if close is not None:
            await close()

    async def _read(self) -> AsyncGenerator[ToolUseBlock, None]:
        try:
            async for item in self._source:
                if isinstance(item, ToolUseBlock):
                    self._expect("blocks")
                    yield item
                else:
                    for block in self._take(item):
                        yield block
        except Exception as error:
            # The connection may go down once all is said: the message is complete, its calls are good.
            if not self._assembler.is_over:
                raise
            self._assembler.note(f"the source failed after message_stop: {str(error) or type(error).__name__}")
        if self._kind == "bytes":
            self._assembler.close(self._decoder.close())
        elif self._kind == "events" or (self._kind is None and not self._may_be_empty):
            self._assembler.close()

    def _take(self, item: Piece) -> Iterable[ToolUseBlock]:
        if isinstance(item, bytes | bytearray | memoryview):
            self._expect("bytes")
            for sse in self._decoder.feed(bytes(item)):
                try:
                    event = event_of_sse(sse)
                except ValueError as error:
                    self._assembler.unreadable(str(error))
                else:
                    yield from self._assembler.feed(event)
        else:
            self._expect("events")
            try:
                event = _event_of(item)
            except ValueError as error:
                self._assembler.unreadable(str(error))
            else:
                yield from self._assembler.feed(event)

    def _expect(self, kind: Literal["bytes", "events", "blocks"]) -> None:
        if self._kind is None:
            self._kind = kind
        elif self._kind != kind:
            raise TypeError(f"a response gives bytes, events or blocks, got {kind} after {self._kind}: give one kind")


def blocks(source: Source, *, start: Start = "block") -> BlockStream:
    """Read a response and give its blocks as they may start.

    Iterating raises :class:`StreamFailure` when the response breaks off (W3), and whatever the source raises. What
    else the response said can be read from the stream: ``message``, ``stop_reason``, ``usage``, ``skipped``,
    ``faults``.

    Args:
        source: the response: chunks of Server-Sent Events in any cut, events, or complete blocks, which are handed on
            as they are.
        start: when a complete block may start (W5); ``"block"``: at its end, unless it got no input and may be the
            end of a reply cut off; ``"confirmed"``: each once the stream has gone on past it; ``"message_stop"``: all
            with the whole message.

    >>> import asyncio
    >>> async def wire():
    ...     yield b'data: {"type":"message_start","message":{"id":"m"}}\\n\\n'
    ...     yield b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t",'
    ...     yield b'"name":"read"}}\\n\\ndata: {"type":"content_block_delta","index":0,"delta":{"type":'
    ...     yield b'"input_json_delta","partial_json":"{}"}}\\n\\ndata: {"type":"content_block_stop","index":0}\\n\\n'
    ...     yield b'data: {"type":"message_stop"}\\n\\n'
    >>> async def main():
    ...     return [(block.id, block.name, block.input) async for block in blocks(wire())]
    >>> asyncio.run(main())
    [('t', 'read', {})]
    """
    return BlockStream(source, start)


def _event_of(item: Event | Mapping[str, Any] | BaseModel) -> Event:
    """Take an event as ours, as a dict, or as the model of a client library."""
    if isinstance(item, Event):
        return item
    told = item.model_dump(mode="json", by_alias=True, exclude_unset=True) if isinstance(item, BaseModel) else item
    if isinstance(told, Mapping):
        if told.get("type") == "tool_use":
            raise TypeError(
                f"a response gives bytes, events or blocks, got the content block {told.get('id')!r} as "
                f"{type(item).__name__}: give ToolUseBlock(id, name, input)"
            )
        return event_of(told)
    raise TypeError(f"a response gives bytes, events or blocks, got {type(item).__name__}: encode text as UTF-8")
