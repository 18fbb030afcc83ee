"""Whoever is asked whether a call may run, as the scenario has them answer.

The rule: an answer that is ready before its question is given as soon as that is asked. Unit: nanoseconds.
"""

from executor import Allow, Deny, Question
from executor.events import Announce, Kind
from executor.pipeline.questions import CanUseTool
from scenarios.calls import Call
from scenarios.draws import Draws
from scenarios.model import Happening, Scenario
from scenarios.permissions import Answer
from sim.clock import SimLoop

from .inputs import rewritten
from .passing import pass_time


class Person:
    """Answers the questions of one turn.

    Args:
        scenario: what is said of which call.
        loop: where time passes; the turn starts at its present instant.
        draws: how long each answer takes.
        note: takes the events of refusals.
    """

    def __init__(self, scenario: Scenario, loop: SimLoop, draws: Draws, note: Announce) -> None:
        self._scenario = scenario
        self._loop = loop
        self._draws = draws
        self._note = note
        self._calls = {call.id: call for call in scenario.every_call}
        self._answers = scenario.answers
        self._start_ns = loop.env.now_ns

    async def asked(self, question: Question) -> Allow | Deny:
        """Answer a question, in time or never."""
        call = self._calls[question.call_id]
        answer = self._answers.get(call.id) or self._scenario.tool_of(call).answer
        if answer is not None:
            return await self._think(call, answer)
        if not question.reason and self._scenario.permissions.default == "allow":
            return Allow()
        return await self._think(call, self._scenario.permissions.answer or Answer(says="never"))

    async def _think(self, call: Call, answer: Answer | Happening) -> Allow | Deny:
        await pass_time(self._loop, self._takes_ns(call, answer))
        if isinstance(answer, Happening):
            return Allow() if answer.do == "allow" else self._refuse(call, "")
        if answer.says == "refuse":
            return self._refuse(call, answer.reason)
        if answer.says == "deny":
            return Deny(answer.reason, by_person=False)
        return Allow(None if answer.rewrite is None else rewritten(call, answer.rewrite))

    def _takes_ns(self, call: Call, answer: Answer | Happening) -> int | None:
        if isinstance(answer, Happening):
            return max(0, self._start_ns + answer.at_ns - self._loop.env.now_ns)
        return None if answer.says == "never" else self._draws.duration_ns(answer.after, "answer", call.id)

    def _refuse(self, call: Call, reason: str) -> Deny:
        self._note(Kind.REFUSED, call.id, by="person")
        return Deny(reason)


def asker_of(scenario: Scenario, loop: SimLoop, draws: Draws, note: Announce) -> CanUseTool | None:
    """Make whoever answers the scenario's questions; ``None`` where nobody is there."""
    return Person(scenario, loop, draws, note).asked if scenario.has_asker else None
