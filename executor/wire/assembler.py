"""The state machine from a response's events to its blocks (W1–W6); pure, nothing waits.

The rule: blocks are kept by index. A client's ``tool_use`` is handed over once, whole, in index order: request order is
index order (W6), so one that is complete before an earlier one waits for it.
"""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

from ..calls.block import ToolUseBlock
from .content import CLIENT_TOOL, ContentBlock, is_known
from .events import (
    ContentBlockDelta,
    ContentBlockStart,
    ContentBlockStop,
    Event,
    Message,
    MessageDelta,
    MessageStart,
    MessageStop,
    Ping,
    StreamError,
    UnknownEvent,
)
from .faults import ProtocolFault, StreamFailure
from .slots import TRANSITIONS, Slot, State, Step
from .usage import merged

Start = Literal["block", "confirmed", "message_stop"]
"""When a complete block may start: at its end, once the stream has gone on past it, or with the whole message (W5)."""


class Assembler:
    """Puts one response together.

    Args:
        start: see :data:`Start`.

    Raises:
        ValueError: there is no such start.

    >>> from executor.wire.events import event_of
    >>> assembler = Assembler()
    >>> for event in [
    ...     {"type": "message_start", "message": {"id": "m"}},
    ...     {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "Ls"}},
    ...     {"type": "content_block_stop", "index": 0},
    ...     {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ... ]:
    ...     for block in assembler.feed(event_of(event)):
    ...         print(event["type"], block)
    message_delta ToolUseBlock(id='t', name='Ls', input={}, message_id='m', raw=None)
    """

    def __init__(self, start: Start = "block") -> None:
        if start not in get_args(Start):
            raise ValueError(f"start: expected one of {', '.join(get_args(Start))}, got {start!r}")
        self._start = start
        self._events = 0
        self._last_start = 0
        self._slots: dict[int, Slot] = {}
        self._ids: dict[str, int] = {}
        self._next = 0
        self._is_begun = self._is_past_end = False
        self.is_over = False
        """Whether the message is complete."""
        self.message_id: str | None = None
        """The id of the message."""
        self.stop_reason: str | None = None
        """Why the message ended, ``None`` while it is not known."""
        self.usage: dict[str, Any] = {}
        """The tokens the message took, as the stream last told; of a count told twice the larger."""
        self.skipped: Counter[str] = Counter()
        """How often each type of ping and of unknown event, block and delta was skipped (W2)."""
        self.faults: list[ProtocolFault] = []
        """What was wrong and did not stop the response (W6)."""

    @property
    def message(self) -> dict[str, Any]:
        """The assistant message as it stands, to be sent back: complete content blocks in index order.

        A ``tool_use`` is in it once it was handed over, so that nothing in it goes unanswered (B012). Text blocks
        without text are left out: the API refuses them.
        """
        kept = (self._slots[index].kept() for index in sorted(self._slots))
        return {"role": "assistant", "content": copy.deepcopy([part for part in kept if part is not None])}

    def feed(self, event: Event) -> list[ToolUseBlock]:
        """Take the next event and give the blocks that may start with it.

        Raises:
            StreamFailure: the server gave up, or began another message (W3).
        """
        self._events += 1
        if isinstance(event, Ping | UnknownEvent):
            self.skipped[event.type] += 1
            return []
        if self.is_over:
            if not self._is_past_end:
                self._is_past_end = True
                self._fault(None, f"{event.type} after message_stop; it was left out, with all that follows")
            return []
        if isinstance(event, StreamError):
            raise self._failure(event.error_type, event.message)
        if not self._is_begun and not isinstance(event, MessageStart):
            self._is_begun = True
            self._fault(None, f"{event.type} before message_start")
        match event:
            case MessageStart():
                self._begin(event.message)
            case ContentBlockStart():
                self._open(event.index, event.content_block.fields())
            case ContentBlockDelta():
                self._grow(event.index, event.delta.fields())
                return []
            case ContentBlockStop():
                self._stop(event.index)
            case MessageDelta():
                self.stop_reason = event.delta.stop_reason or self.stop_reason
                self.usage = merged(self.usage, event.usage or {})
            case MessageStop():
                self.is_over = True
        ready = list(self._ready())
        if self.is_over:
            self._leave_out_the_rest()
        return ready

    def unreadable(self, what: str) -> None:
        """Note an event that could not be read; a piece of any open block may have been in it.

        Args:
            what: why it could not be read.
        """
        self._events += 1
        self._fault(None, what)
        for slot in self._slots.values():
            if slot.state is State.OPEN:
                slot.doubt()

    def note(self, what: str) -> None:
        """Note a fault of the stream as a whole, after the last event."""
        self._fault(None, what)

    def close(self, left: str = "") -> None:
        """Note that nothing more comes.

        Args:
            left: what was left of an event that was cut off (B064).

        Raises:
            StreamFailure: the message is not complete (W3, B057).
        """
        cut = f"an event was cut off and left out: {left[:200]!r}"
        if not self.is_over:
            ended = "the stream ended before message_stop"
            raise self._failure("incomplete_stream", f"{ended}; {cut}" if left else ended)
        if left:
            self._fault(None, cut)

    # One message

    def _begin(self, message: Message) -> None:
        """Begin the message; the same one may be told again, another one means that the first was given up.

        A gateway that lost its upstream asks again and appends the new answer to the old one. What it gave up is
        dropped, unless a call of it may be running already.
        """
        if self._is_begun:
            if message.id == self.message_id:
                self._fault(None, f"message_start of {message.id} again; it was left out")
                return
            if any(slot.handed_over for slot in self._slots.values()):
                told = f"message {message.id} began before message {self.message_id} was over"
                raise self._failure("spliced_stream", told)
            self._fault(None, f"message {message.id} began; message {self.message_id} was not over and is dropped")
            self._slots, self._ids, self._next, self.stop_reason = {}, {}, 0, None
        self._is_begun = True
        self.message_id, self.stop_reason = message.id, message.stop_reason
        self.usage = dict(message.usage or {})
        for index, part in enumerate(message.content or ()):
            self._open(index, part.fields())
            self._stop(index)

    def _step(self, index: int, step: Step) -> tuple[Slot | None, bool]:
        """Take an index one step along the table; tells whether the step was meant for the block that is there."""
        slot = self._slots.get(index)
        before = slot.state if slot is not None else None
        after, fault = TRANSITIONS[before, step]
        if fault:
            self._fault(index, fault)
        if slot is not None:
            slot.state = after
            slot.is_trusted &= after is not State.DOUBTFUL
        return slot, not fault and before in (None, State.OPEN)

    def _open(self, index: int, start: Mapping[str, Any]) -> None:
        if index not in self._slots:
            kind = start["type"]
            if not is_known(kind):
                self.skipped[kind] += 1
            self._slots[index] = Slot(ContentBlock(start) if is_known(kind) else None)
        if self._step(index, Step.START)[1]:
            self._last_start = self._events

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        slot, is_meant = self._step(index, Step.DELTA)
        if slot is None or slot.content is None or not is_meant:
            return
        try:
            if not slot.content.grow(delta):
                self.skipped[delta["type"]] += 1
        except ValueError as error:
            self._fault(index, f"{error}; the block is not trusted any more")
            slot.doubt()

    def _stop(self, index: int) -> None:
        slot, _ = self._step(index, Step.STOP)
        if slot is None or slot.stopped_at:
            return
        slot.stopped_at = self._events
        content = slot.content
        if content is not None and content.kind == CLIENT_TOOL:
            slot.has_input = content.has_input
            slot.block = self._block(index, content, is_trusted=slot.is_trusted)
        elif not slot.is_trusted:
            slot.content = None

    # One block

    def _block(self, index: int, content: ContentBlock, *, is_trusted: bool) -> ToolUseBlock | None:
        """Make a complete block of a client's ``tool_use``, ``None`` if it cannot be answered or came before."""
        name = content.start.get("name")
        if not isinstance(name, str) or not name:
            self._fault(index, "a tool_use without a name; it was left out")
            return None
        call_id = content.start.get("id")
        if not isinstance(call_id, str) or not call_id:
            if self.message_id is None:
                self._fault(index, "a tool_use without an id in a message without one; it was left out")
                return None
            # Of both, so that it is unique and comes out the same each time (B008).
            call_id = f"{self.message_id}_{index}"
            self._fault(index, f"a tool_use without an id; it is called {call_id}")
        first = self._ids.setdefault(call_id, index)
        value, raw = content.final_input(is_trusted=is_trusted)
        block = ToolUseBlock(call_id, name, value, self.message_id, raw)
        if first != index:
            said = self._slots[first].block
            same = said is not None and (said.name, said.input, said.raw) == (block.name, block.input, block.raw)
            how = "the same block" if same else "another block"
            self._fault(index, f"{how} came with the id {call_id} of block {first}; the first stays, it was left out")
            return None
        return block

    def _ready(self) -> Iterator[ToolUseBlock]:
        """Hand over what may start, in index order; a gap holds up what lies behind it until the message is over."""
        indexes = sorted(index for index in self._slots if index >= self._next) if self.is_over else self._in_a_row()
        for index in indexes:
            slot = self._slots[index]
            if not self.is_over and not slot.is_complete:
                return
            if slot.block is not None and slot.is_complete:
                if self._may_start(slot):
                    slot.handed_over = True
                    yield slot.block
                elif not self.is_over:
                    return
            self._next = index + 1

    def _in_a_row(self) -> Iterator[int]:
        """Give the next index as long as it has come; whoever takes it moves on by setting ``_next``."""
        while self._next in self._slots:
            yield self._next

    def _may_start(self, slot: Slot) -> bool:
        """Whether a complete block may start now (W5).

        A reply cut off by ``max_tokens`` closes its last block too, so one without input may have lost it.
        """
        if self._start == "message_stop" and not self.is_over:
            return False
        if slot.has_input and self._start != "confirmed":
            return True
        return self._last_start > slot.stopped_at or self.stop_reason == "tool_use"

    def _leave_out_the_rest(self) -> None:
        """Say which blocks the message ends without: never closed, or possibly cut off (W3, W5)."""
        for index, slot in sorted(self._slots.items()):
            if not slot.is_complete:
                self._fault(index, "the message ended before the block did; it was left out")
            elif slot.block is not None and not slot.handed_over:
                self._fault(index, f"the message ended by {self.stop_reason}, maybe within this block; it was left out")

    def _fault(self, index: int | None, what: str) -> None:
        self.faults.append(ProtocolFault(self._events, index, what))

    def _failure(self, error_type: str, message: str) -> StreamFailure:
        return StreamFailure(error_type, message, self._events)
