"""Questions to whoever may allow a call: which are open, and how long one may stay so (H4, B039).

The rule: only an answer lets a call run; nobody there, too late, or an asker that fails is an automatic denial (B081).
"""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from ..calls.call import Call
from ..events import Announce, Kind
from .permissions import Allow, Deny
from .side_work import OnStray, SideBySide, SideWork


class Question(NamedTuple):
    """What somebody is asked.

    Args:
        call_id: the call that waits for the answer.
        tool: its tool's name.
        input: its input, as hooks left it, backfilled (X2); the question's own copy.
        reason: why it is asked; empty where nobody spoke of the call.
    """

    call_id: str
    tool: str
    input: Mapping[str, Any]
    reason: str


CanUseTool = Callable[[Question], Awaitable[Allow | Deny]]
"""Answers a question. Several are open at once; each may take its time. A :class:`Deny` is a person's refusal and ends
the turn, unless it says ``by_person=False``."""


class Questions:
    """The questions of one executor.

    Args:
        can_use_tool: see :data:`CanUseTool`; ``None`` where nobody is there to be asked.
        timeout_s: seconds a question may stay open; ``None`` for no limit (X5).
        grace_s: seconds an asker gets to end once its question is closed.
        announce: told of questions and answers.
        on_stray: see :data:`~executor.pipeline.side_work.OnStray`.
    """

    def __init__(
        self,
        can_use_tool: CanUseTool | None,
        timeout_s: float | None,
        grace_s: float,
        announce: Announce,
        on_stray: OnStray,
    ) -> None:
        self.can_use_tool = can_use_tool
        self._timeout_s = timeout_s
        self._grace_s = grace_s
        self._announce = announce
        self._on_stray = on_stray
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, Question] = {}

    @property
    def open(self) -> tuple[Question, ...]:
        """The open questions, in request order."""
        return tuple(self._open[index] for index in sorted(self._open))

    async def ask(self, call: Call, question: Question) -> Allow | Deny | None:
        """Ask, and wait for the answer; ``None`` if the call was stopped meanwhile (H6)."""
        if self.can_use_tool is None:
            return Deny(f"nobody is there to be asked: {question.reason}", by_person=False)
        call.asked_s = self._loop.time()
        self._open[call.index] = question
        self._announce(Kind.QUESTION_ASKED, call.id, reason=question.reason)
        work = SideWork("question", _answer(self.can_use_tool, question), call.asked_s, self._timeout_s)
        side = SideBySide[Any](call, self._grace_s, functools.partial(self._close, call), self._on_stray)
        await side.keep(work)
        await side.until_over()
        return self._heard(work)

    def _close(self, call: Call, work: SideWork[Any]) -> None:
        del self._open[call.index]
        call.answered_s = self._loop.time()
        self._announce(Kind.QUESTION_ANSWERED, call.id, how=_told(work.value) if work.how == "done" else work.how)

    def _heard(self, work: SideWork[Any]) -> Allow | Deny | None:
        match work.how:
            case "done" if isinstance(work.value, Allow | Deny):
                return work.value
            case "done":
                return Deny(f"it was answered neither Allow nor Deny but {work.value!r}", by_person=False)
            case "late":
                return Deny(f"nobody answered within {self._timeout_s:g} s", by_person=False)
            case "raised":
                why = str(work.error) or type(work.error).__name__
                return Deny(f"asking for permission failed: {why}", by_person=False)
        return None


async def _answer(can_use_tool: CanUseTool, question: Question) -> Any:
    answer: Any = can_use_tool(question)
    return await answer if inspect.isawaitable(answer) else answer


def _told(answer: Any) -> str:
    if isinstance(answer, Allow):
        return "allow"
    if isinstance(answer, Deny):
        return "refused" if answer.by_person else "deny"
    return "neither"
