"""The options that commands share, so that they look and read alike."""

from pathlib import Path
from typing import Annotated, Final

import typer

from scenarios.expect import ENGINES

ENGINE_HELP: Final = f"What runs the calls: {', '.join(ENGINES)}, or MODULE:FUNCTION, an executor of yours."

AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON; `interlock schema --of COMMAND` gives its JSON Schema.")
]
AsHtml = Annotated[
    Path | None,
    typer.Option(
        "--html", help="Write a report to open in a browser: one file, which loads nothing.", show_default=False
    ),
]


def engine_names() -> list[str]:
    """Give what a shell completes where an engine is chosen."""
    return list(ENGINES)


Engine = Annotated[str, typer.Option(help=ENGINE_HELP, autocompletion=engine_names)]
