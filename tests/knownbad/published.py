"""The published design's own defects, each with the number it has in SPEC 12."""

import asyncio
from functools import partial
from typing import Any
from unittest.mock import patch

from defects import Defect, defect, register
from plain import Plain, Work
from scheduling import by_batch
from seasoning import by_alias, in_the_shell, submitting

from executor import Outcome, Stopped, Tool, ToolOutput, ToolResult
from executor.events import Kind
from executor.safety.shell import shell_safety
from scenarios import Scenario
from sim import Run, simulate
from sim.oracle import incomparable


@defect("P4", "12.1")
class EagerWalk(Plain):
    """The walk stops only at an executing exclusive call, so quick results overtake slow ones."""

    def is_barred_by(self, call: Work) -> bool:
        return call in self.running and not call.safe


@defect("L1", "12.2")
class Livelock(EagerWalk):
    """The drain does not sleep while something is completed, even if it cannot be emitted."""

    async def doze(self) -> None:
        await (asyncio.sleep(0) if self.has_completed() else super().doze())

    def has_completed(self) -> bool:
        return any(call.result is not None and not call.emitted for call in self.calls)


@defect("P1", "12.3")
class SecondResult(Plain):
    """After an abort a call that has delivered its result gets a synthetic one besides."""

    def stop_all(self, why: Outcome) -> None:
        super().stop_all(why)
        for call in self.calls:
            if call.emitted:
                self.answer(call, self.reason())
                call.emitted = False


@defect("F3", "12.3")
class FalseCancel(Plain):
    """After an abort a call that ran to its end is reported cancelled."""

    def outcome(self, call: Work, output: ToolOutput | Stopped) -> Outcome:
        return self.reason() if self.whys else super().outcome(call, output)


@defect("F5", "12.4", season=submitting)
class StartAfterInterrupt(Plain):
    """A queued `block` call starts after the user's submit took effect."""

    def give_up_queue(self) -> None:
        spared = [call for call in self.queue if call.tool.interrupt == "block"]
        self.queue = [call for call in self.queue if call not in spared]
        super().give_up_queue()
        self.queue = spared


@defect("F5", "12.4")
class BlockSignalled(Plain):
    """A running `block` call's signal fires with the turn's although it promises to run on."""

    def submit(self, *, force: bool) -> None:
        if force or self.is_interruptible():
            self.stop()


@defect("L3", "12.5")
class DiscardFlag(Plain):
    """Discard only sets a flag: what runs, runs on, beside whatever comes next."""

    def discard(self) -> None:
        self.closed = True
        self.news.set()

    def is_over(self) -> bool:
        return self.closed or super().is_over()

    async def __aexit__(self, *how: object) -> None:
        if not self.closed:
            await super().__aexit__(*how)


@defect("K1", "12.6")
class DroppedModifiers(Plain):
    """Context modifiers of concurrency-safe calls are dropped."""

    def change(self, call: Work, modifier: Any) -> None:
        if not call.safe:
            super().change(call, modifier)


@defect("L3", "12.7")
class Orphans(Plain):
    """One body that raises ends the merge and abandons the others."""

    broken = False

    async def run(self, call: Work) -> None:
        await super().run(call)
        if call.result is not None and call.result.outcome is Outcome.ERROR and not call.signal.aborted:
            self.broken = True
            self.news.set()

    def is_over(self) -> bool:
        return self.broken or super().is_over()

    async def __aexit__(self, *how: object) -> None:
        if not self.broken:
            await super().__aexit__(*how)


@defect("P1", "12.8")
class MinusOne(Plain):
    """A limit of -1 starts nothing and loses every result."""

    def may_start(self, call: Work) -> bool:
        return len(self.running) < -1

    def is_over(self) -> bool:
        return self.complete and not any(True for _ in self.emittable())

    def settled(self) -> list[ToolResult]:
        return []


def by_engines(run: Run) -> list[str]:
    """Judge a run by what another engine makes of the same turn (Q5)."""
    batch = by_batch(run.scenario)
    if incomparable({"streaming": (batch.header, batch.events)}):
        return []
    same = {one.call_id: one.outcome for one in run.results} == {one.call_id: one.outcome for one in batch.results}
    return [] if same else ["Q5"]


@defect("Q5", "12.9", judge=by_engines, beside=by_batch, season=by_alias)
class RetiredNames(Plain):
    """Names are looked up without the aliases that the other engine knows."""

    def find(self, name: str) -> Tool | None:
        return next((tool for tool in self.stage.tools if tool.name == name), None)


def by_tool(scenario: Scenario) -> Run:
    """Play a scenario whose shell calls are classified per tool, as the first seed has it."""
    with patch("executor.safety.shell.shell_safety", partial(shell_safety, "tool")):
        return simulate(scenario)


def by_command(run: Run) -> list[str]:
    """Judge a run by what comes of it where each command is classified, as the second seed has it (R3)."""
    hit = [_meets_running_siblings(each) for each in (run, simulate(run.scenario))]
    return ["R3"] if hit == [False, True] else []


def _meets_running_siblings(run: Run) -> bool:
    reasons = [event.detail["reason"] for event in run.events if event.kind is Kind.SIGNALLED]
    return Outcome.SIBLING_ERROR in reasons


register(
    Defect(
        "There are two rules for Bash: under the one that goes by tool an error never meets a running sibling",
        "12.10",
        "R3",
        by_tool,
        judge=by_command,
        beside=simulate,
        season=in_the_shell,
    )
)
