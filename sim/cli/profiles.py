"""``interlock profiles``: how the programs that wrote recordings ran their calls, and the option that names one."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from scenarios.traces.choosing import Choice
from scenarios.traces.profiles import PROFILES, Profile, profile_named

from .answers.recordings import ChosenProfile, KnownProfile
from .console import console, write_json
from .exits import Unusable
from .options import AsJson

AsProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="How the calls were run (interlock profiles lists it), where the file is not to tell that.",
        show_default=False,
        autocompletion=lambda: [profile.name for profile in PROFILES],
    ),
]
"""The option that names a profile."""


def profiles(
    as_json: AsJson = False,
) -> None:
    """List how the programs that wrote recordings ran their tool calls, by version.

    Examples:
        interlock profiles
        interlock profiles --json
    """
    if as_json:
        write_json({profile.name: _described(profile) for profile in PROFILES})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("profile", "program", "versions", "engine", "emission", "cascade", "limit", "side by side"):
        table.add_column(name, no_wrap=name != "side by side")
    for profile in PROFILES:
        told = _described(profile)
        cascade = profile.cascade if profile.cascade == "never" else f"{profile.cascade}, {profile.culprits}"
        cells = (profile.name, profile.program, profile.versions, profile.engine, profile.emission, cascade)
        table.add_row(*cells, str(profile.max_concurrency or "none"), escape(told["together"]))
    console().print(table)
    typer.echo("cascade: which errors cancel siblings, and whose")
    typer.echo("by command: tools as published, each call of a shell by what its command does")
    typer.echo("--json says what each choice rests on.")


def chosen_profile(name: str | None) -> Profile | None:
    """Find the profile that ``--profile`` names."""
    try:
        return None if name is None else profile_named(name)
    except ValueError as error:
        raise Unusable(f"--profile: {error}") from None


def profile_json(choice: Choice) -> ChosenProfile:
    """Write a recording's profile as JSON."""
    return {"name": None if choice.profile is None else choice.profile.name, "why": choice.why, "sure": choice.sure}


def _described(profile: Profile) -> KnownProfile:
    together = profile.together if isinstance(profile.together, str) else ", ".join(profile.together)
    return {
        "program": profile.program,
        "versions": profile.versions,
        "engine": profile.engine,
        "emission": profile.emission,
        "cascade": profile.cascade,
        "culprits": profile.culprits,
        "max_concurrency": profile.max_concurrency,
        "together": together.replace("_", " ") if together == "by_command" else together,
        "sources": dict(profile.sources),
    }
