"""``interlock shell``: may this shell command run beside others, and why."""

from typing import Annotated

import typer

from executor.safety.shell import classify_command

from .answers.writing import ShellVerdict
from .console import write_json
from .options import AsJson


def shell(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="The command, quoted as one word.")],
    as_json: AsJson = False,
) -> None:
    """Say whether a shell command only reads, and so may run beside others, and which part decided (R1, R2).

    Examples:
        interlock shell 'git log --oneline | head -3'
        interlock shell 'sort notes.txt > sorted.txt' --json
    """
    verdict = classify_command(command)
    if as_json:
        write_json(ShellVerdict(concurrency_safe=verdict.concurrency_safe, why=verdict.why))
        return
    typer.echo(f"{'concurrency-safe' if verdict.concurrency_safe else 'exclusive'}: {verdict.why}")
