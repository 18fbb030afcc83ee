"""Our own executor with one line changed: hooks, permissions, deadlines, and what rises to the turn (SPEC 11).

The rule: a defect is a patch, put in place for one run and taken back after it; what it is about is in every turn.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from defects import Defect, name_of, register
from seasoning import allowing, cutting, instantly, rewriting, smuggling, telling

from executor import Allow, BlockStream, Outcome, StreamFailure, ToolUseBlock
from executor.calls.call import Call
from executor.engines.crew import Crew
from executor.engines.emission import Emission
from executor.engines.settling import cascades
from executor.engines.stopping import Stopping
from executor.events import Kind
from executor.pipeline.checkpoint import Checkpoint
from executor.pipeline.hooks import Heard
from executor.pipeline.permissions import Ruling, resolve
from executor.pipeline.run import Ending, run_body
from executor.pipeline.said import sum_up
from executor.wire.events import ContentBlockStop
from executor.wire.messages import assemble
from executor.wire.slots import State
from scenarios import Scenario
from scenarios.strategies import Feature
from sim import Run, simulate

Patch = Callable[[], AbstractContextManager[Any]]


def flaw(rule: str, *about: Feature, **more: Any) -> Callable[[Patch], Patch]:
    """Register a patch; the first line of its docstring is the defect's name.

    Args:
        rule: see :class:`Defect`, as ``about`` and ``more``.
    """

    def take(patched: Patch) -> Patch:
        register(Defect(name_of(patched), "11", rule, partial(play, patched), about=frozenset(about), **more))
        return patched

    return take


def play(patched: Patch, scenario: Scenario) -> Run:
    with patched():
        return simulate(scenario)


@flaw("F7", "cascading", "failures")
def sibling_error_rises() -> AbstractContextManager[Any]:
    """A sibling error rises to the turn."""
    cascade = Stopping.cascade

    def rising(self: Stopping, culprit: Call) -> None:
        cascade(self, culprit)
        self._turn.abort(Outcome.SIBLING_ERROR)

    return patch.object(Stopping, "cascade", rising)


@flaw("F7", "deadlines")
def deadline_rises() -> AbstractContextManager[Any]:
    """A call's deadline rises to the turn."""
    abort = Stopping._abort

    def rising(self: Stopping, call: Call, reason: str) -> None:
        abort(self, call, reason)
        if reason == Outcome.TIMEOUT:
            self._turn.abort(Outcome.USER_INTERRUPTED)

    return patch.object(Stopping, "_abort", rising)


@flaw("F2", "cascading", "hooks", "rules")
def denial_cascades() -> AbstractContextManager[Any]:
    """A denied call cascades."""

    def cascading(call: Call, outcome: Outcome, policy: Any) -> bool:
        return outcome is Outcome.DENIED or cascades(call, outcome, policy)

    return patch("executor.engines.crew.cascades", cascading)


@flaw("N1", "hooks", season=allowing)
def hook_beats_rule() -> AbstractContextManager[Any]:
    """A hook's `allow` beats a deny rule."""

    def lenient(tool: Any, rules: Any, hooks: Any, **more: Any) -> Ruling:
        return Ruling(hooks, "hook") if isinstance(hooks, Allow) else resolve(tool, rules, hooks, **more)

    return patch("executor.pipeline.checkpoint.resolve", lenient)


@flaw("N1", "hooks", season=smuggling)
def first_input_ruled() -> AbstractContextManager[Any]:
    """A deny rule is held against the model's input, not against what hooks made of it."""

    def early(self: Checkpoint, call: Call) -> Any:
        assert call.tool is not None
        return self._rules.decide(call.tool, call.block.input)

    return patch.object(Checkpoint, "_ruled", early)


@flaw("N1", "hooks", "rules", "questions")
def body_before_permission() -> AbstractContextManager[Any]:
    """A body starts before its permission."""

    async def hasty(self: Checkpoint, call: Call, handle: Any) -> Ending:
        ending = await run_body(call, handle, self._announce)
        return await self._before(call) or ending

    return patch.object(Checkpoint, "run", hasty)


