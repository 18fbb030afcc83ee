"""``interlock import``: a recorded turn, or a session's turns, as scenario files."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scenarios import dump
from scenarios.files import is_named_as_scenario
from scenarios.traces import TraceError, TraceReader, fit_durations, latencies, read_trace
from scenarios.traces.choosing import Choice
from scenarios.traces.declaring import Facts
from scenarios.traces.fitted import Fitted, How
from scenarios.traces.formats import FORMATS
from scenarios.traces.profiles import Profile
from sim.analysis.importing import ImportedTurn, import_turn
from sim.show.amounts import counted

from .answers.imported import Imported, KnownFacts
from .console import reading, write_json
from .exits import Unusable
from .options import AsJson
from .profiles import AsProfile, chosen_profile, profile_json
from .recordings import size_bytes

SHOWN = 10
"""How many numbers of turns are listed; --json lists all."""


class Durations(StrEnum):
    """What the calls of a scenario take."""

    RECORDED = "recorded"
    EMPIRICAL = "empirical"
    LOGNORMAL = "lognormal"


@dataclass(slots=True)
class _Told:
    """What was found and written, to be told at the end."""

    turns: int = 0
    written: list[tuple[Path, ImportedTurn]] = field(default_factory=list)
    left_out: list[ImportedTurn] = field(default_factory=list)
    profiles: Counter[Choice] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)

    def add(self, imported: ImportedTurn, path: Path) -> None:
        self.turns += 1
        if imported.scenario is None:
            self.left_out.append(imported)
            return
        self.written.append((path, imported))
        self.profiles[imported.turn.choice] += 1
        self.starts.update(call.start_basis for call in imported.turn.calls)


def import_session(
    file: Annotated[Path, typer.Argument(help="A recorded session.", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A .yaml file for one turn, else a folder.", show_default=False)
    ],
    turn: Annotated[int | None, typer.Option(help="Only this turn.", show_default=False)] = None,
    durations: Annotated[
        Durations, typer.Option(help="What calls take: as recorded, or drawn from what their tool's calls took.")
    ] = Durations.RECORDED,
    profile: AsProfile = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write over files that are there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write recorded turns as scenarios that `interlock run` plays, and tell what in them is estimated or unknown.

    Examples:
        interlock import session.jsonl --turn 2 -o recorded.yaml
        interlock import session.jsonl -o turns --durations lognormal --json
    """
    chosen, told = chosen_profile(profile), _Told()
    try:
        fitted = _fitted(file, chosen, durations)
        takes = {tool: fit.takes for tool, fit in fitted.items() if fit.takes is not None}
        with reading([size_bytes(file)]) as of_file:
            reader = read_trace(file, on_progress=of_file(0), profile=chosen)
            for recorded in reader:
                if turn is None or recorded.number == turn:
                    name = Path(f"turn-{recorded.number:04}.yaml")
                    told.add(import_turn(recorded, file.name, takes), name)
    except TraceError as error:
        raise Unusable(str(error)) from error
    _refuse_what_cannot_be_written(file, turn, told, reader.counts.turns)
    paths = _paths(out, told)
    _write(paths, told, overwrite=overwrite)
    if as_json:
        write_json(_json(file, reader, told, paths, fitted))
    else:
        _print(file, reader, told, paths, fitted)


def _fitted(file: Path, profile: Profile | None, durations: Durations) -> dict[str, Fitted]:
    if durations is Durations.RECORDED:
        return {}
    how: How = "empirical" if durations is Durations.EMPIRICAL else "lognormal"
    return fit_durations(latencies(read_trace(file, profile=profile)), how)


def _refuse_what_cannot_be_written(file: Path, turn: int | None, told: _Told, turns: int) -> None:
    if turn is not None and not told.turns:
        last = f"its last is {turns}" if turns else "it has none with tool calls"
        raise Unusable(f"--turn {turn}: {file} has no such turn; {last}")
    if not told.written:
        because = "; ".join(f"{counted(len(each), 'turn')}: {reason}" for reason, each in _reasons(told).items())
        raise Unusable(f"{file}: no turn of it can be played: {because or 'it has none with tool calls'}")


