"""How quickly the command line and the packages start, beside what they are built on.

Processor time of fresh processes, median, the contestants in turn; ratios within one run. Compiled files are kept, as
an installation has them.
"""

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.bench

ROUNDS = 9
EMPTY_TYPER = """
import sys, typer
app = typer.Typer()
@app.command()
def first() -> None: ...
@app.command()
def second() -> None: ...
sys.argv = ["empty", "--help"]
app()
"""
HELP = "import sys; sys.argv = ['interlock', '--help']; from sim.cli import main; main()"
ASYNCIO_AND_PYDANTIC = "import asyncio; from pydantic import BaseModel, TypeAdapter"
ONE_MODEL = "import asyncio; from pydantic import BaseModel, TypeAdapter\nclass Model(BaseModel):\n    x: int"


def started_s(codes: dict[str, str], kept: Path) -> dict[str, float]:
    """Give the processor seconds of a fresh interpreter for each of some programs."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(kept)
    taken: dict[str, list[float]] = {name: [] for name in codes}
    for turn in range(ROUNDS + 1):
        for name, code in codes.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if turn:  # the first one compiles
                taken[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {name: statistics.median(times) for name, times in taken.items()}


def report(title: str, times: dict[str, float]) -> None:
    lines = "".join(f"\n{name:48} {time * 1000:6.0f} ms" for name, time in times.items())
    print(f"\n{title}{lines}")
    if "BENCH_OUT" in os.environ:
        with Path(os.environ["BENCH_OUT"]).open("a", encoding="utf-8") as out:
            out.write(f"{title}{lines}\n\n")


def test_the_help_starts_in_two_and_a_half_times_an_empty_typer_program(tmp_path: Path) -> None:
    """Issue 7, must show."""
    times = started_s({"an empty typer program": EMPTY_TYPER, "interlock --help": HELP}, tmp_path)
    report("start-up of the command line, processor time", times)
    assert times["interlock --help"] <= 2.5 * times["an empty typer program"]


def test_the_executor_is_imported_in_one_and_a_half_times_asyncio_and_pydantic(tmp_path: Path) -> None:
    """Issue 7, must show. With all of its names, too, beside pydantic when it has made a model, which loads all."""
    imports = {
        "import asyncio, pydantic": "import asyncio, pydantic",
        "import executor": "import executor",
        "asyncio, pydantic's BaseModel and TypeAdapter": ASYNCIO_AND_PYDANTIC,
        "the same and one model": ONE_MODEL,
        "from executor import *": "from executor import *",
    }
    times = started_s(imports, tmp_path)
    report("start-up of the executor, processor time", times)
    assert times["import executor"] <= 1.5 * times["import asyncio, pydantic"]
    assert times["from executor import *"] <= 1.5 * times["the same and one model"]
