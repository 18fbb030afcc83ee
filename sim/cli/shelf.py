"""``interlock run --library``: every scenario that comes with the project, under each engine that it is about.

The rule: a run must do what its file expects, keep every rule, and give the event log that it gave when its digest was
kept, to the byte (D1). Times in nanoseconds.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import typer

from scenarios.shipped import LIBRARY, library
from sim.show.amounts import counted
from sim.world import judge_run, simulate
from sim.world.expectations import unmet

from .answers.simulation import PlayedLibrary, ShelfRun
from .console import counting, may_colour, write_json
from .exits import BROKEN, OK, Unusable

DIGESTS: Final = "digests.json"
REFRESH: Final = "interlock run --library --keep-digests"


@dataclass(frozen=True)
class Played:
    """A scenario under one engine: its digest and what was wrong, a line each."""

    path: str
    engine: str
    digest: str
    wrong: tuple[str, ...]


def run_library(as_json: bool, keep: bool) -> None:
    """Play the library and tell what is wrong with it.

    Args:
        as_json: print JSON instead of lines.
        keep: keep the digests of these runs instead of comparing them.
    """
    golden = {} if keep else kept_digests()
    played = []
    for one in _shown(play_library()):
        moved = one.digest != golden.get(one.path, {}).get(one.engine)
        note = (f"another event log than the one kept; where that is meant: {REFRESH}",) if moved and not keep else ()
        played.append(Played(one.path, one.engine, one.digest, one.wrong + note))
    if keep:
        _keep(played)
    broken = [one for one in played if one.wrong]
    if as_json:
        runs = [ShelfRun(path=one.path, engine=one.engine, digest=one.digest, wrong=list(one.wrong)) for one in played]
        write_json(PlayedLibrary(runs=runs))
    else:
        _print(played, broken)
    raise typer.Exit(BROKEN if broken else OK)


def _shown(runs: Iterator[Played]) -> Iterator[Played]:
    with counting("playing", sum(len(scenario.expect.engines) for _, scenario in library())) as on_progress:
        for done, one in enumerate(runs, start=1):
            on_progress(done)
            yield one


def play_library() -> Iterator[Played]:
    """Play every scenario of the library under every engine that it is about, seed 0."""
    for name, scenario in library():
        path = f"{LIBRARY}/{name}"
        for engine in scenario.expect.engines:
            done = simulate(scenario, engine, source=path)
            wrong = *map(str, judge_run(done).violations), *(f"not as expected: {line}" for line in unmet(done))
            yield Played(path, engine, done.digest, wrong)


def kept_digests() -> dict[str, dict[str, str]]:
    """Read the digests that were kept, by path and engine."""
    golden: dict[str, dict[str, str]] = json.loads(
        (files("scenarios") / "library" / DIGESTS).read_text(encoding="utf-8")
    )
    return golden


def _keep(played: list[Played]) -> None:
    by_path: dict[str, dict[str, str]] = {}
    for one in played:
        by_path.setdefault(one.path, {})[one.engine] = one.digest
    path = Path(str(files("scenarios") / "library" / DIGESTS))
    try:
        path.write_text(json.dumps(by_path, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{path}: cannot keep the digests: {error.strerror or error}; run it in a checkout") from error


def _print(played: list[Played], broken: list[Played]) -> None:
    def tell(text: str, **style: Any) -> None:
        typer.secho(text, color=may_colour(), **style)

    for one in broken:
        for line in one.wrong:
            tell(f"{one.path} --engine {one.engine}: {line}", fg="red")
    paths = len({one.path for one in played})
    under = ", ".join(f"{count} {engine}" for engine, count in Counter(one.engine for one in played).items())
    many = f"{counted(paths, 'scenario')}, {counted(len(played), 'run')}"
    tell(f"{many} ({under}): {len(broken)} broken", fg="red" if broken else "green")
