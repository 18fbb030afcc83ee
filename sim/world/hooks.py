"""The scenario's hooks as real :class:`executor.Hook` objects.

The rule: a hook without a duration is an ordinary function, which is heard at once; any other takes its time on the
world's clock. Unit: nanoseconds.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from functools import partial
from typing import Any

from executor import (
    AdditionalContext,
    Allow,
    Ask,
    Deny,
    Hook,
    HookEvent,
    HookFailed,
    Hooks,
    Message,
    PreventContinuation,
    Stop,
    StopReason,
    UpdatedInput,
    UpdatedOutput,
)
from executor.pipeline.command_hook import said_by_status
from executor.pipeline.hooks import HookOutcome, Stage
from scenarios.calls import Call
from scenarios.draws import Draws
from scenarios.hooks import HookWords, OwnHook
from scenarios.model import Scenario
from sim.clock import NS_PER_S, SimLoop

from .inputs import rewritten
from .passing import pass_time

_DEFAULT_TIMEOUT_S = 60.0


class HookFailure(Exception):
    """What a modelled hook raises; the argument says why."""


class Hooking:
    """Makes a scenario's hooks.

    Args:
        scenario: which hooks there are.
        loop: where they run.
        draws: how long each takes for each call.
        is_over: whether the turn is over, so that even a stubborn hook obeys.
    """

    def __init__(self, scenario: Scenario, loop: SimLoop, draws: Draws, is_over: Callable[[], bool]) -> None:
        self._scenario = scenario
        self._loop = loop
        self._draws = draws
        self._is_over = is_over
        self._calls = {call.id: call for call in scenario.every_call}

    def hooks(self) -> Hooks:
        """Make them, in the order in which they are registered: the scenario's, then those of single tools."""
        stages: dict[Stage, list[Hook]] = {"pre": [], "post": [], "failure": []}
        for n, spec in enumerate(self._scenario.hooks):
            title = spec.name or f"hook {n}"
            stages[spec.on].append(_hook(title, spec.tools, spec, partial(self._run, title, spec)))
        for stage, hooks in stages.items():
            title = f"{stage}_hook"
            own = {name: tool for name, tool in self._scenario.tools.items() if getattr(tool, title) is not None}
            hooked = {id(self._scenario.tool_of(call)) for call in self._scenario.every_call if getattr(call, title)}
            for name, tool in self._scenario.known_tools.items():
                if name in own or id(tool) in hooked:
                    own_hook = getattr(tool, title) or OwnHook()
                    hooks.append(_hook(title, name, own_hook, partial(self._run_own, title, own_hook)))
        return Hooks(**stages)

    def _run_own(self, title: str, of_tool: OwnHook, event: HookEvent) -> Any:
        return self._run(title, getattr(self._calls[event.call_id], title) or of_tool, event)

    def _run(self, title: str, words: HookWords, event: HookEvent) -> Any:
        if words.takes == 0:
            return self._say(words, event)
        takes = words.takes
        takes_ns = None if takes == "hang" else self._draws.duration_ns(takes, "hook", title, event.call_id)
        return self._speak_first(words, event, takes_ns) if words.speaks_first else self._work(words, event, takes_ns)

    async def _work(self, words: HookWords, event: HookEvent, takes_ns: int | None) -> list[HookOutcome]:
        await pass_time(self._loop, takes_ns, lambda: not words.stubborn or self._is_over())
        return self._say(words, event)

    async def _speak_first(
        self, words: HookWords, event: HookEvent, takes_ns: int | None
    ) -> AsyncGenerator[HookOutcome, None]:
        for outcome in self._say(words, event):
            yield outcome
        await pass_time(self._loop, takes_ns, lambda: not words.stubborn or self._is_over())

    def _say(self, words: HookWords, event: HookEvent) -> list[HookOutcome]:
        if words.launch_error:
            raise HookFailed("it cannot be launched")
        if words.raises is not None:
            raise HookFailure(words.raises)
        return list(_said(words, self._calls[event.call_id], event.stage))


def _hook(title: str, tools: str, spec: OwnHook, run: Callable[[HookEvent], Any]) -> Hook:
    timeout_s = _DEFAULT_TIMEOUT_S if spec.timeout_ns is None else spec.timeout_ns / NS_PER_S
    return Hook(run, name=title, tools=tools, timeout_s=timeout_s, fail_closed=spec.fail_closed)


def _said(words: HookWords, call: Call, stage: Stage) -> Iterator[HookOutcome]:
    if words.message is not None:
        yield Message(words.message)
    given = None if words.rewrite is None else rewritten(call, words.rewrite)
    match words.permission:
        case "allow":
            yield Allow(given)
        case "deny":
            yield Deny(words.reason, by_person=False)
        case "ask":
            yield Ask(words.reason)
    if given is not None and words.permission != "allow":
        yield UpdatedInput(given)
    if words.prevents_continuation:
        yield PreventContinuation()
    if words.stop_reason is not None:
        yield StopReason(words.stop_reason)
    if words.context is not None:
        yield AdditionalContext(words.context)
    if words.output is not None:
        yield UpdatedOutput(words.output)
    if words.exit:
        yield said_by_status(words.exit, words.stderr, stage)
    if words.stop is not None:
        yield Stop(words.stop)
