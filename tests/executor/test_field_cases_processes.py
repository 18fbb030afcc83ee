"""Field cases of a shell tool with real processes on a real loop: what is left of a stopped command (B042, B070)."""

import asyncio
import os
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from executor import CallHandle, Options, ToolOutput, ToolResult, ToolSet, ToolUseBlock, Turn, tool
from executor.pipeline.subprocesses import run_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and /bin/sh are POSIX")


@tool(name="Bash", concurrency_safe=True, cascades=True)
async def bash(call: CallHandle, command: str) -> ToolOutput:
    """Run a command, and give up as soon as the signal fires."""
    running = asyncio.ensure_future(run_command(command, grace_s=0.2))
    call.signal.listen(lambda reason: running.cancel())
    done = await running
    return ToolOutput(done.stdout.decode(), is_error=done.status != 0)


async def play(turn: Turn, **commands: str) -> dict[str, ToolResult]:
    """Play a turn of shell calls side by side; gives their results by call."""

    async def response() -> AsyncIterator[ToolUseBlock]:
        for call, command in commands.items():
            yield ToolUseBlock(call, "Bash", {"command": command})

    updates = [update.result async for update in turn.run(response())]
    return {result.call_id: result for result in updates if result is not None}


def test_a_command_runs_as_ever_after_another_was_killed_for_its_sibling(tmp_path: Path) -> None:
    """B042, A2: nothing is shared that a stop could break; the next turn's call is the proof."""
    ready = shlex.quote(str(tmp_path / "ready"))

    async def main() -> tuple[dict[str, ToolResult], dict[str, ToolResult]]:
        options = Options(cascade="any")
        killed = await play(
            Turn(ToolSet([bash]), options=options),
            bad=f"until [ -e {ready} ]; do sleep 0.02; done; exit 3",
            slow=f": > {ready}; sleep 30",
        )
        return killed, await play(Turn(ToolSet([bash]), options=options), next="echo alive")

    killed, after = asyncio.run(asyncio.wait_for(main(), 10.0))
    assert {call: result.outcome for call, result in killed.items()} == {"bad": "error", "slow": "sibling_error"}
    assert killed["slow"].started
    assert (after["next"].outcome, after["next"].content) == ("ok", "alive\n")


def test_a_stop_ends_the_shell_and_the_child_that_ignores_being_asked(tmp_path: Path) -> None:
    """B070, A7: when the result is there nobody writes any more."""
    ticks = tmp_path / "ticks"
    ticks.touch()

    def writes(word: str) -> str:
        return f"while :; do echo {word} >> {shlex.quote(str(ticks))}; sleep 0.02; done"

    async def main() -> dict[str, ToolResult]:
        turn = Turn(ToolSet([bash]))
        child = shlex.quote(f"trap '' TERM; {writes('child')}")
        playing = asyncio.ensure_future(play(turn, b=f"sh -c {child} & {writes('shell')}"))
        while set(ticks.read_text().split()) != {"shell", "child"}:
            await asyncio.sleep(0.02)
        turn.stop()
        results = await playing
        # A killed process may still be in the middle of its last write.
        await asyncio.sleep(0.1)
        size = ticks.stat().st_size
        await asyncio.sleep(0.2)
        assert ticks.stat().st_size == size
        return results

    result = asyncio.run(asyncio.wait_for(main(), 10.0))["b"]
    assert (result.outcome, result.abandoned) == ("user_interrupted", False)
