"""One hook being heard: at once where it does not wait, else as work beside the call.

The rule: whatever a hook does becomes something that was heard (H7); after each thing it says the abort is looked at
(H6).
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Coroutine
from contextlib import aclosing
from typing import Any

from ..calls.call import Call
from .hooks import Heard, Hook, HookEvent, HookFailed, HookOutcome, Stage, Stop, outcomes_of
from .movable import begin
from .side_work import How, SideWork


class Hearing:
    """What becomes of one hook at one stage of a call.

    Args:
        hook: the hook.
        stage: when it is heard.
        begun_s: the loop's time now.
    """

    __slots__ = ("_error", "_how", "_outcomes", "begun_s", "hook", "stage", "work")

    def __init__(self, hook: Hook, stage: Stage, begun_s: float) -> None:
        self.hook = hook
        self.stage = stage
        self.begun_s = begun_s
        self.work: SideWork[None] | None = None
        """What is left of it, if it has to wait."""
        self._how: How = "done"
        self._outcomes: list[HookOutcome] = []
        self._error: BaseException | None = None

    def begin(self, event: HookEvent, call: Call) -> None:
        """Hear the hook until it has spoken or has to wait; then there is ``work`` left."""
        try:
            answer: Any = self.hook.run(event)
            if answer is None:
                return
            if (speaking := self._speaking(answer, call)) is not None:
                rest, answer = begin(speaking)
                if rest is not None:
                    rest = self._hear_out(rest)
                    self.work = SideWork(f"hook {self.hook.title}", rest, self.begun_s, self.hook.timeout_s)
                    return
            self._outcomes += outcomes_of(answer)
        except (Exception, asyncio.CancelledError) as error:
            self._how, self._error = "raised", error

    def cut(self) -> None:
        """Note that the call was stopped before the hook could begin."""
        self._how = "cut"

    @property
    def how(self) -> How:
        """How it ended."""
        return self._how if self.work is None else self.work.how

    @property
    def said_nothing(self) -> bool:
        """Whether it is over and there is nothing to tell."""
        return not self._outcomes and self.how == "done"

    def heard(self) -> Heard:
        """Tell what was heard, once it is over."""
        match self.how:
            case "raised":
                error = self._error if self.work is None else self.work.error
                insists = self.hook.fail_closed or isinstance(error, HookFailed)
                return Heard(self.hook, self._outcomes, str(error) or type(error).__name__, insists=insists)
            case "late":
                failure = f"no answer within {self.hook.timeout_s:g} s"
                return Heard(self.hook, self._outcomes, failure, insists=self.hook.fail_closed)
            case "cut":
                return Heard(self.hook, self._outcomes, cancelled=True)
        return Heard(self.hook, self._outcomes)

    def _speaking(self, answer: Any, call: Call) -> Coroutine[Any, Any, Any] | None:
        """Give the coroutine that brings what a hook has to say, ``None`` if its answer is that already."""
        if inspect.iscoroutine(answer):
            return answer
        if isinstance(answer, AsyncGenerator):
            return self._listen(answer, call)
        return _awaited(answer) if inspect.isawaitable(answer) else None

    async def _hear_out(self, rest: Awaitable[Any]) -> None:
        self._outcomes += outcomes_of(await rest)

    async def _listen(self, answer: AsyncGenerator[Any, None], call: Call) -> None:
        async with aclosing(answer):
            async for outcome in answer:
                self._outcomes += outcomes_of(outcome)
                if call.signal_reason is not None or isinstance(outcome, Stop):
                    return


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer
