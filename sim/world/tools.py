"""Modelled tools: real :class:`executor.Tool` objects whose work is a SimPy process."""

import asyncio
from collections.abc import Callable, Generator, Mapping
from typing import Annotated, Any

import simpy
from pydantic import PlainValidator, TypeAdapter
from simpy.events import Event, Process

from executor import CallHandle, Stopped, Tool, ToolContext, ToolOutput, ToolSet, ToolUseBlock
from executor.events import Announce, Kind
from scenarios.model import Call, Scenario, ToolSpec
from sim.clock import Environment, Rank, SimLoop


class ToolFailure(Exception):
    """What a modelled body raises; the argument says why."""


class CallInput(dict[str, Any]):
    """A block's input that still knows which call of the scenario it belongs to."""

    def __init__(self, spec: Call) -> None:
        super().__init__(spec.input)
        self.spec = spec


def block_of(spec: Call) -> ToolUseBlock:
    """Make the block with which the model asks for a call."""
    return ToolUseBlock(spec.id, spec.tool, CallInput(spec))


def work(env: Environment, spec: Call, takes_ns: int, report: Callable[[int], None]) -> Generator[Event, None, bool]:
    """Do a call's work, a SimPy process: progress at its instants, then the end; an interrupt ends it at once.

    Args:
        env: the world's clock, at the body's start.
        spec: the call.
        takes_ns: how long it works, unless it hangs.
        report: told the number of each progress message.

    Returns:
        Whether the work came to its end by itself.
    """
    start_ns = env.now_ns
    steps = [at_ns for at_ns in spec.progress if spec.ends == "hang" or at_ns <= takes_ns]
    pending: Event | None = None
    try:
        for n, at_ns in enumerate(steps):
            pending = env.at_ns(start_ns + at_ns)
            yield pending
            report(n)
        if spec.ends == "hang":
            pending = None
            yield env.event()
        pending = env.at_ns(start_ns + takes_ns)
        yield pending
    except simpy.Interrupt:
        if pending is not None:
            env.cancel(pending)
        return False
    return True


class Workshop:
    """The scenario's tools, each call's body writing down what happens to it.

    Args:
        scenario: which tools there are.
        loop: where the bodies run.
        note: takes the events of the bodies.
        takes_ns: gives how long a call's body works.
    """

    def __init__(self, scenario: Scenario, loop: SimLoop, note: Announce, takes_ns: Callable[[Call], int]) -> None:
        self._scenario = scenario
        self._loop = loop
        self._note = note
        self._takes_ns = takes_ns
        self.running: dict[str, None] = {}
        """The ids of the calls whose bodies run."""
        self.closed = False
        """Once the turn is over even a stubborn body obeys, so that the run can end."""

    def tools(self) -> ToolSet:
        """Make the tools that the executor has; what the scenario calls unavailable is not among them."""
        specs = self._scenario.tools or {"Read": ToolSpec()}
        return ToolSet(self._tool(name, spec) for name, spec in specs.items() if spec.available)

    def _tool(self, name: str, spec: ToolSpec) -> Tool:
        def is_safe(arguments: Mapping[str, Any]) -> bool:
            if spec.classifier_raises:
                raise ToolFailure("the classifier of this tool raises")
            override = _spec_of(arguments).safe
            return spec.safe if override is None else override

        return Tool(
            name=name,
            body=self.body,
            input=_INPUT,
            concurrency_safe=is_safe,
            cascades=spec.cascades,
            interrupt=spec.interrupt,
            aliases=spec.aliases,
        )

    async def body(self, handle: CallHandle, arguments: Mapping[str, Any]) -> ToolOutput | Stopped:
        """Run a call's work and end as the scenario says."""
        spec = _spec_of(arguments)
        env = self._loop.env

        def report(n: int) -> None:
            self._note(Kind.PROGRESSED, spec.id, n=n)
            handle.progress(f"{spec.id}: step {n}")

        def on_signal(reason: str) -> None:
            self._note(Kind.SIGNALLED, spec.id, reason=str(reason))
            if spec.stubborn == "no":
                # Not urgent, as SimPy's own interrupt is: work that ends at this very instant has ended (A11, B026).
                env.interrupt(process, reason, rank=Rank.NORMAL)

        self._note(Kind.ENTERED, spec.id, **({"sees": dict(handle.context)} if handle.context else {}))
        self.running[spec.id] = None
        process = env.process(work(env, spec, self._takes_ns(spec), report))
        forget = handle.signal.listen(on_signal)
        ended = "cancelled"
        try:
            finished = await self._over(process, spec)
            if not finished:
                return Stopped(f"{spec.id}: partial")
            ended = {"ok": "ok", "error": "error", "cancelled": "cancelled"}.get(spec.ends, "raised")
            return self._end(spec)
        finally:
            forget()
            if not self.closed:
                self.running.pop(spec.id, None)
            self._note(Kind.LEFT, spec.id, ended=ended)

    async def _over(self, process: Process, spec: Call) -> bool:
        while True:
            try:
                return bool(await self._loop.as_future(process))
            except asyncio.CancelledError:
                if spec.stubborn != "cancel" or self.closed:
                    self._loop.env.interrupt(process, "cancelled", rank=Rank.NORMAL)
                    raise

    def _end(self, spec: Call) -> ToolOutput:
        said = spec.output if spec.output is not None else f"{spec.id}: {spec.ends}"
        if spec.ends == "raise":
            raise ToolFailure(said)
        if spec.ends == "cancelled":
            raise asyncio.CancelledError

        def modifier(context: ToolContext) -> ToolContext:
            return context.updated(**spec.sets)

        return ToolOutput(said, is_error=spec.ends == "error", modifier=modifier if spec.sets else None)


def _spec_of(arguments: Mapping[str, Any]) -> Call:
    assert isinstance(arguments, CallInput), "a modelled tool is called with the inputs of its scenario"
    return arguments.spec


def _validate(value: Any) -> CallInput:
    if not isinstance(value, CallInput) or not value.spec.valid:
        raise ValueError("the scenario says that this input is invalid")
    return value


_INPUT: TypeAdapter[Any] = TypeAdapter(Annotated[Any, PlainValidator(_validate)])
