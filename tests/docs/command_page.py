"""Write docs/commands.md: every command with its arguments, options, examples and exit codes, from the commands.

Run as ``python tests/docs/command_page.py`` in the project's root (``make docs``). No times here.
"""

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from sim.cli.answers import ANSWERS
from sim.cli.commands import COMMANDS, fetched
from sim.cli.exits import MEANINGS

PAGE: Final = Path(__file__).parents[2] / "docs" / "commands.md"
VALUES: Final = {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "PATH"}
HEAD: Final = """# The command line

<!-- Written by `make docs` from the commands. -->

Results go to standard output, progress and complaints to standard error; progress only to a terminal. Drawings fit the
terminal, use its colours unless `NO_COLOR` is set, and plain ASCII where it knows no more. Nothing needs the network.
`interlock --install-completion` sets up completion for bash, zsh or fish; `--show-completion` prints it.

## Exit codes
"""
JSON: Final = """
## JSON

With `--json` a command prints one object. What it may be given several of, such as files, is a list in it. Times are
seconds, and end in `_s`; what is not known is `null`. `interlock schema --of COMMAND` prints the JSON Schema of it, for
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Give the page."""
    lines = [HEAD, "| code | when |", "| ---: | --- |"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    lines += [f"{JSON}{', '.join(f'`{name}`' for name in ANSWERS)}."]
    for name in COMMANDS:
        lines += ["", f"## {name}", "", *described(name)]
    return "\n".join(lines) + "\n"


def described(name: str) -> Iterator[str]:
    """Describe a command."""
    command = fetched(name)
    arguments, options = [], []
    for key, one in get_type_hints(function_of(name), include_extras=True).items():
        if key != "return":
            taken = Taken(key, *get_args(one), default(name, key))
            (arguments if isinstance(taken.told, ArgumentInfo) else options).append(taken)
    yield from command.help.splitlines()
    words = [one.in_usage for one in arguments]
    yield from ("", "```sh", " ".join(["interlock", name, *words, *["[OPTIONS]"] * bool(options)]), "```")
    if arguments or options:
        yield from ("", "| | |", "| --- | --- |")
    yield from (f"| {one.shown} | {one.explained} |" for one in (*arguments, *options))
    yield from ("", "```sh", *(line.strip() for line in command.epilog.splitlines()[1:]), "```")


class Taken(NamedTuple):
    """An argument or an option of a command."""

    name: str
    kind: Any
    told: ArgumentInfo | OptionInfo
    default: Any

    @property
    def in_usage(self) -> str:
        """The argument as a usage line has it."""
        word = f"{self.name.upper()}{'…' * (list in (self.kind, *map(get_origin, (self.kind, *get_args(self.kind)))))}"
        return word if self.default is Parameter.empty else f"[{word}]"

    @property
    def shown(self) -> str:
        """How it is written."""
        if isinstance(self.told, ArgumentInfo):
            return f"`{self.name.upper()}`"
        declared = [one for one in (self.told.default, *(self.told.param_decls or ())) if str(one).startswith("-")]
        names = declared or [f"--{self.name.replace('_', '-')}"]
        return ", ".join(f"`{name}{self.value}`" for name in names)

    @property
    def value(self) -> str:
        """What follows an option."""
        kinds = [self.kind, *get_args(self.kind), *(part for one in get_args(self.kind) for part in get_args(one))]
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, Enum):
                return f" {' or '.join(str(one.value) for one in kind)}"
        return next((f" {VALUES[kind]}" for kind in kinds if kind in VALUES), "")

    @property
    def explained(self) -> str:
        """Its help, and what holds without it."""
        default = getattr(self.default, "value", self.default)
        without = "" if default in (Parameter.empty, None, False, "") else f" Without it `{default}`."
        return f"{self.told.help}{without}".replace("|", "\\|")


def function_of(name: str) -> Any:
    """Give the function behind a command."""
    module, _, function = COMMANDS[name].place.partition(":")
    return getattr(import_module(f"sim.cli.{module}"), function)


def default(name: str, argument: str) -> Any:
    """Give what holds without an argument."""
    return signature(function_of(name)).parameters[argument].default


if __name__ == "__main__":
    main()
