"""The ``interlock`` command: its sub-commands, and how it ends.

Exit codes: 0 all is well; 1 a rule is broken or an expectation is not met; 2 the input cannot be used.
"""

import sys
from collections.abc import Callable
from typing import Any

import typer

from . import checking, demo, replaying, running
from .exits import UNUSABLE, Unusable

app = typer.Typer(
    name="interlock",
    help="Replay, judge and simulate the tool calls of LLM agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 all is well · 1 a rule is broken or an expectation is not met · 2 the input cannot be used.",
)
_COMMANDS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("demo", demo.demo),
    ("replay", replaying.replay),
    ("check", checking.check),
    ("run", running.run),
)
for _name, _command in _COMMANDS:
    app.command(_name)(_command)


def main() -> None:
    """Run the command line; what is wrong with the input ends in one line, never in a traceback."""
    try:
        app()
    except Unusable as error:
        typer.echo(f"interlock: {error}", err=True)
        sys.exit(UNUSABLE)
    except BrokenPipeError:
        # Whoever read our output has gone (| head): nothing to say, nobody to say it to.
        sys.stderr.close()
        sys.exit(0)
