"""``interlock fuzz``: random turns until told to stop."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scenarios import ScenarioError
from scenarios.model import ENGINES
from sim.show.amounts import counted

from .answers.simulation import Fuzzed, KeptScenario
from .console import may_colour, saying, write_json
from .exits import BROKEN, OK, Unusable
from .options import ENGINE_HELP, AsJson, engine_names
from .running import chosen_engine

if TYPE_CHECKING:
    from sim.explore.corpus import Kept
    from sim.explore.fuzz import Campaign


def fuzz(
    engine: Annotated[
        list[str] | None,
        typer.Option(help=f"{ENGINE_HELP} May be given several times.", autocompletion=engine_names),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="How long; until Ctrl-C without it.")] = None,
    batches: Annotated[int | None, typer.Option(min=0, help="At most so many batches.")] = None,
    turns: Annotated[int, typer.Option(min=1, help="Random turns in a batch.")] = 200,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many processes; as many as cores without it.")] = None,
    corpus: Annotated[Path, typer.Option(help="Where failures are kept, and how far it came.")] = Path("corpus"),
    as_json: AsJson = False,
) -> None:
    """Run random turns in random orders under several engines, and judge each; what is kept in the corpus comes first.

    Each failure is made small and saved as a scenario file, with the command that shows it again. Called once more, it
    goes on where it stopped.

    Examples:
        interlock fuzz --minutes 10
        interlock fuzz --batches 1 --turns 20 --engine mymodule:engine --corpus kept
    """
    # Only here: the help must not need the extra.
    from sim.explore.corpus import Corpus
    from sim.explore.fuzz import fuzz as run_campaign

    engines = engine or list(ENGINES)
    for name in engines:
        chosen_engine(name)
    kept = Corpus(corpus)
    tell = partial(typer.secho, color=may_colour(), err=as_json)
    try:
        again = list(kept.replay())
        for one in again:
            _tell_kept(tell, one.path, one.ended.broken)
        tell(f"from seed {kept.next_seed} · {', '.join(engines)}")
        with saying("fuzzing") as say:
            done = run_campaign(
                engines,
                corpus=kept,
                minutes=minutes,
                batches=batches,
                jobs=jobs,
                turns=turns,
                on_progress=lambda campaign: say(so_far(campaign, minutes)),
            )
    except ScenarioError as error:
        raise Unusable(str(error)) from None
    except OSError as error:
        raise Unusable(f"{corpus}: cannot keep a corpus: {error.strerror or error}; choose another folder") from error
    for found in done.kept:
        tell(f"\n{next(iter(found.ended.broken.values()), 'does not fail again from its file')}", fg="red")
        tell(f"  kept: {found.path}")
    if done.tally.turns:
        tell(f"seeds {done.first_seed} to {done.next_seed - 1} · {done.pace}{' · interrupted' * done.interrupted}")
        tell(done.tally.reached)
    elif done.interrupted:
        tell("interrupted before the first batch was over")
    tell(str(done), fg="red" if done.tally.failing else "green")
    if as_json:
        write_json(_json(done, again))
    failing = done.tally.failing or any(one.ended.broken for one in again)
    raise typer.Exit(BROKEN if failing else OK)


def so_far(campaign: "Campaign", minutes: float | None) -> str:
    """Tell how far a campaign has come, and how much time is left of what it was given."""
    reached = campaign.tally.reached.partition(";")[0]
    left = "" if minutes is None else f" · {max(0, minutes * 60 - campaign.spent_s):.0f} s left"
    return f"{counted(campaign.tally.turns, 'turn')} · {campaign.pace} · {reached} · {campaign}{left}"


def _tell_kept(tell: Any, path: Path, broken: dict[str, str]) -> None:
    if broken:
        tell(f"{path}: still breaks {', '.join(broken)}", fg="red")
    else:
        tell(f"{path}: holds", fg="green")


def _json(done: "Campaign", again: "list[Kept]") -> Fuzzed:
    return {
        "first_seed": done.first_seed,
        "next_seed": done.next_seed,
        "interrupted": done.interrupted,
        "turns": done.tally.turns,
        "failing": done.tally.failing,
        "runs": done.tally.runs,
        "confidence": str(done),
        "situations": dict(done.tally.situations),
        "simulated_s": done.tally.simulated_ns / 1e9,
        "spent_s": done.spent_s,
        "kept": [_kept(one) for one in done.kept],
        "replayed": [_kept(one) for one in again],
    }


def _kept(one: "Kept") -> KeptScenario:
    return {"file": str(one.path), "broken": list(one.ended.broken)}
