"""A bench for the tests of the wire: responses written as events, cut into chunks, and read to their end."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from executor import ToolUseBlock
from executor.wire.stream import BlockStream, blocks

USAGE = {"input_tokens": 5, "output_tokens": 1}


@dataclass
class Reading:
    """What came of reading a response: the blocks, how it failed if it did, and the stream with the rest."""

    blocks: list[ToolUseBlock]
    failure: BaseException | None
    stream: BlockStream

    @property
    def told(self) -> tuple[Any, ...]:
        """Everything a reading gives, to compare one with another."""
        stream = self.stream
        failure = str(self.failure) if self.failure is not None else None
        return self.blocks, failure, stream.message, stream.stop_reason, stream.usage, stream.skipped, stream.faults

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Each block by its id and input."""
        return [(block.id, block.input) for block in self.blocks]

    @property
    def faults(self) -> list[tuple[int, int | None]]:
        """Where the faults were: number of the event, index of the block."""
        return [(fault.event, fault.index) for fault in self.stream.faults]


class Bench:
    """Writes responses and reads them."""

    @staticmethod
    def start(message_id: str | None = "m", **more: Any) -> dict[str, Any]:
        """Begin a message."""
        return {"type": "message_start", "message": {"id": message_id, "content": [], "usage": USAGE} | more}

    @staticmethod
    def opens(index: int, call: str = "", name: str = "Read", /, **start: Any) -> dict[str, Any]:
        """Begin a block: a call of that id, or whatever ``start`` says."""
        block = start or {"type": "tool_use", "id": call, "name": name, "input": {}}
        return {"type": "content_block_start", "index": index, "content_block": block}

    @staticmethod
    def grows(index: int, text: str, kind: str = "input_json_delta", key: str = "partial_json") -> dict[str, Any]:
        """Add to a block."""
        return {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: text}}

    @staticmethod
    def closes(index: int) -> dict[str, Any]:
        """End a block."""
        return {"type": "content_block_stop", "index": index}

    @classmethod
    def block(cls, index: int, call: str, *parts: str, name: str = "Read") -> list[dict[str, Any]]:
        """Give a whole call, its input in parts."""
        return [cls.opens(index, call, name), *(cls.grows(index, part) for part in parts), cls.closes(index)]

    @classmethod
    def text(cls, index: int, *parts: str) -> list[dict[str, Any]]:
        """Give a whole text block."""
        grown = (cls.grows(index, part, "text_delta", "text") for part in parts)
        return [cls.opens(index, type="text", text=""), *grown, cls.closes(index)]

    @staticmethod
    def ends(stop_reason: str | None = "tool_use") -> list[dict[str, Any]]:
        """End a message."""
        delta = {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 20}}
        return [delta, {"type": "message_stop"}]

    @staticmethod
    def error(kind: str, message: str = "no") -> dict[str, Any]:
        """Give an error event."""
        return {"type": "error", "error": {"type": kind, "message": message}}

    @staticmethod
    def sse(events: Iterable[dict[str, Any]]) -> bytes:
        """Write events as bytes of Server-Sent Events."""
        rows = (f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
        return "".join(rows).encode()

    @staticmethod
    def cut(data: bytes, size: int) -> Iterator[bytes]:
        """Cut bytes into chunks of one size."""
        return (data[at : at + size] for at in range(0, len(data), size))

    @staticmethod
    def read(items: Iterable[Any], start: Any = "block") -> Reading:
        """Read a response whose items are given, to its end or failure."""

        async def source() -> AsyncIterator[Any]:
            for item in items:
                yield item

        async def main() -> Reading:
            stream = blocks(source(), start=start)
            given: list[ToolUseBlock] = []
            while True:
                try:
                    given.append(await anext(stream))
                except StopAsyncIteration:
                    return Reading(given, None, stream)
                except Exception as error:
                    await stream.aclose()
                    return Reading(given, error, stream)

        # Nothing here ever waits, so no loop is needed, and thousands of readings cost little.
        try:
            main().send(None)
        except StopIteration as done:
            reading: Reading = done.value
            return reading
        raise AssertionError("reading waited for something")


@pytest.fixture
def bench() -> Bench:
    """Give the bench."""
    return Bench()


@pytest.fixture(scope="session")
def bench_class() -> type[Bench]:
    """Give the bench to a property test, whose examples share one fixture."""
    return Bench
