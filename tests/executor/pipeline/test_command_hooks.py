"""Hooks that are commands, as real processes on a real loop (H7, B070, B077)."""

import asyncio
import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from executor import Attachment, Hook, Hooks, Options, ToolResult, ToolSet, ToolUseBlock, Turn, command_hook, tool
from executor.pipeline.subprocesses import run_command

RAN: list[str] = []


@tool(name="Task", concurrency_safe=True)
async def task(path: str = "") -> str:
    RAN.append(path)
    return f"did {path}"


@tool(name="mcp__x__task")
async def mcp(path: str = "") -> str:
    return "secret"


@tool(name="Fails")
async def fails(path: str = "") -> str:
    raise OSError("broken")


def run(hooks: Hooks, name: str = "Task", *, stop_s: float | None = None, **options: Any) -> tuple[Turn, ToolResult]:
    """Run one call under hooks, in real time."""
    RAN.clear()

    async def response() -> Any:
        yield ToolUseBlock("a", name, {"path": "a.ts"})

    async def main() -> tuple[Turn, ToolResult]:
        turn = Turn(ToolSet([task, mcp, fails]), options=Options(hooks=hooks, **options))
        if stop_s is not None:
            asyncio.get_running_loop().call_later(stop_s, turn.stop)
        [result] = [update.result async for update in turn.run(response()) if update.result is not None]
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return turn, result

    return asyncio.run(main())


def writes(said: Any) -> str:
    return f"echo {shlex.quote(json.dumps(said))}"


@pytest.mark.parametrize(
    ("command", "outcome", "ran", "attachments"),
    [
        ("exit 0", "ok", True, []),
        ("echo hello", "ok", True, [("hook_message", "hello")]),
        ("echo no >&2; exit 2", "hook_blocked", False, []),
        ("echo odd >&2; exit 1", "ok", True, [("hook_warning", "exit status 1: odd")]),
        ("exit 3", "ok", True, [("hook_warning", "exit status 3")]),
        ("kill -9 $$", "ok", True, [("hook_warning", "exit status -9")]),
        ("no-such-program-here", "hook_failed", False, None),
        ("exit 126", "hook_failed", False, [("hook_error", "it cannot be launched: it may not be executed")]),
    ],
)
def test_the_exit_status_decides(command, outcome, ran, attachments) -> None:
    """H7, B077: 0 goes on, 2 blocks, anything else warns, what cannot be launched fails."""
    _, result = run(Hooks(pre=[command_hook(command, name="h")]))
    assert (result.outcome, bool(RAN), result.started) == (outcome, ran, ran)
    if attachments is not None:
        assert result.attachments == tuple(Attachment(kind, "h", text) for kind, text in attachments)
    if outcome == "hook_blocked":
        assert (result.content, result.summary) == ("no", "Error: no")


@pytest.mark.parametrize(("unlaunched", "outcome"), [("fail", "hook_failed"), ("warn", "ok")])
def test_a_program_that_does_not_exist_fails_unless_it_shall_only_warn(unlaunched, outcome) -> None:
    """H7, B077: by ENOENT."""
    _, result = run(Hooks(pre=[command_hook(["/no/such/program"], unlaunched=unlaunched)]))
    assert result.outcome == outcome
    [attachment] = result.attachments
    assert attachment.content == "it cannot be launched: No such file or directory"
    assert attachment.hook == "/no/such/program"


def test_the_body_does_not_start_before_the_hook_is_done(tmp_path: Path) -> None:
    """H7, B077: exit 2 comes late, the effect never."""
    started = time.perf_counter()
    _, result = run(Hooks(pre=[command_hook("sleep 0.2; exit 2")]))
    assert time.perf_counter() - started >= 0.2
    assert (result.outcome, RAN) == ("hook_blocked", [])


def test_it_reads_one_json_object(tmp_path: Path) -> None:
    """H7: the same names before and after."""
    log = tmp_path / "told"
    hook = command_hook(f"cat >> {log}; echo >> {log}")
    run(Hooks(pre=[hook], post=[hook]))
    run(Hooks(failure=[hook]), "Fails")
    common = {"tool_use_id": "a", "tool_name": "Task", "tool_input": {"path": "a.ts"}}
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        {"hook_event_name": "PreToolUse"} | common,
        {"hook_event_name": "PostToolUse", "tool_response": "did a.ts"} | common,
        {"hook_event_name": "PostToolUseFailure", "tool_response": "broken"} | common | {"tool_name": "Fails"},
    ]


@pytest.mark.parametrize(
    ("said", "outcome", "ran"),
    [
        ({"permissionDecision": "allow"}, "ok", ["a.ts"]),
        ({"hookSpecificOutput": {"permissionDecision": "allow"}}, "ok", ["a.ts"]),
        ({"decision": "approve"}, "ok", ["a.ts"]),
        ({"permissionDecision": "deny", "permissionDecisionReason": "never"}, "denied", []),
        ({"permissionDecision": "ask"}, "denied", []),
        ({"decision": "block", "reason": "never"}, "hook_blocked", []),
        ({"updatedInput": {"path": "b.ts"}}, "ok", ["b.ts"]),
        ({"updatedInput": {"path": 7}}, "invalid_input", []),
        ({}, "ok", ["a.ts"]),
    ],
)
def test_json_on_its_output_decides_and_rewrites(said, outcome, ran) -> None:
    """H1, H7."""
    _, result = run(Hooks(pre=[command_hook(writes(said))]))
    assert (result.outcome, RAN) == (outcome, ran)
    if "never" in str(said):
        assert "never" in str(result.content)


