"""tau2-bench results and simulations: messages in turns, or ticks in which both sides speak at once.

The rule: the simulated user has tools too, and its calls are a conversation of their own, ``user``. A message is
stamped when it is made: a response when it is whole, a result when it is there. Times have no zone and count as UTC.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from executor.calls.outcome import Outcome

from .collecting import Collector
from .declaring import UNKNOWN, Facts, Format, estimated, told
from .fields import instant_ns, word
from .lines import Record
from .opened import Conversation, Habits

_USER: Final = "user"


class Tau2Bench(Collector):
    """Takes a result with its simulations, or one simulation."""

    habits: ClassVar[Habits] = Habits(arrival_bound=True)

    def take(self, record: Record) -> None:
        """Take the simulations of a result, or one."""
        listed = record.value.get("simulations")
        for simulation in listed if isinstance(listed, list) else (record.value,):
            for message in _messages(simulation if isinstance(simulation, dict) else {}):
                self._message(message)
            # Another simulation may use the same ids again.
            for conversation in self.conversations:
                conversation.end()
            self._forget_ids()

    def _message(self, message: dict[str, Any]) -> None:
        role, at_ns = word(message.get("role")), instant_ns(message.get("timestamp"))
        self._findings.counts.types[role] += 1
        if role == "tool":
            several = message.get("tool_messages")
            for result in several if isinstance(several, list) else (message,):
                if isinstance(result, dict):
                    self._result(result)
            return
        calls = message.get("tool_calls")
        if role not in ("assistant", _USER) or not (calls or role == "assistant"):
            return
        conversation = self._side(role)
        turn = self._open(f"message {self._findings.counts.types.total()}", at_ns, conversation)
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._add_call(call.get("id"), call.get("name"), call.get("arguments"), at_ns, turn, conversation)

    def _result(self, result: dict[str, Any]) -> None:
        conversation = self._side(word(result.get("requestor")))
        found = self._answer(result.get("id"), instant_ns(result.get("timestamp")), conversation)
        if found is not None:
            found[1].outcome = Outcome.ERROR if result.get("error") is True else Outcome.OK

    def _side(self, who: str) -> Conversation:
        return self.conversations.named(_USER if who == _USER else None)


def _messages(simulation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the messages of a simulation; a tick's are put together from what both sides did in it."""
    said, ticks = simulation.get("messages"), simulation.get("ticks")
    for message in said if isinstance(said, list) else ():
        if isinstance(message, dict):
            yield message
    for tick in ticks if isinstance(ticks, list) else ():
        for side, role in (("agent", "assistant"), ("user", _USER)) if isinstance(tick, dict) else ():
            if calls := tick.get(f"{side}_tool_calls"):
                yield {"role": role, "timestamp": tick.get("timestamp"), "tool_calls": calls}
            results = tick.get(f"{side}_tool_results")
            for result in results if isinstance(results, list) else ():
                if isinstance(result, dict):
                    yield {"requestor": role, **result, "role": "tool"}


def is_tau2_bench(record: dict[str, Any]) -> bool:
    """Say whether a record is a result, with its simulations or without, or a simulation."""
    if {"info", "tasks"} <= record.keys():
        return True
    held = isinstance(record.get("messages"), list) or isinstance(record.get("ticks"), list)
    return held and {"task_id", "termination_reason"} <= record.keys()


TAU2_BENCH: Final = Format(
    name="tau2_bench",
    title="tau2-bench results and simulations",
    facts=Facts(
        arrival=estimated("the message's or tick's timestamp, when the whole response was there"),
        start=UNKNOWN,
        end=told("the result's timestamp"),
        progress=UNKNOWN,
        error=told("error"),
        group=told("the message, or the tick"),
    ),
    fits=is_tau2_bench,
    collector=Tau2Bench,
)
