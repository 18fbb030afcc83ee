"""The ``interlock`` command: what all of its commands share, and how it ends (``exits.py``)."""

import errno
import io
import os
import re
import sys
from importlib.metadata import version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from .commands import Commands
from .exits import UNUSABLE, Unusable, told

app = typer.Typer(
    name="interlock",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=f"{told()}  `interlock COMMAND --help` tells more, with examples.",
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"interlock {version('interlock')}")
        raise typer.Exit


@app.callback()
def interlock(
    _version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Replay, judge and simulate the tool calls of LLM agents."""


def main() -> None:
    """Run the command line; what is wrong with the input ends in one line, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal does not know becomes a question mark rather than an error.
            stream.reconfigure(errors="replace")
    try:
        code = app(prog_name="interlock", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            _leave_quietly()
        raise
    except TyperException as error:
        if what := _misused(error):
            typer.echo(f"interlock: {what}", err=True)
        sys.exit(UNUSABLE)
    except Unusable as error:
        typer.echo(f"interlock: {error}", err=True)
        sys.exit(UNUSABLE)
    except ImportError as error:
        _tell_missing(error)
        sys.exit(UNUSABLE)
    except OSError as error:
        if error.errno == errno.EPIPE:
            _leave_quietly()
        typer.echo(f"interlock: cannot write the output: {error.strerror or error}", err=True)
        _leave_quietly(UNUSABLE)


def _misused(error: TyperException) -> str:
    """Say in one line what is wrong with the words of a command; nothing where its help has been shown instead."""
    context = getattr(error, "ctx", None)
    # By its name, because typer exports none of its kinds.
    if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
        return ""
    what = " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".") + _given(error)
    path = "interlock" if context is None else context.command_path
    return f"{what[:1].lower()}{what[1:]}; `{path} --help` tells what there is"


def _given(error: TyperException) -> str:
    """Say what pydantic's sentence leaves out: which of the words it lists may be meant, or what was given."""
    from pydantic import ValidationError

    from scenarios.words import hint

    if not isinstance(error.__cause__, ValidationError):
        return ""
    first = error.__cause__.errors()[0]
    known = re.findall("'([^']+)'", first["msg"].partition(" is not one of ")[2])
    return hint(first["input"], known) if known else f", got {first['input']!r}"


def _tell_missing(error: ImportError) -> None:
    """Say what installs a module that is missing; one that nothing of ours needs is a defect, and raised again."""
    from .installed import way_to

    cause = error if isinstance(error, ModuleNotFoundError) else error.__cause__
    module = (cause.name or "").partition(".")[0] if isinstance(cause, ModuleNotFoundError) else ""
    if (way := way_to(module)) is None:
        raise error
    typer.echo(f"interlock: this needs {module}, which is not installed: {way}", err=True)


def _leave_quietly(code: int = 0) -> None:
    """End without flushing what cannot be written: whoever read our output has gone (``| head``), or it is full."""
    os._exit(code)
