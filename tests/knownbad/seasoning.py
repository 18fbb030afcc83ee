"""What random turns lack and some defects need: each function gives a turn one thing more.

The rule: a scenario in, a scenario out; one that has no place for it stays as it is. Durations in words.
"""

from collections.abc import Callable
from typing import Any

from scenarios import Scenario

Season = Callable[[Scenario], Scenario]


def as_it_is(scenario: Scenario) -> Scenario:
    return scenario


def _with(change: Callable[[dict[str, Any]], None]) -> Season:
    def season(scenario: Scenario) -> Scenario:
        words = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        change(words)
        return Scenario.model_validate(words)

    return season


@_with
def backwards(words: dict[str, Any]) -> None:
    """Give the calls ids whose order is not that of the calls."""
    for n, call in enumerate(words.get("calls", [])):
        call["id"] = "zyxwv"[n]


@_with
def by_alias(words: dict[str, Any]) -> None:
    """Let the model use retired names."""
    tools = words.setdefault("tools", {}) or {"Read": {}}
    words["tools"] = {name: {**tool, "aliases": [f"Old{name}"]} for name, tool in tools.items()}
    for call in words.get("calls", []):
        call["tool"] = f"Old{call.get('tool', 'Read')}"


@_with
def refusing(words: dict[str, Any]) -> None:
    """Let the first call ask for the turn's abort when it is half through."""
    for call in words.get("calls", [])[:1]:
        call |= {"takes": "200ms", "ends": "ok", "refuses": "100ms"}
        call.pop("progress", None)


@_with
def stubborn(words: dict[str, Any]) -> None:
    """Let the first attempt end with a call running that nobody can stop."""
    for attempt in words.get("attempts", [])[:1]:
        words["options"] = {**words.get("options", {}), "grace": "100ms"}
        words.setdefault("tools", {})["Edit"] = {"safe": False}
        attempt["calls"] = [{"id": "a0", "tool": "Edit", "takes": "5s", "stubborn": "cancel"}]


@_with
def one_unknown(words: dict[str, Any]) -> None:
    """Let the second call be one of a tool that there is not."""
    words["tools"] = {"Read": {}, **words.get("tools", {}), "Gone": {"available": False}}
    for call in words.get("calls", [])[1:2]:
        call["tool"] = "Gone"


@_with
def submitting(words: dict[str, Any]) -> None:
    """Let the user send a message that does not wait, while an exclusive call does."""
    words["tools"] = {"Read": {}, **words.get("tools", {}), "Edit": {"safe": False}}
    for call in words.get("calls", [])[1:2]:
        call["tool"] = "Edit"
        call.pop("safe", None)
    if words.get("calls"):
        ends = [event for event in words.get("events", []) if event["do"] in ("stream_end", "stream_error")]
        at = words["calls"][-1].get("at", "0s")
        words["events"] = [{"at": at, "do": "submit", "force": True}, *ends]


@_with
def failing(words: dict[str, Any]) -> None:
    """Let the first call be one whose error cascades."""
    words["tools"] = {"Read": {}, **words.get("tools", {}), "Bash": {"safe": False, "cascades": True}}
    for call in words.get("calls", [])[:1]:
        call |= {"tool": "Bash", "ends": "error"}
        call.pop("safe", None)


@_with
def in_the_shell(words: dict[str, Any]) -> None:
    """Make every call a shell's that reads only, and let each error cascade."""
    if "attempts" in words:
        return
    words["tools"] = {"Bash": {"safe": "by_command", "cascades": True}}
    words["options"] = {**words.get("options", {}), "cascade": "any"}
    for call in words.get("calls", []):
        call |= {"tool": "Bash", "input": {"command": "ls"}}
        call.pop("safe", None)


@_with
def setting(words: dict[str, Any]) -> None:
    """Let every call set the same value of the context."""
    for call in words.get("calls", []):
        call |= {"ends": "ok", "sets": {"x": call["id"]}}


@_with
def busy(words: dict[str, Any]) -> None:
    """Let the consumer be busy while the first call reports more and more."""
    for call in words.get("calls", [])[:1]:
        call |= {"takes": "300ms", "ends": "ok", "progress": ["100ms", "200ms"]}
        words["consumer"] = {"takes": "1s"}


@_with
def resisting(words: dict[str, Any]) -> None:
    """Let the user stop a call that obeys nothing."""
    if words.get("calls"):
        words["options"] = {**words.get("options", {}), "grace": "100ms"}
        words["calls"][-1] |= {"takes": "5s", "ends": "ok", "stubborn": "cancel"}
        ends = [event for event in words.get("events", []) if event["do"] in ("stream_end", "stream_error")]
        words["events"] = [{"at": words["calls"][-1].get("at", "0s"), "do": "stop"}, *ends]


@_with
def cutting(words: dict[str, Any]) -> None:
    """Let the response break off within its last call's block."""
    if words.get("calls"):
        last = words["calls"][-1]
        last |= {"at": "1s", "cut": True, "ends": "ok", "input": {"command": "ls"}}
        words["stream"] = {"level": "bytes"}
        words["events"] = [{"at": "2s", "do": "stream_error", "error": "eof"}]


@_with
def instantly(words: dict[str, Any]) -> None:
    """Let hooks take no time."""
    for hook in words.get("hooks", []):
        if hook.get("takes") != "hang":
            hook.pop("takes", None)


@_with
def allowing(words: dict[str, Any]) -> None:
    """Let a hook allow what a rule denies."""
    for call in words.get("calls", [])[:1]:
        words["hooks"] = [{"permission": "allow"}, *words.get("hooks", [])]
        words["permissions"] = {"deny": [call.get("tool", "Read")]}


@_with
def smuggling(words: dict[str, Any]) -> None:
    """Let a hook give calls an input that a rule forbids."""
    for call in words.get("calls", []):
        call["input"] = {"path": "notes"}
    words["hooks"] = [{"rewrite": {"input": {"path": "secrets/key"}}}]
    words["permissions"] = {"deny": ["*(secrets/*)"]}


@_with
def telling(words: dict[str, Any]) -> None:
    """Let a hook tell the model more."""
    words["hooks"] = [{"context": "more"}, *words.get("hooks", [])]


@_with
def rewriting(words: dict[str, Any]) -> None:
    """Let two hooks give another input, the first of them more slowly."""
    slow = {"takes": "200ms", "rewrite": {"input": {"command": "slow"}}}
    quick = {"takes": "100ms", "rewrite": {"input": {"command": "quick"}}}
    words["hooks"] = [slow, quick, *words.get("hooks", [])]
