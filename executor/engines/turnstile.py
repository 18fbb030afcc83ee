"""Where admitted calls wait before their body because one of them became exclusive (H8); the rule is the gate's.

The rule: whoever waits looks again at each settlement, each body's end, and when its own signal fires.
"""

import asyncio
import functools
from collections.abc import Callable, Mapping

from ..calls.call import Call
from .gate import Gate


class Turnstile:
    """The way into the bodies of one executor's calls.

    Args:
        executing: the calls that execute, in the order they were admitted.
        on_pass: told of a call that had to look whether it may enter, when it may.
    """

    def __init__(self, executing: Mapping[str, Call], on_pass: Callable[[Call], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._executing = executing
        self._on_pass = on_pass
        self._gate = Gate()
        self.waiting: dict[int, asyncio.Future[None]] = {}
        """Those who wait, by their place in request order."""

    def harden(self, call: Call) -> None:
        """Note that an admitted call became exclusive."""
        self._gate.harden(call.index)

    def reopen(self, call: Call) -> None:
        """Note that a call, with all its work, is over."""
        self._gate.is_over(call.index)

    async def enter(self, call: Call) -> None:
        """Wait until the call may enter its body, or until its signal has fired."""
        while call.signal_reason is None and not self._lets_in(call):
            self.waiting[call.index] = turn = self._loop.create_future()
            forget = call.signal.listen(functools.partial(_wake, turn))
            try:
                await turn
            finally:
                forget()
                del self.waiting[call.index]
        if call.signal_reason is None:
            self._on_pass(call)

    def look(self) -> None:
        """Wake those who may enter now, in request order."""
        for call in list(self._executing.values()) if self.waiting else ():
            turn = self.waiting.get(call.index)
            if turn is not None and self._lets_in(call):
                _wake(turn)

    def _lets_in(self, call: Call) -> bool:
        if not self._gate.is_shut:
            return True
        first = next(iter(self._executing.values()))
        bodies_run = self._gate.is_next(call.index) and any(each.in_body for each in self._executing.values())
        return self._gate.lets_in(call.index, first.index, bodies_run=bodies_run)


def _wake(turn: asyncio.Future[None], _reason: str = "") -> None:
    if not turn.done():
        turn.set_result(None)
