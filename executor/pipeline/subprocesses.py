"""Commands as processes that leave nothing behind (B070, E10).

The rule: each command leads a process group of its own; whatever ends the wait ends the whole group, which is asked
first (TERM), then made to (KILL), and waited for. Unit: seconds.
"""

import asyncio
import os
import signal
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

SHELL: Final = "/bin/sh"
_LOOK_EVERY_S: Final = 0.01


class Finished(NamedTuple):
    """A command that came to its end.

    Args:
        status: its exit status; below 0 the signal that ended it.
        stdout: what it wrote.
        stderr: what it wrote there.
    """

    status: int
    stdout: bytes
    stderr: bytes


async def run_command(
    command: str | Sequence[str],
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    grace_s: float = 1.0,
    max_output: int = 1_000_000,
) -> Finished:
    """Run a command to its end; what it leaves running in its group is ended with it.

    Args:
        command: program and arguments, or a text for the shell.
        stdin: what it can read.
        env: its environment; this process's own by default.
        cwd: its working folder.
        grace_s: how long the group has between TERM and KILL.
        max_output: how many bytes of each stream are given back.

    Raises:
        OSError: the program cannot be launched.
    """
    argv = [SHELL, "-c", command] if isinstance(command, str) else list(command)
    # Files, not pipes: a child that keeps a pipe open would keep its reader waiting after the command's own end.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        launched: list[asyncio.subprocess.Process] = []

        async def launch() -> None:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=given, stdout=out, stderr=err, env=env, cwd=cwd, start_new_session=True
            )
            launched.append(process)

        try:
            await _undisturbed(launch())
            status = await launched[0].wait()
        finally:
            for process in launched:
                await _undisturbed(_end_group(process, grace_s))
        for file in (out, err):
            file.seek(0)
        return Finished(status, out.read(max_output), err.read(max_output))


async def _end_group(process: asyncio.subprocess.Process, grace_s: float) -> None:
    loop = asyncio.get_running_loop()
    if _signalled(process.pid, signal.SIGTERM):
        end_s = loop.time() + grace_s
        while loop.time() < end_s and _signalled(process.pid, 0):
            await asyncio.sleep(_LOOK_EVERY_S)
        _signalled(process.pid, signal.SIGKILL)
    await process.wait()


def _signalled(group: int, number: int) -> bool:
    """Send a signal to a process group; tells whether there was anybody in it."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """See work through to its end, whoever cancels meanwhile: it is short, and half of it would leave processes."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
