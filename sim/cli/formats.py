"""``interlock formats``: which recordings can be read, and what each kind tells of a call."""

import typer
from rich.table import Table

from scenarios.traces.declaring import Facts
from scenarios.traces.formats import FORMATS

from .console import console, write_json
from .options import AsJson


def formats(
    as_json: AsJson = False,
) -> None:
    """List the kinds of recordings that can be read; what each tells, and what is estimated or unknown.

    Examples:
        interlock formats
        interlock formats --json
    """
    if as_json:
        write_json(
            {
                source.name: {
                    "title": source.title,
                    "facts": {name: fact._asdict() for name, fact in source.facts._asdict().items()},
                }
                for source in FORMATS
            }
        )
        return
    table = Table(box=None, pad_edge=False)
    for name in ("format", *Facts._fields):
        table.add_column(name, no_wrap=True)
    for source in FORMATS:
        table.add_row(source.name, *(fact.how for fact in source.facts))
    console().print(table)
    typer.echo("told: the file says so · estimated: derived, or a bound · unknown: left open, never filled in")
    typer.echo("--json says what each is read from.")
