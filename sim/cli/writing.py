"""``interlock schema`` and ``interlock fmt``: help for whoever writes scenario files. Nothing is run."""

from pathlib import Path
from typing import Annotated

import typer

from scenarios import ScenarioError

from .console import write_json
from .exits import BROKEN, OK, UNUSABLE, Unusable


def schema(
    reference: Annotated[bool, typer.Option("--reference", help="Print the reference page, as Markdown.")] = False,
) -> None:
    """Print the JSON Schema of scenario files, for an editor to complete and check them.

    Example: interlock schema > scenario.schema.json
    """
    # Only here: making them reads the model's own source.
    if reference:
        from scenarios.reference import reference as page

        typer.echo(page(), nl=False)
    else:
        from scenarios.schema import json_schema

        write_json(json_schema())


def fmt(
    files: Annotated[list[Path], typer.Argument(help="Scenario files (*.yaml).", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
) -> None:
    """Write scenario files in their one form: order, units, one line per call; comments and includes are kept.

    Example: interlock fmt scenarios/library/*.yaml
    """
    # Only here: no other command writes files of scenarios.
    from scenarios.files import read_text
    from scenarios.formatting import formatted

    changed, unreadable = 0, 0
    for path in files:
        try:
            after = formatted(path)
            if after == read_text(path):
                continue
        except ScenarioError as error:
            unreadable += 1
            typer.echo(f"interlock: {error}", err=True)
            continue
        changed += 1
        typer.echo(f"{path}: {'not in its form' if check else 'written anew'}")
        if not check:
            _write(path, after)
    if not changed and not unreadable:
        typer.echo(f"{len(files)} in their form")
    raise typer.Exit(UNUSABLE if unreadable else BROKEN if check and changed else OK)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{path}: cannot write it: {error.strerror or error}") from error
