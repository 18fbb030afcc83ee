"""``interlock compare``: what turns would cost under other engines and options."""

from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from scenarios.model import ENGINES
from sim.analysis.columns import TurnRow
from sim.analysis.compare import Comparison, Total
from sim.analysis.compare import compare as compare_turns
from sim.analysis.policy import CHOICES, Policy
from sim.analysis.sampling import Interval
from sim.clock import NS_PER_S
from sim.show.amounts import counted, seconds
from sim.show.comparison import table

from .answers.compared import Compared, ComparedTotal, ComparedTurn, Mean
from .console import console, counting, write_json
from .exits import INTERRUPTED, OK, UNUSABLE, Unusable
from .options import ENGINE_HELP, AsJson, engine_names
from .profiles import AsProfile, chosen_profile
from .running import chosen_engine

_SEVERAL = "May be given several times."


def _one_of(option: str, told: str) -> Any:
    return typer.Option(help=f"{told} {_SEVERAL}", autocompletion=lambda: list(CHOICES[option]))


def compare(
    paths: Annotated[
        list[Path], typer.Argument(help="Recorded sessions, scenario files, or folders of them.", show_default=False)
    ],
    engine: Annotated[
        list[str] | None, typer.Option(help=f"{ENGINE_HELP} {_SEVERAL}", autocompletion=engine_names)
    ] = None,
    limit: Annotated[
        list[str] | None, typer.Option(help=f"How many calls may run at once, or none for no limit. {_SEVERAL}")
    ] = None,
    emission: Annotated[list[str] | None, _one_of("emission", "ordered or eager.")] = None,
    cascade: Annotated[list[str] | None, _one_of("cascade", "exclusive, any or never.")] = None,
    start: Annotated[list[str] | None, _one_of("start", "block, confirmed or message_stop.")] = None,
    classify: Annotated[list[str] | None, _one_of("classify", "How shell calls are classed: command or tool.")] = None,
    profile: AsProfile = None,
    seed: Annotated[int, typer.Option(help="Chooses what scenarios leave open.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many processes; as many as cores without it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare turns under other engines and options: time, savings, and which call waited for which.

    Of a folder all files are compared, those in its folders too. Options that are given several times are tried in
    every combination, beside the turns as they are. Each run is judged; of one that breaks rules it is said.

    Examples:
        interlock compare ~/.claude/projects/*/*.jsonl
        interlock compare turn.yaml --limit 1 --limit none --emission eager
        interlock compare session.jsonl --engine mymodule:engine --engine batch --json
    """
    engines = list(map(chosen_engine, engine or ENGINES))
    chosen = chosen_profile(profile)
    policies = _policies(limit, emission, cascade, start, classify)
    with counting("comparing") as tell:
        done = compare_turns(paths, engines, policies, profile=chosen, jobs=jobs, seed=seed, on_progress=tell)
    named, others = tell_unreadable(done, paths)
    if others and not as_json:
        typer.echo(f"interlock: {counted(others, 'file')} in folders cannot be read (--json says why)", err=True)
    if not (done.files or done.unreadable or done.interrupted):
        raise Unusable(f"{paths[0]}: no file in it; name a recording, a scenario file, or a folder of them")
    if as_json:
        write_json(_json(done))
    else:
        out = console()
        out.print(table(done, width=out.width), soft_wrap=True)
    if done.interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(UNUSABLE if named or not done.files else OK)


def tell_unreadable(done: Comparison, paths: list[Path]) -> tuple[int, int]:
    """Say which of the files that were named cannot be read, and give how many of them and of those in folders.

    In a folder there may be anything; of a file that is named somebody expects that it can be read.
    """
    named = [(path, reason) for path, reason in done.unreadable.items() if Path(path) in paths]
    for path, reason in named:
        typer.echo(f"interlock: {reason if path in reason else f'{path}: {reason}'}", err=True)
    return len(named), len(done.unreadable) - len(named)


def _policies(limits: list[str] | None, *words: list[str] | None) -> list[Policy]:
    """Give what was asked for in every combination, after the turns as they are."""
    chosen: list[list[Any]] = [list(map(_limit, limits or [])), *(list(each or []) for each in words)]
    names = ("limit", "emission", "cascade", "start", "classify")
    try:
        made = [
            Policy(**dict(zip(names, values, strict=True))) for values in product(*(each or [None] for each in chosen))
        ]
    except ValueError as error:
        raise Unusable(f"--{error}") from None
    return list(dict.fromkeys([Policy(), *made]))


def _limit(word: str) -> int | str:
    return int(word) if word.isdecimal() else word


def _json(done: Comparison) -> Compared:
    return {
        "files": done.files,
        "turns": len(done.turns),
        "interrupted": done.interrupted,
        "left_out": dict(done.left_out),
        "damaged": done.damaged,
        "unreadable": done.unreadable,
        "totals": [_total_json(total) for total in done.totals()],
        "rows": [_row_json(row) for row in done.rows],
    }


def _total_json(total: Total) -> ComparedTotal:
    interval = total.mean_saving_ns
    return {
        "policy": total.policy,
        "engine": total.engine,
        "turns": total.turns,
        "makespan_s": total.makespan_ns / NS_PER_S,
        "lower_bound_s": total.lower_bound_ns / NS_PER_S,
        "saving_s": total.saving_ns / NS_PER_S,
        "saving_per_turn_s": None if interval is None else _mean_json(interval),
        "faster": total.faster,
        "slower": total.slower,
        "broken": dict(total.broken),
    }


def _row_json(row: TurnRow) -> ComparedTurn:
    told = row.numbers
    return {
        "source": row.source,
        "turn": row.turn,
        "line": row.line,
        "policy": row.policy,
        "engine": row.engine,
        "estimated": told.estimated,
        "broken": list(told.broken),
        "makespan_s": seconds(told.makespan_ns),
        "recorded_s": seconds(row.recorded_ns),
        "lower_bound_s": seconds(told.lower_bound_ns),
        "model_s": seconds(told.model_ns),
        "overlap_s": seconds(told.overlap_ns),
        "tools_s": seconds(told.tools_ns),
        "waiting_s": seconds(told.waiting_ns),
        "critical": [
            {
                "call": step.call,
                "tool": step.tool,
                "doing": step.doing,
                "since_s": step.since_ns / NS_PER_S,
                "until_s": step.until_ns / NS_PER_S,
            }
            for step in told.critical
        ],
    }


def _mean_json(interval: Interval) -> Mean:
    return {"low": interval.low / NS_PER_S, "mean": interval.mean / NS_PER_S, "high": interval.high / NS_PER_S}
