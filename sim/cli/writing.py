"""``interlock schema`` and ``interlock fmt``: help for whoever writes scenario files. Nothing is run."""

from pathlib import Path
from typing import Annotated

import typer

from scenarios import ScenarioError
from scenarios.words import hint

from .answers.writing import Formatted, FormattedFile
from .console import write_json
from .exits import BROKEN, OK, UNUSABLE, Unusable
from .options import AsJson


def _answering() -> list[str]:
    from .answers import ANSWERS

    return list(ANSWERS)


def schema(
    reference: Annotated[bool, typer.Option("--reference", help="Print the reference page, as Markdown.")] = False,
    of: Annotated[
        str | None,
        typer.Option(
            help="Instead, of what this command prints with --json.",
            show_default=False,
            autocompletion=_answering,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of scenario files, for an editor to complete and check them; or of a command's JSON.

    Examples:
        interlock schema > scenario.schema.json
        interlock schema --of replay
        interlock schema --reference
    """
    # Only here: making them reads the model's own source.
    if of is not None:
        from .answers import ANSWERS, answer_schema

        if reference:
            raise Unusable("--reference is about scenario files, --of about a command's JSON: leave one of them out")
        if of not in ANSWERS:
            raise Unusable(f"--of {of}: expected one of {', '.join(ANSWERS)}{hint(of, ANSWERS)}")
        write_json(answer_schema(of))
    elif reference:
        from scenarios.reference import reference as page

        typer.echo(page(), nl=False)
    else:
        from scenarios.schema import json_schema

        write_json(json_schema())


def fmt(
    files: Annotated[list[Path], typer.Argument(help="Scenario files (*.yaml).", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write scenario files in their one form: order, units, one line per call; comments and includes are kept.

    Examples:
        interlock fmt turn.yaml
        interlock fmt --check scenarios/library/*.yaml
    """
    # Only here: no other command writes files of scenarios.
    from scenarios.files import read_text
    from scenarios.formatting import formatted

    rows: list[FormattedFile] = []
    unreadable = 0
    for path in files:
        try:
            after = formatted(path)
            rows.append({"file": str(path), "changed": after != read_text(path)})
        except ScenarioError as error:
            unreadable += 1
            typer.echo(f"interlock: {error}", err=True)
            continue
        if rows[-1]["changed"] and not check:
            _write(path, after)
    changed = [row["file"] for row in rows if row["changed"]]
    if as_json:
        write_json(Formatted(files=rows))
    else:
        for name in changed:
            typer.echo(f"{name}: {'not in its form' if check else 'written anew'}")
        if not changed and not unreadable:
            typer.echo(f"{len(files)} in their form")
    raise typer.Exit(UNUSABLE if unreadable else BROKEN if check and changed else OK)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{path}: cannot write it: {error.strerror or error}") from error