def test_json_on_its_output_speaks_to_the_model_and_holds_the_loop() -> None:
    """H1, H5, H7."""
    said = {"systemMessage": "hi", "additionalContext": "mind b.ts", "continue": False, "stopReason": "enough"}
    turn, result = run(Hooks(post=[command_hook(writes(said), name="h")]))
    assert result.attachments == (
        Attachment("hook_prevented_continuation", "h", "enough"),
        Attachment("hook_context", "h", "mind b.ts"),
        Attachment("hook_message", "h", "hi"),
    )
    assert not turn.should_continue


def test_after_the_body_a_block_is_context_and_mcp_output_can_be_replaced() -> None:
    """H5, B077: what ran stays done."""
    _, result = run(Hooks(post=[command_hook("echo tests fail >&2; exit 2", name="h")]))
    assert (result.outcome, result.attachments) == ("ok", (Attachment("hook_context", "h", "tests fail"),))
    _, result = run(Hooks(post=[command_hook(writes({"decision": "block", "reason": "look"}), name="h")]))
    assert (result.outcome, result.attachments) == ("ok", (Attachment("hook_context", "h", "look"),))
    _, result = run(Hooks(post=[command_hook(writes({"updatedMCPToolOutput": "***"}))]), "mcp__x__task")
    assert result.content == "***"


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ('{"decision": ', "standard output: expected text or a JSON object, got broken JSON"),
        ('{"decision": 7}', "standard output: decision: expected allow, deny, ask, approve or block, got 7"),
        ('{"updatedInput": "x"}', "standard output: updatedInput: expected dict, got 'x'"),
    ],
)
@pytest.mark.parametrize("fail_closed", [False, True])
def test_broken_json_is_told_and_fails_closed_if_declared(output, why, fail_closed) -> None:
    """H7."""
    hook = command_hook(f"echo {shlex.quote(output)}", name="h", fail_closed=fail_closed)
    _, result = run(Hooks(pre=[hook]))
    assert result.outcome == ("hook_failed" if fail_closed else "ok")
    [attachment] = result.attachments
    assert (attachment.kind, str(attachment.content).startswith(why)) == ("hook_error", True)


def test_environment_and_folder_are_its_own(tmp_path: Path) -> None:
    hook = command_hook("echo $WORD in $(pwd)", name="h", env={"WORD": "hi"}, cwd=str(tmp_path))
    _, result = run(Hooks(pre=[hook]))
    assert result.attachments == (Attachment("hook_message", "h", f"hi in {os.path.realpath(tmp_path)}"),)


def gone(pid: int) -> bool:
    """Whether a process is over, within a second; a zombie is."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")


@needs_proc
@pytest.mark.parametrize("how", ["deadline", "abort"])
def test_its_whole_process_group_is_ended(how, tmp_path: Path) -> None:
    """H6, H7, B070: a child that ignores TERM as well, with nothing left and the wait ended soon."""
    pids = tmp_path / "pids"
    script = f"echo $$ > {pids}; sh -c 'trap \"\" TERM; echo $$ >> {pids}; sleep 30' & sleep 30"
    hook = command_hook(script, name="h", timeout_s=0.4 if how == "deadline" else 60.0, grace_s=0.2)
    started = time.perf_counter()
    _, result = run(Hooks(pre=[hook]), stop_s=0.4 if how == "abort" else None)
    assert time.perf_counter() - started < 5.0
    assert result.outcome == ("ok" if how == "deadline" else "user_interrupted")
    assert [attachment.kind for attachment in result.attachments] == [
        "hook_error" if how == "deadline" else "hook_cancelled"
    ]
    two = [int(line) for line in pids.read_text().split()]
    assert len(two) == 2
    assert all(gone(pid) for pid in two)


@needs_proc
def test_a_child_left_behind_neither_delays_the_end_nor_outlives_it(tmp_path: Path) -> None:
    """B070, E10: it holds the output open; the command's own end counts."""
    pids = tmp_path / "pids"
    started = time.perf_counter()
    _, result = run(Hooks(pre=[command_hook(f"sleep 30 & echo $! > {pids}; echo done", name="h", grace_s=0.2)]))
    assert time.perf_counter() - started < 5.0
    assert result.attachments == (Attachment("hook_message", "h", "done"),)
    assert gone(int(pids.read_text()))


def test_a_command_gives_its_status_and_both_streams_bounded() -> None:
    """B070: run by itself; output is kept, up to a limit."""
    script = "import sys; print('x' * 50); print('y' * 50, file=sys.stderr); sys.exit(7)"
    done = asyncio.run(run_command([sys.executable, "-c", script], max_output=20))
    assert done == (7, b"x" * 20, b"y" * 20)
    assert asyncio.run(run_command(["cat"], stdin=b"given")).stdout == b"given"


def test_a_command_hook_is_named_by_its_program() -> None:
    assert command_hook("./guard --strict").title == "./guard"
    assert command_hook(["guard", "-x"]).title == "guard"
    assert isinstance(command_hook("x", name="mine"), Hook)
    assert command_hook("x", name="mine").title == "mine"


def test_the_simulator_refuses_a_real_process_and_says_so(shop) -> None:
    """H7: a broken hook like any other."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[command_hook("exit 0", name="h")]))
    [attachment] = played.results["a"].attachments
    assert (played.outcomes, attachment.kind) == ({"a": "ok"}, "hook_error")
