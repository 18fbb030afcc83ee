"""``interlock doctor``: what is installed, and what is missing for what."""

import platform
from importlib.metadata import PackageNotFoundError, version

import typer
from rich.table import Table

from .answers.doctor import Health, Part, Terminal
from .console import can_draw_unicode, console, may_colour, write_json
from .exits import BROKEN, OK, Unusable
from .installed import NAME, parts
from .options import AsJson


def doctor(as_json: AsJson = False) -> None:
    """Tell what is installed and what is missing for what; exit 1 if something is missing that every command needs.

    Examples:
        interlock doctor
        interlock doctor --json
    """
    try:
        health = _health()
    except PackageNotFoundError:
        raise Unusable(f"{NAME} is not installed, only found in a folder: `pip install .` in that folder") from None
    if as_json:
        write_json(health)
    else:
        _print(health)
    core = next(part for part in health["parts"] if part["extra"] is None)
    raise typer.Exit(OK if core["ready"] and health["grammar"] is None else BROKEN)


def _health() -> Health:
    out = console()
    return {
        "interlock": version(NAME),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "parts": list(parts()),
        "grammar": _grammar(),
        "terminal": Terminal(
            is_terminal=out.is_terminal, columns=out.width, colours=may_colour(), unicode=can_draw_unicode()
        ),
    }


def _grammar() -> str | None:
    """Parse a command: a grammar may be installed and still not fit its parser."""
    try:
        from executor.safety.shell import classify_command

        verdict = classify_command("git log | head -3")
    except (ImportError, ValueError, TypeError) as error:
        return str(error)
    return None if verdict.concurrency_safe else verdict.why


def _print(health: Health) -> None:
    typer.echo(f"interlock {health['interlock']} · Python {health['python']} · {health['platform']}")
    table = Table(box=None, pad_edge=False)
    for name in ("", "for", "what is missing or does not fit"):
        table.add_column(name, no_wrap=name == "")
    for part in health["parts"]:
        table.add_row("ready" if part["ready"] else "missing", part["purpose"], _lacking(part))
    console().print(table, markup=False)
    # Plain echoes: a command is copied and pasted, so it must be neither cut nor wrapped.
    for part in health["parts"]:
        if not part["ready"]:
            typer.echo(f"for {part['purpose']}: {part['install']}")
    grammar = health["grammar"]
    typer.echo(f"shell commands: {'parsed' if grammar is None else f'cannot be parsed: {grammar}'}")
    shown = health["terminal"]
    typer.echo(
        f"output: {'a terminal' if shown['is_terminal'] else 'no terminal'}, {shown['columns']} columns, "
        f"{'colours' if shown['colours'] else 'no colours'}, {'Unicode' if shown['unicode'] else 'ASCII'}"
    )


def _lacking(part: Part) -> str:
    return ", ".join(
        f"{one['name']} {one['installed']}, needed {one['needed']}" if one["installed"] else one["name"]
        for one in part["packages"]
        if not one["fits"]
    )
