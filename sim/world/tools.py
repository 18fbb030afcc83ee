"""Modelled tools: real :class:`executor.Tool` objects whose work is a SimPy process."""

import asyncio
from collections.abc import Mapping
from typing import Any

from simpy.events import Process

from executor import Background, CallHandle, Stopped, Tool, ToolContext, ToolOutput, ToolSet
from executor.calls.content import content_of
from executor.calls.tool import Subjects
from executor.events import LONGEST_TEXT, Announce, Kind
from scenarios.calls import Call, ToolSpec, class_of
from scenarios.draws import Draws
from scenarios.model import Scenario
from sim.clock import NS_PER_S, Rank, SimLoop

from .inputs import INPUT, CallInput, input_of
from .passing import pass_time
from .work import Children, work


class ToolFailure(Exception):
    """What a modelled body raises; the argument says why."""


class Workshop:
    """The scenario's tools, each call's body writing down what happens to it.

    Args:
        scenario: which tools there are.
        loop: where the bodies run.
        note: takes the events of the bodies.
        draws: how long a call's body works, and whether it fails.
    """

    def __init__(self, scenario: Scenario, loop: SimLoop, note: Announce, draws: Draws) -> None:
        self._scenario = scenario
        self._loop = loop
        self._note = note
        self._draws = draws
        self._tells_input = tells_input(scenario)
        self.children = Children(loop.env, draws)
        self.running: dict[str, Call] = {}
        """The calls whose bodies run, by id."""
        self.closed = False
        """Once the turn is over even a stubborn body obeys, so that the run can end."""

    def tools(self) -> ToolSet:
        """Make the tools that the executor has; what the scenario calls unavailable is not among them."""
        specs = self._scenario.known_tools
        return ToolSet(self._tool(name, spec) for name, spec in specs.items() if spec.available)

    def _tool(self, name: str, spec: ToolSpec) -> Tool:
        def is_safe(arguments: Mapping[str, Any]) -> bool:
            if spec.classifier_raises:
                raise ToolFailure("the classifier of this tool raises")
            return self._is_safe(input_of(arguments))

        def backfill(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
            return {**arguments, **spec.backfill}

        return Tool(
            name=name,
            body=self.body,
            input=INPUT,
            concurrency_safe=is_safe,
            cascades=spec.cascades,
            interrupt=spec.interrupt,
            aliases=spec.aliases,
            needs_permission=spec.approval,
            requires_interaction=spec.interactive,
            subjects=_shell_subjects() if spec.safe == "by_command" else None,
            backfill=backfill if spec.backfill else None,
            timeout_s=None if spec.timeout_ns is None else spec.timeout_ns / NS_PER_S,
            max_output=spec.max_output,
            loaded_by=spec.loaded_by,
        )

    def _is_safe(self, given: CallInput) -> bool:
        return class_of(self._scenario.tool_of(given.spec), given, given.own_class)

    async def body(self, handle: CallHandle, arguments: Mapping[str, Any]) -> ToolOutput | Stopped | Background:
        """Run a call's work and end as the scenario says."""
        given = input_of(arguments)
        spec, env = given.spec, self._loop.env
        takes_ns = None if spec.ends == "hang" else self._draws.duration_ns(spec.takes, "call", spec.id, "takes")
        front_ns = self._front_ns(spec, takes_ns)

        def report(n: int) -> None:
            self._note(Kind.PROGRESSED, spec.id, n=n)
            if spec.prints:
                handle.output(f"{spec.id}: line {n}\n")
            else:
                handle.progress(f"{spec.id}: step {n}")

        def refuse() -> None:
            self._note(Kind.REFUSED, spec.id, by="tool")
            handle.abort_turn()

        def on_signal(reason: str) -> None:
            self._note(Kind.SIGNALLED, spec.id, reason=str(reason))
            if spec.stubborn == "no":
                # Not urgent, as SimPy's own interrupt is: work that ends at this very instant has ended (A11, B026).
                env.interrupt(process, reason, rank=Rank.NORMAL)

        told: dict[str, Any] = {"sees": dict(handle.context)} if handle.context else {}
        if given.rewrite is not None and self._scenario.is_safe(spec) and not self._is_safe(given):
            told["safe"] = False
        self._note(Kind.ENTERED, spec.id, **told, **({"input": dict(given)} if self._tells_input else {}))
        self.running[spec.id] = spec
        self.children.start(spec)
        process = env.process(work(env, spec, front_ns, report, refuse))
        forget = handle.signal.listen(on_signal)
        left: dict[str, Any] = {"ended": "cancelled"}
        goes_on = False
        try:
            if not await self._over(process, spec):
                return Stopped("" if spec.prints else f"{spec.id}: partial")
            if takes_ns != front_ns:
                goes_on = True
                detached = self._scenario.tool_of(spec).detached
                left = {"ended": "background"} | ({"detached": True} if detached else {})
                rest_ns = None if takes_ns is None or front_ns is None else takes_ns - front_ns
                return Background(f"{spec.id}: goes on in the background", self._go_on(spec, rest_ns), detached)
            ends = self._ends(spec)
            left = {"ended": {"ok": "ok", "error": "error", "cancelled": "cancelled"}.get(ends, "raised")}
            if ends == "ok" and spec.sets:
                left["sets"] = dict(spec.sets)
            output = _end(spec, ends)
            if isinstance(output.content, str) and output.content:
                left["said"] = output.content[:LONGEST_TEXT]
            return output
        finally:
            forget()
            if not self.closed:
                self.running.pop(spec.id, None)
            if not goes_on:
                self.children.end_group(spec)
            self._note(Kind.LEFT, spec.id, **left)

    def _front_ns(self, spec: Call, takes_ns: int | None) -> int | None:
        """Tell how long a call's body keeps it: all its time, or until the rest goes on in the background."""
        limit_ns = spec.background_ns
        if limit_ns is None:
            limit_ns = self._scenario.tool_of(spec).auto_background_after_ns
        return limit_ns if limit_ns is not None and (takes_ns is None or limit_ns < takes_ns) else takes_ns

    def _ends(self, spec: Call) -> str:
        rate = self._scenario.tool_of(spec).fails if spec.fails is None else spec.fails
        return "error" if spec.ends == "ok" and self._draws.happens(rate, "call", spec.id, "fails") else spec.ends

    def _go_on(self, spec: Call, rest_ns: int | None) -> "asyncio.Task[None]":
        """Let the rest of a call's work go on; a task of its own, so that its end is told whoever lets go of it."""

        async def rest() -> None:
            await pass_time(self._loop, rest_ns, lambda: spec.stubborn != "cancel" or self.closed)
            if spec.ends == "raise":
                raise ToolFailure(_said(spec, spec.ends))

        def on_over(_: "asyncio.Task[None]") -> None:
            self.children.end_group(spec)
            self._note(Kind.WORK_ENDED, spec.id)

        task = self._loop.create_task(rest(), name=f"call {spec.id}: the rest of its work")
        task.add_done_callback(on_over)
        return task

    async def _over(self, process: Process, spec: Call) -> bool:
        while True:
            try:
                return bool(await self._loop.as_future(process))
            except asyncio.CancelledError:
                if spec.stubborn != "cancel" or self.closed:
                    self._loop.env.interrupt(process, "cancelled", rank=Rank.NORMAL)
                    raise


def tells_input(scenario: Scenario) -> bool:
    """Whether the log tells what bodies are given: not what the model said, or hooks saw, or a rule may forbid it."""
    words = [*scenario.hooks, *(call.pre_hook for call in scenario.every_call)]
    words += [tool.pre_hook for tool in scenario.tools.values()]
    answers = [scenario.permissions.answer, *(call.answer for call in scenario.every_call)]
    answers += [tool.answer for tool in scenario.tools.values()]
    rewrites = any(one is not None and one.rewrite is not None for one in (*words, *answers))
    forbids = any("(" in rule for rule in scenario.permissions.deny)
    return rewrites or forbids or any(tool.backfill for tool in scenario.tools.values())


def _shell_subjects() -> Subjects:
    # Only here: the grammar is a big library, and most scenarios have no shell.
    from executor.safety.subjects import shell_subjects

    return shell_subjects


def _end(spec: Call, ends: str) -> ToolOutput:
    said = _said(spec, ends)
    if ends == "raise":
        raise ToolFailure(str(content_of(said)))
    if ends == "cancelled":
        raise asyncio.CancelledError

    def modifier(context: ToolContext) -> ToolContext:
        return context.updated(**spec.sets)

    return ToolOutput(said, is_error=ends == "error", modifier=modifier if spec.sets else None)


def _said(spec: Call, ends: str) -> Any:
    if spec.content is not None:
        return list(spec.content)
    if spec.output_hex is not None:
        return bytes.fromhex(spec.output_hex)
    return spec.output * spec.output_repeats if spec.output is not None else f"{spec.id}: {ends}"
