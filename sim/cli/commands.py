"""The commands, each with what lists it and where it is.

The rule: a command's module is imported when the command is used, never to list it. So help, completion and errors of
usage cost what typer costs, and a module may import what it needs as any other does.
"""

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

RECORDINGS: Final = "Recorded sessions"
SIMULATION: Final = "Simulation"
SHOWING: Final = "Pictures and files"
WRITING: Final = "Writing scenarios"
SETTING_UP: Final = "Setting up"


class Listed(NamedTuple):
    """A command as it is listed: its panel, its summary, its function as ``MODULE:FUNCTION`` of this package."""

    panel: str
    summary: str
    place: str


COMMANDS: Final[Mapping[str, Listed]] = {
    "demo": Listed(SIMULATION, "Show what the project does, on its own samples.", "demo:demo"),
    "replay": Listed(RECORDINGS, "Tell what recorded tool calls cost, and would have.", "replaying:replay"),
    "compare": Listed(RECORDINGS, "Compare turns under other engines and options.", "comparing:compare"),
    "check": Listed(RECORDINGS, "Judge histories, sessions and event logs by the rules.", "checking:check"),
    "repair": Listed(RECORDINGS, "Make a history valid and tell what was done.", "repairing:repair_history"),
    "formats": Listed(RECORDINGS, "List the recordings that can be read.", "formats:formats"),
    "profiles": Listed(RECORDINGS, "List how the recorded programs ran their calls.", "profiles:profiles"),
    "import": Listed(RECORDINGS, "Write recorded turns as scenarios.", "importing:import_session"),
    "run": Listed(SIMULATION, "Play scenarios on the virtual clock and judge them.", "running:run"),
    "explore": Listed(SIMULATION, "Try one scenario under many schedules.", "exploring:explore"),
    "fuzz": Listed(SIMULATION, "Play random turns until told to stop.", "fuzzing:fuzz"),
    "conform": Listed(SIMULATION, "Examine an executor of yours, rule by rule.", "conforming:conform"),
    "plot": Listed(SHOWING, "Draw turns, sessions, comparisons, explorations.", "plotting:plot"),
    "export": Listed(SHOWING, "Write turns for Perfetto, OpenTelemetry, spreadsheets.", "exporting:export"),
    "shell": Listed(WRITING, "Tell whether a shell command may run beside others.", "shell:shell"),
    "schema": Listed(WRITING, "Print the JSON Schema of scenario files.", "writing:schema"),
    "fmt": Listed(WRITING, "Write scenario files in their one form.", "writing:fmt"),
    "doctor": Listed(SETTING_UP, "Tell what is installed, and what is missing for what.", "doctor:doctor"),
}


class Commands(TyperGroup):
    """The group of all commands: it holds a name and a summary of each, and fetches the one that is used."""

    def __init__(self, **settings: Any) -> None:
        listed = [
            TyperCommand(
                name, help=one.summary, rich_help_panel=one.panel, rich_markup_mode=settings["rich_markup_mode"]
            )
            for name, one in COMMANDS.items()
        ]
        super().__init__(**settings | {"commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Give the command itself in the place of the one that lists it."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and fetched(listed.name), rest


def fetched(name: str | None) -> Any:
    """Import a command; the section ``Examples:`` of its docstring ends its help, a line each."""
    assert name is not None
    module, _, function = COMMANDS[name].place.partition(":")
    command = getattr(import_module(f".{module}", __package__), function)
    alone = typer.Typer(add_completion=False)
    told, _, examples = (inspect.getdoc(command) or "").partition("\n\nExamples:\n")
    alone.command(name, help=told, epilog=f"Examples:\n{examples}")(command)
    return typer.main.get_command(alone)