def _paths(out: Path, told: _Told) -> list[Path]:
    """Say where each scenario goes: the file that is named, or files in the folder that is."""
    if not is_named_as_scenario(out):
        return [out / name for name, _ in told.written]
    if len(told.written) > 1:
        raise Unusable(f"--out {out}: {len(told.written)} turns do not fit into one file; choose --turn, or a folder")
    return [out]


def _write(paths: list[Path], told: _Told, *, overwrite: bool) -> None:
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise Unusable(f"{there[0]}{more}: is there already; name another place, or add --overwrite")
    for path, (_, imported) in zip(paths, told.written, strict=True):
        assert imported.scenario is not None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dump(imported.scenario), encoding="utf-8")
        except OSError as error:
            raise Unusable(f"{path}: cannot be written ({error.strerror or error}); name another place") from error


def _print(file: Path, reader: TraceReader, told: _Told, paths: list[Path], fitted: dict[str, Fitted]) -> None:
    written = f"{counted(len(paths), 'scenario')} of {counted(told.turns, 'turn')} written"
    typer.echo(f"{file}: {reader.format}; {written}")
    for choice, count in told.profiles.most_common():
        typer.echo(f"  profile of {counted(count, 'turn')}: {choice}")
    facts = [f"{name} {fact.how}" for name, fact in _facts(reader)._asdict().items()]
    typer.echo(f"  known: {', '.join(facts)} (interlock formats says by what)")
    typer.echo(f"  starts: {', '.join(f'{basis} {count}' for basis, count in told.starts.most_common())}")
    if reader.damage:
        typer.echo(f"  damage: {counted(len(reader.damage), 'place')} (interlock replay lists them)")
    for tool, fit in fitted.items():
        typer.echo(f"  {tool} takes: {fit}")
    for reason, numbers in _reasons(told).items():
        typer.echo(f"  left out: {reason} ({'turn' if len(numbers) == 1 else 'turns'} {_some(numbers)})")
    for imported in (imported for _, imported in told.written if imported.otherwise):
        typer.echo(f"  turn {imported.turn.number} plays otherwise than recorded: {'; '.join(imported.otherwise)}")
    engine = told.written[0][1].turn.choice.assumed.engine
    typer.echo(f"play it: interlock run {paths[0]} --engine {engine}")


def _reasons(told: _Told) -> dict[str, list[int]]:
    """Give the numbers of the turns that are left out, by the reason."""
    reasons: dict[str, list[int]] = {}
    for imported in told.left_out:
        reasons.setdefault(imported.why_not or "", []).append(imported.turn.number)
    return reasons


def _some(numbers: list[int]) -> str:
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return ", ".join(map(str, numbers[:SHOWN])) + more


def _facts(reader: TraceReader) -> Facts:
    return next(source.facts for source in FORMATS if source.name == reader.format)


def _json(file: Path, reader: TraceReader, told: _Told, paths: list[Path], fitted: dict[str, Fitted]) -> Imported:
    rows: list[tuple[ImportedTurn, str | None]] = [(imported, None) for imported in told.left_out]
    facts = _facts(reader)
    rows += [(imported, str(path)) for path, (_, imported) in zip(paths, told.written, strict=True)]
    return {
        "file": str(file),
        "format": reader.format,
        "known": KnownFacts(
            arrival=facts.arrival.how,
            start=facts.start.how,
            end=facts.end.how,
            progress=facts.progress.how,
            error=facts.error.how,
            group=facts.group.how,
        ),
        "durations": {
            tool: {"how": fit.how, "calls": fit.n, "distance": fit.distance, "by_chance": fit.by_chance}
            for tool, fit in fitted.items()
        },
        "turns": [
            {
                "turn": imported.turn.number,
                "line": imported.turn.line,
                "calls": len(imported.turn.calls),
                "file": path,
                "why_not": imported.why_not,
                "profile": profile_json(imported.turn.choice),
                "engine": imported.turn.choice.assumed.engine,
                "starts": dict(Counter(call.start_basis for call in imported.turn.calls)),
                "estimated": sum(call.estimated for call in imported.turn.calls),
                "otherwise": list(imported.otherwise),
            }
            for imported, path in sorted(rows, key=lambda row: row[0].turn.number)
        ],
    }
