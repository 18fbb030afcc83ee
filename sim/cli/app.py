"""The ``interlock`` command: its sub-commands, and how it ends.

Exit codes: 0 all is well; 1 (``check``, ``conform``, ``run``, ``explore``, ``fuzz``) a rule is broken or an expectation
is not met, (``fmt --check``) a file is not in its form; 2 the input cannot be used; 130 ended by
Ctrl-C.
"""

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from . import checking, conforming, demo, exploring, formats, fuzzing, repairing, replaying, running, shell, writing
from .exits import UNUSABLE, Unusable

app = typer.Typer(
    name="interlock",
    help="Replay, judge and simulate the tool calls of LLM agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 all is well; 1 (check, conform, run, explore, fuzz) a rule is broken or an expectation is "
    "not met, (fmt --check) a file is not in its form; 2 the input cannot be used; 130 ended by Ctrl-C.",
)
_COMMANDS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("demo", demo.demo),
    ("replay", replaying.replay),
    ("check", checking.check),
    ("repair", repairing.repair_history),
    ("formats", formats.formats),
    ("run", running.run),
    ("explore", exploring.explore),
    ("fuzz", fuzzing.fuzz),
    ("conform", conforming.conform),
    ("shell", shell.shell),
    ("schema", writing.schema),
    ("fmt", writing.fmt),
)
for _name, _command in _COMMANDS:
    app.command(_name)(_command)


def main() -> None:
    """Run the command line; what is wrong with the input ends in one line, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal does not know becomes a question mark rather than an error.
            stream.reconfigure(errors="replace")
    try:
        app()
    except Unusable as error:
        typer.echo(f"interlock: {error}", err=True)
        sys.exit(UNUSABLE)
    except OSError as error:
        if error.errno == errno.EPIPE:
            _leave_quietly()
        typer.echo(f"interlock: cannot write the output: {error.strerror or error}", err=True)
        _leave_quietly(UNUSABLE)


def _leave_quietly(code: int = 0) -> None:
    """End without flushing what cannot be written: whoever read our output has gone (``| head``), or it is full."""
    os._exit(code)
