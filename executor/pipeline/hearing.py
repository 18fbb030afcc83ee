"""One hook being heard: at once where it is an ordinary function, else as work beside the call.

The rule: whatever a hook does becomes something that was heard (H7); after each thing it says the abort is looked at
(H6).
"""

import asyncio
import inspect
from contextlib import aclosing
from typing import Any

from ..calls.call import Call
from .hooks import Heard, Hook, HookEvent, HookFailed, HookOutcome, Stage, Stop, outcomes_of
from .side_work import How, SideWork


class Hearing:
    """What becomes of one hook at one stage of a call.

    Args:
        hook: the hook.
        stage: when it is heard.
    """

    __slots__ = ("_answer", "_error", "_outcomes", "hook", "stage", "work")

    def __init__(self, hook: Hook, stage: Stage) -> None:
        self.hook = hook
        self.stage = stage
        self.work: SideWork[None] | None = None
        self._outcomes: list[HookOutcome] = []
        self._answer: Any = None
        self._error: BaseException | None = None

    def begin(self, event: HookEvent, call: Call) -> SideWork[None] | None:
        """Call the hook; gives what is left to be done, ``None`` if it has spoken already."""
        try:
            answer: Any = self.hook.run(event)
            self._answer = answer
            if answer is None:
                return None
            if not (inspect.iscoroutine(answer) or inspect.isasyncgen(answer) or inspect.isawaitable(answer)):
                self._outcomes = outcomes_of(answer)
                return None
        except (Exception, asyncio.CancelledError) as error:
            self._error = error
            return None
        listening = self._listen(call) if inspect.isasyncgen(answer) else self._wait()
        self.work = SideWork(f"hook {self.hook.title}", listening, self.hook.timeout_s)
        return self.work

    @property
    def how(self) -> How:
        """How it ended."""
        if self.work is not None:
            return self.work.how
        return "done" if self._error is None else "raised"

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

    def close(self) -> None:
        """Let go of a coroutine that was never begun: the call was stopped before."""
        if self.work is not None and self.work.task is None and inspect.iscoroutine(self._answer):
            self._answer.close()

    async def _wait(self) -> None:
        self._outcomes = outcomes_of(await self._answer)

    async def _listen(self, call: Call) -> None:
        async with aclosing(self._answer):
            async for outcome in self._answer:
                self._outcomes += outcomes_of(outcome)
                if call.signal_reason is not None or isinstance(outcome, Stop):
                    return
