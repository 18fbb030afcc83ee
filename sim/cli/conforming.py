"""``interlock conform``: examine an executor of your own by every rule."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from scenarios import dump
from sim.conformance import ReportCard, check_engine
from sim.conformance.check import RANDOM_TURNS
from sim.explore.plan import engine_named

from .answers.simulation import Examined, MarkedRule
from .console import counting, write_json
from .exits import BROKEN, OK, Unusable
from .options import AsJson
from .replaying import violation_json
from .running import chosen_engine


def conform(
    engine: Annotated[str, typer.Argument(help="MODULE:FUNCTION, an executor of yours.", show_default=False)],
    turns: Annotated[
        int, typer.Option(min=1, help="How many random turns to play besides the library's.")
    ] = RANDOM_TURNS,
    save: Annotated[Path | None, typer.Option(help="Write the counterexamples here, a scenario file each.")] = None,
    as_json: AsJson = False,
) -> None:
    """Examine an executor: each rule holds, is broken (with the simplest counterexample), or cannot be observed.

    Examples:
        interlock conform mymodule:engine
        interlock conform mymodule:engine --turns 1000 --save counterexamples
    """
    own = engine_named(chosen_engine(engine, "ENGINE"))
    if isinstance(own, str):
        raise Unusable(f"expected MODULE:FUNCTION, an executor of yours, got {engine!r}: run judges the built-in ones")
    shown = (
        f"interlock run {shlex.quote(str(save))}/{{rule}}.yaml" if save else "printf %s {scenario} | interlock run -"
    )
    again = f"{shown} --engine {shlex.quote(engine)}"
    with counting("examining") as on_progress:
        card = check_engine(own, random_turns=turns, again=again, on_progress=on_progress)
    if save is not None:
        _save(card, save)
    if as_json:
        write_json(_card_json(card))
    else:
        typer.echo(str(card))
    raise typer.Exit(OK if card.is_clean else BROKEN)


def _save(card: ReportCard, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for rule, found in card.broken.items():
            (folder / f"{rule}.yaml").write_text(dump(found.scenario), encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{folder}: cannot write here: {error.strerror or error}; choose another folder") from error


def _card_json(card: ReportCard) -> Examined:
    return Examined(engine=card.engine, played=card.played, rules={rule: _marked(card, rule) for rule in card.marks})


def _marked(card: ReportCard, rule: str) -> MarkedRule:
    marked = MarkedRule(mark=card.marks[rule])
    if (found := card.broken.get(rule)) is not None:
        marked |= {"scenarios": found.count, "violation": violation_json(found.violation)}
    elif rule in card.unseen:
        marked["why"] = card.unseen[rule]
    return marked
