"""Hooks that are commands: JSON on standard input, exit status and standard output for an answer (H7, B077).

The rule: 0 goes on, 2 blocks, anything else goes on with a warning; a command that cannot be launched keeps the call
from running.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic_core import to_jsonable_python

from .hooks import (
    AdditionalContext,
    Hook,
    HookEvent,
    HookFailed,
    HookOutcome,
    Message,
    PreventContinuation,
    Stage,
    Stop,
    StopReason,
    UpdatedInput,
    UpdatedOutput,
    Warned,
)
from .permissions import Allow, Ask, Deny
from .subprocesses import run_command

BLOCKS: Final = 2
_CANNOT_LAUNCH: Final = {126: "it may not be executed", 127: "there is no such command"}
_EVENTS: Final = {"pre": "PreToolUse", "post": "PostToolUse", "failure": "PostToolUseFailure"}


def command_hook(
    command: str | Sequence[str],
    *,
    name: str = "",
    tools: str = "*",
    timeout_s: float = 60.0,
    fail_closed: bool = False,
    unlaunched: Literal["fail", "warn"] = "fail",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    grace_s: float = 1.0,
) -> Hook:
    """Make a hook of a command.

    On its standard input it reads one JSON object: ``hook_event_name`` (``PreToolUse``, ``PostToolUse`` or
    ``PostToolUseFailure``), ``tool_use_id``, ``tool_name``, ``tool_input`` and, after the body, ``tool_response``. If
    it exits with 0, what it wrote is a message, or one JSON object with any of these keys, at the top or under
    ``hookSpecificOutput``:

    - ``permissionDecision``: ``allow``, ``deny`` or ``ask``, with ``permissionDecisionReason``; or ``decision``:
      ``approve`` or ``block``, with ``reason``;
    - ``updatedInput``, ``updatedMCPToolOutput``, ``additionalContext``, ``systemMessage`` (a message);
    - ``continue``: ``false`` keeps the model from being asked again, with ``stopReason``.

    Args:
        command: program and arguments, or a text for the shell.
        name: for reports; the program by default.
        tools: see :class:`~executor.pipeline.hooks.Hook`.
        timeout_s: seconds it may take before its whole process group is ended.
        fail_closed: whether a command that takes too long, or writes broken JSON, keeps the call from running.
        unlaunched: what a command that cannot be launched does: ``fail`` keeps the call from running.
        env: its environment; this process's own by default.
        cwd: its working folder.
        grace_s: seconds between TERM and KILL for its process group.
    """

    async def run(event: HookEvent) -> list[HookOutcome]:
        given = json.dumps(_told(event), ensure_ascii=True).encode()
        try:
            done = await run_command(command, stdin=given, env=env, cwd=cwd, grace_s=grace_s)
        except OSError as error:
            return _unlaunched(f"it cannot be launched: {error.strerror or error}", unlaunched)
        errors = done.stderr.decode(errors="replace").strip()
        if done.status in _CANNOT_LAUNCH:
            return _unlaunched(f"it cannot be launched: {errors or _CANNOT_LAUNCH[done.status]}", unlaunched)
        if done.status != 0:
            return [said_by_status(done.status, errors, event.stage)]
        return _read(done.stdout.decode(errors="replace").strip(), event)

    program = shlex.split(command)[:1] if isinstance(command, str) else list(command[:1])
    title = name or (program[0] if program else "command")
    return Hook(run, name=title, tools=tools, timeout_s=timeout_s, fail_closed=fail_closed)


def said_by_status(status: int, errors: str, stage: Stage) -> HookOutcome:
    """Tell what an exit status other than 0 says, with what was written to standard error (B077)."""
    if status != BLOCKS:
        return Warned(f"exit status {status}: {errors}" if errors else f"exit status {status}")
    reason = errors or "blocked by a hook"
    return Stop(reason) if stage == "pre" else AdditionalContext(reason)


def _unlaunched(why: str, unlaunched: Literal["fail", "warn"]) -> list[HookOutcome]:
    if unlaunched == "fail":
        raise HookFailed(why)
    return [Warned(why)]


def _told(event: HookEvent) -> dict[str, Any]:
    told = {
        "hook_event_name": _EVENTS[event.stage],
        "tool_use_id": event.call_id,
        "tool_name": event.tool,
        "tool_input": to_jsonable_python(event.input, fallback=repr),
    }
    return told if event.output is None else told | {"tool_response": event.output}


def _read(text: str, event: HookEvent) -> list[HookOutcome]:
    """Read what a command that went well wrote.

    Raises:
        ValueError: it looks like the JSON object above and is none.
    """
    if not text.startswith("{"):
        return [Message(text)] if text else []
    try:
        written = json.loads(text)
    except ValueError as error:
        raise ValueError(f"standard output: expected text or a JSON object, got broken JSON: {error}") from error
    said = written | _of_type(written, "hookSpecificOutput", dict, {})
    reason = _of_type(said, "permissionDecisionReason", str, "") or _of_type(said, "reason", str, "")
    outcomes = _decision(said, reason, event)
    if _of_type(said, "continue", bool, True) is False:
        outcomes += [PreventContinuation(), StopReason(_of_type(said, "stopReason", str, ""))]
    if "updatedInput" in said:
        outcomes.append(UpdatedInput(_of_type(said, "updatedInput", dict, {})))
    if "updatedMCPToolOutput" in said:
        outcomes.append(UpdatedOutput(_of_type(said, "updatedMCPToolOutput", str, "")))
    outcomes += [AdditionalContext(context) for context in [_of_type(said, "additionalContext", str, "")] if context]
    outcomes += [Message(message) for message in [_of_type(said, "systemMessage", str, "")] if message]
    return outcomes


def _decision(said: Mapping[str, Any], reason: str, event: HookEvent) -> list[HookOutcome]:
    match said.get("permissionDecision", said.get("decision")):
        case None:
            return []
        case "allow" | "approve":
            return [Allow()]
        case "deny":
            return [Deny(reason, by_person=False)]
        case "ask":
            return [Ask(reason)]
        case "block" if event.stage == "pre":
            return [Stop(reason)]
        case "block":
            return [AdditionalContext(reason)]
        case other:
            raise ValueError(f"standard output: decision: expected allow, deny, ask, approve or block, got {other!r}")


def _of_type(said: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    value = said.get(key, default)
    if not isinstance(value, kind):
        raise ValueError(f"standard output: {key}: expected {kind.__name__}, got {value!r}")
    return value
