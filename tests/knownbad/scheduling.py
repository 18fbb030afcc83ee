"""Executors that start or emit at the wrong moment: order, admission, limits, progress, context (SPEC 11)."""

import asyncio
from collections.abc import Iterator
from typing import Any

from defects import by_oracle, defect
from plain import Plain, Work
from seasoning import backwards, busy, one_unknown, setting

from executor import Outcome, Progress, ToolResult, ToolUseBlock
from scenarios import Consumer, Scenario
from sim import Run, simulate
from sim.oracle import compare_makespans


@defect("P4")
class CompletionOrder(Plain):
    """Results in the order of completion."""

    def answer(self, call: Work, *how: Any, **more: Any) -> None:
        super().answer(call, *how, **more)
        self.calls.remove(call)
        self.calls.insert(sum(other.result is not None for other in self.calls), call)


@defect("P4", season=backwards)
class OrderById(Plain):
    """Results in the order of their ids."""

    def emittable(self) -> Iterator[Work]:
        ready = [call for call in self.calls if call.result is not None and not call.emitted]
        if all(call.result is not None for call in self.calls):
            yield from sorted(ready, key=lambda call: call.call_id)


@defect("P4")
class Overtaking(Plain):
    """A call that was settled without a body overtakes earlier ones."""

    def emittable(self) -> Iterator[Work]:
        yield from (call for call in self.calls if not call.emitted and call.result and not call.result.started)
        yield from super().emittable()


@defect("S3")
class NoPass(Plain):
    """No pass after a completion: who waits goes on waiting until the next block."""

    settling = False

    def settle(self, call: Work, *how: Any, **more: Any) -> None:
        self.settling = True
        super().settle(call, *how, **more)
        self.settling = False

    def admit(self) -> None:
        if not self.settling:
            super().admit()


@defect("S4", start="response_end")
class Hasty(Plain):
    """A batch engine that does not wait for the end of the response."""


@defect("S1")
class FailOpen(Plain):
    """A classifier that raises counts as a yes."""

    def is_safe(self, call: Work) -> bool:
        try:
            return bool(call.tool.concurrency_safe(call.block.input))
        except Exception:
            return True


@defect("S6", about=frozenset({"invalid"}))
class RunsInvalid(Plain):
    """A call with invalid input runs."""

    def is_valid(self, call: Work) -> bool:
        return True


@defect("S1")
class OneSided(Plain):
    """Exclusivity is one-sided: an exclusive call starts beside running safe ones."""

    def may_start(self, call: Work) -> bool:
        return not self.running or (all(other.safe for other in self.running) and self.has_room())


@defect("S2")
class SafeOvertakes(Plain):
    """A safe call overtakes a queued exclusive one."""

    def admit(self) -> None:
        for call in list(self.queue):
            if self.may_start(call):
                self.queue.remove(call)
                self.start(call)


@defect("S5")
class NoLimit(Plain):
    """The limit is ignored."""

    def has_room(self) -> bool:
        return True


@defect("S5")
class LimitPlusOne(Plain):
    """The limit is off by one."""

    def has_room(self) -> bool:
        limit = self.options.max_concurrency
        return limit is None or len(self.running) <= limit


@defect("S3", season=one_unknown)
class UnknownTakesSlot(Plain):
    """An unknown tool takes a slot: it waits in the queue like any other call."""

    def arrive(self, call: Work) -> None:
        if call.tool is None and not self.whys:
            self.queue.append(call)
            self.admit()
        else:
            super().arrive(call)

    def start(self, call: Work) -> None:
        if call.tool is None:
            self.answer(call, Outcome.UNKNOWN_TOOL)
        else:
            super().start(call)


@defect("S3")
class SlowConsumer(Plain):
    """A slow consumer delays starts: a call's slot is free when its result has been taken."""

    def may_start(self, call: Work) -> bool:
        untaken = any(other.result is not None and not other.emitted for other in self.calls)
        return not untaken and super().may_start(call)

    def take(self) -> ToolResult | Progress | None:
        self.admit()
        update = super().take()
        self.admit()
        return update


class Repeating(Plain):
    """Not a defect: a stream that gives every block twice."""

    def add(self, block: ToolUseBlock) -> None:
        super().add(block)
        super().add(block)


@defect("S7")
class Twice(Repeating):
    """A duplicate block runs twice."""

    def is_known(self, block: ToolUseBlock) -> bool:
        return False


@defect("G1")
class ProgressHeldBack(Plain):
    """Progress is held back until the result."""

    def next_step(self) -> Progress | None:
        over = {call.call_id for call in self.calls if call.result is not None}
        step = next((step for step in self.steps if step.call_id in over), None)
        if step is not None:
            self.steps.remove(step)
        return step


@defect("G1", season=busy)
class ProgressLate(Plain):
    """Progress comes after its result."""

    def take(self) -> ToolResult | Progress | None:
        kept, self.steps = self.steps, []
        update = super().take()
        self.steps = kept
        return update or super().take()


@defect("G1", season=busy)
class ProgressLost(Plain):
    """Progress that is not taken when the call completes is lost."""

    def answer(self, call: Work, *how: Any, **more: Any) -> None:
        self.steps = [step for step in self.steps if step.call_id != call.call_id]
        super().answer(call, *how, **more)


@defect("K1", season=setting)
class ModifiersByCompletion(Plain):
    """Modifiers of safe calls apply in the order of completion."""

    def due(self) -> list[int]:
        return list(self.changes)


@defect("K1")
class SiblingSees(Plain):
    """A sibling sees the modifier of a safe call that has just ended."""

    def change(self, call: Work, modifier: Any) -> None:
        super().change(call, modifier)
        self.barrier()


@defect("P5")
class WrongId(Plain):
    """A result is routed to the wrong id."""

    def take(self) -> ToolResult | Progress | None:
        update = super().take()
        ready = [call for call in self.calls if call.result is not None and not call.emitted]
        if isinstance(update, ToolResult) and ready:
            other = ready[0]
            update, other.result = (
                update._replace(content=other.result.content),
                other.result._replace(content=update.content),
            )
        return update


def by_batch(scenario: Scenario) -> Run:
    return simulate(scenario, "batch")


def by_makespans(run: Run) -> list[str]:
    """Judge a run by its log, and by how soon the batch engine is through with the same turn (T2)."""
    if (broken := by_oracle(run)) or run.scenario.consumer != Consumer():
        return broken
    runs = {"streaming": run, "batch": by_batch(run.scenario)}
    return [slower.rule for slower in compare_makespans({name: (one.header, one.events) for name, one in runs.items()})]


@defect("T2", judge=by_makespans, beside=by_batch)
class Polling(Plain):
    """The drain polls, every 300 ms, instead of sleeping until there is something."""

    async def doze(self) -> None:
        await asyncio.sleep(0.3)
