"""What the header of a simulated turn's log says: engine, tools, options, and what the scenario uses (SPEC 10)."""

from collections.abc import Callable
from typing import Any

from scenarios.calls import Call, ToolSpec
from scenarios.model import ENGINES, Scenario


def header_of(scenario: Scenario, engine: str, seed: int) -> dict[str, Any]:
    """Describe a run for its log; times in nanoseconds. A class decided per command is ``None``.

    Args:
        scenario: what is played.
        engine: by what.
        seed: with which seed.
    """
    options = scenario.options
    header: dict[str, Any] = {
        "scenario": scenario.name,
        "engine": engine,
        "seed": seed,
        "tools": {name: _described(tool) for name, tool in scenario.known_tools.items() if tool.available},
        "options": {
            "max_concurrency": 1 if engine == "serial" else options.max_concurrency,
            "emission": options.emission,
            "cascade": options.cascade,
            "grace_ns": options.grace_ns,
            "start": "response_end" if engine in ("batch", "serial") else scenario.stream.start,
        },
    }
    if engine in ENGINES:
        header["context"] = {}
        if not scenario.consumer.takes_ns:
            header["consumer"] = "prompt"
    if scenario.attempts:
        header["options"]["retries"] = len(scenario.attempts) - 1
    rules = {kind: list(getattr(scenario.permissions, kind)) for kind in ("deny", "ask", "allow")}
    if any(rules.values()):
        header["rules"] = rules
    if used := features(scenario):
        header["features"] = used
    return header


def features(scenario: Scenario) -> list[str]:
    """Name what a scenario uses that makes some rules needed or keeps them from being judged."""
    tools, calls = scenario.tools.values(), scenario.every_call
    streams = [scenario.stream, *(attempt.stream for attempt in scenario.attempts)]
    used = {
        "hooks": bool(scenario.hooks) or any(map(_has_hook, tools)) or any(map(_has_hook, calls)),
        "questions": scenario.has_asker or any(tool.approval or tool.interactive for tool in tools),
        "background": any(tool.auto_background_after_ns is not None for tool in tools)
        or any(call.background_ns is not None for call in calls),
        "attempts": bool(scenario.attempts),
        "bytes": any(stream is not None and stream.level == "bytes" for stream in streams),
        "deadline": any(tool.timeout_ns is not None for tool in tools),
        "refuses": any(call.refuses_ns is not None for call in calls),
        "cancel": any(event.do == "cancel" for event in scenario.events),
    }
    return sorted(name for name, is_used in used.items() if is_used)


def gates_of(scenario: Scenario) -> Callable[[Call], bool]:
    """Give what tells of a call whether anything may stand before or after its body: hooks, rules, questions."""
    permissions = scenario.permissions
    for_all = bool(permissions.deny or permissions.ask or permissions.allow or scenario.hooks or scenario.has_asker)

    def is_gated(call: Call) -> bool:
        tool = scenario.tool_of(call)
        return for_all or tool.approval or tool.interactive or _has_hook(call) or _has_hook(tool)

    return is_gated


def _has_hook(of: Call | ToolSpec) -> bool:
    return any(hook is not None for hook in (of.pre_hook, of.post_hook, of.failure_hook))


def _described(tool: ToolSpec) -> dict[str, Any]:
    described: dict[str, Any] = {
        "safe": None if tool.safe == "by_command" else tool.safe,
        "cascades": tool.cascades,
        "interrupt": tool.interrupt,
    }
    if tool.timeout_ns is not None:
        described["deadline_ns"] = tool.timeout_ns
    if tool.aliases:
        described["aliases"] = list(tool.aliases)
    if tool.backfill:
        described["backfill"] = dict(tool.backfill)
    return described | {word: True for word in ("detached", "interactive", "classifier_raises") if getattr(tool, word)}
