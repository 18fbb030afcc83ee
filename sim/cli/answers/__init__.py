"""What commands print with ``--json``: one type a command, from which its JSON Schema is made.

The rule: an answer is an object; what a command may be given several of is a list in it, whether it was given one or
more. A command that is added declares its answer here. Names of times end in their unit.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter

from .compared import Compared
from .doctor import Health
from .imported import Imported
from .recordings import Checked, KnownFormat, KnownProfile, Repaired, Replayed
from .simulation import Examined, Explored, Fuzzed, Played, PlayedLibrary, Shown
from .writing import Drawn, Exported, Formatted, ShellVerdict

ANSWERS: Final[Mapping[str, Any]] = {
    "check": Checked,
    "compare": Compared,
    "conform": Examined,
    "demo": Shown,
    "doctor": Health,
    "explore": Explored,
    "export": Exported,
    "fmt": Formatted,
    "formats": dict[str, KnownFormat],
    "fuzz": Fuzzed,
    "import": Imported,
    "plot": Drawn,
    "profiles": dict[str, KnownProfile],
    "repair": Repaired,
    "replay": Replayed,
    "run": Played | PlayedLibrary,
    "shell": ShellVerdict,
}
"""The type of each command's answer."""


def answer_schema(command: str) -> dict[str, Any]:
    """Make the JSON Schema of what a command prints.

    >>> answer_schema("shell")["properties"]["why"]["description"]
    'The part that decided, and the reason.'
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **TypeAdapter(ANSWERS[command]).json_schema(mode="serialization"),
    }