def given(run: Run) -> list[tuple[str | None, Any]]:
    """Give the inputs of bodies."""
    return sorted((str(event.call), event.detail.get("input")) for event in run.events if event.kind is Kind.ENTERED)


@contextmanager
def slowest_rewrite() -> Iterator[None]:
    """The slowest hook's rewrite wins."""
    ended: list[Any] = []
    note_end = Checkpoint._note_end

    def noting(self: Checkpoint, call: Call, hearing: Any, *when: Any) -> None:
        ended.append(hearing.hook)
        note_end(self, call, hearing, *when)

    def by_end(stage: Any, tool: Any, heard: Iterable[Heard]) -> Any:
        return sum_up(stage, tool, sorted(heard, key=lambda one: len(ended) - ended[::-1].index(one.hook)))

    with patch.object(Checkpoint, "_note_end", noting), patch("executor.pipeline.checkpoint.sum_up", by_end):
        yield


def at_once(scenario: Scenario) -> Run:
    """Play a scenario with hooks that take no time."""
    return play(slowest_rewrite, instantly(scenario))


def by_duration(run: Run) -> list[str]:
    """Judge a run by what it is when no hook takes any time: rewrites apply whatever their durations (H8)."""
    return [] if run.trouble or given(run) == given(at_once(run.scenario)) else ["H8"]


flaw("H8", "hooks", "rewrites", season=rewriting, judge=by_duration, beside=at_once)(slowest_rewrite)


@flaw("S1", "hooks", "rewrites")
def old_class() -> AbstractContextManager[Any]:
    """A rewritten call keeps its old class."""
    return patch.object(Crew, "_harden", lambda self, call: None)


@flaw("S8", "hooks", "rewrites")
def queued_again() -> AbstractContextManager[Any]:
    """A call that a rewrite made exclusive goes back into the queue."""
    harden = Crew._harden

    def requeue(self: Crew, call: Call) -> None:
        harden(self, call)
        self._announce(Kind.QUEUED, call.id)
        self._announce(Kind.ADMITTED, call.id)

    return patch.object(Crew, "_harden", requeue)


@flaw("L2", "hooks", "deadlines")
@contextmanager
def deadline_of_the_body() -> Iterator[None]:
    """A deadline does not cover hooks: it counts from the body's start."""
    watch, waiting = Stopping.watch, {}

    def put_off(self: Stopping, call: Call, timeout_s: float) -> None:
        waiting[call.id] = partial(watch, self, call, timeout_s)

    async def body(call: Call, *how: Any) -> Ending:
        if call.id in waiting:
            waiting.pop(call.id)()
        return await run_body(call, *how)

    with (
        patch.object(Stopping, "watch", put_off),
        patch("executor.pipeline.checkpoint.run_body", body),
        patch("executor.engines.crew.run_body", body),
    ):
        yield


@flaw("P3", "hooks", season=telling)
def text_before_results() -> AbstractContextManager[Any]:
    """What hooks said stands before the results of the message."""

    def hasty(*of: Any, **more: Any) -> list[dict[str, Any]]:
        messages = assemble(*of, **more)
        for message in messages:
            message["content"].sort(key=lambda part: part["type"] == "tool_result")
        return messages

    return patch("executor.turn.assemble", hasty)


@flaw("T1", "eager")
def always_ordered() -> AbstractContextManager[Any]:
    """Results come in request order although eager emission was asked for."""
    return patch("executor.engines.outlet.EagerEmission", lambda exclusive: Emission())


@flaw("S4", "classes", season=cutting)
def cut_off_block_runs() -> AbstractContextManager[Any]:
    """A block that is cut off runs, repaired."""
    read = BlockStream._read

    async def repairing(self: BlockStream) -> AsyncGenerator[ToolUseBlock, None]:
        try:
            async for block in read(self):
                yield block
        except StreamFailure:
            assembler = self._assembler
            for index in [n for n, slot in assembler._slots.items() if slot.state is State.OPEN]:
                for block in assembler.feed(ContentBlockStop(type="content_block_stop", index=index)):
                    yield replace(block, input={}, raw=None)
            raise

    return patch.object(BlockStream, "_read", repairing)
