"""The watch for tests: real clocks and walks over sets of tasks in the code under test, and nothing else."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import executor
from scenarios import load
from sim import simulate
from sim.clock import run, watching

LIBRARY = Path(__file__).parents[3] / "scenarios" / "library"


@pytest.fixture
def program(tmp_path) -> Any:
    """Make a module of some lines that are the body of ``async def main()``, with tasks in hand."""

    def make(*lines: str) -> ModuleType:
        body = "\n".join(f"    {line}" for line in lines)
        path = tmp_path / "program.py"
        path.write_text(
            "import asyncio, time\n"
            "from datetime import date, datetime\n"
            "from time import monotonic\n\n\n"
            "async def main():\n"
            "    tasks = {asyncio.create_task(asyncio.sleep(n)) for n in range(3)}\n"
            f"{body}\n"
            "    await asyncio.wait(tasks)\n"
        )
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


def reports(program: ModuleType, folder: Path) -> list[str]:
    with watching(folder) as seen:
        run(program.main())
    return seen


@pytest.mark.parametrize(
    "line",
    [
        "for task in tasks: task.get_name()",
        "[task.get_name() for task in tasks]",
        "{task: 1 for task in tasks}",
        "await asyncio.gather(*tasks)",
        "list(tasks)",
        "next(iter(tasks))",
    ],
)
def test_walks_over_a_set_of_tasks_are_reported_with_their_line(program, tmp_path, line: str) -> None:
    (seen,) = reports(program(line), tmp_path)
    assert seen == "program.py:8 in main: walks a set of tasks, whose order is that of their addresses: tasks"


def test_what_wait_gives_and_what_an_object_keeps_is_seen_too(program, tmp_path) -> None:
    seen = reports(
        program(
            "class Crew: pass",
            "crew = Crew()",
            "crew.running, later = await asyncio.wait(tasks, return_when='FIRST_COMPLETED')",
            "for task in crew.running: pass",
            "later.pop()",
        ),
        tmp_path,
    )
    assert [one.split(": ")[0] + " " + one.split(": ")[-1] for one in seen] == [
        "program.py:11 in main crew.running",
        "program.py:12 in main later",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "sorted(tasks, key=hash)",
        "any(task.done() for task in tasks)",
        "{task.get_name() for task in tasks}",
        "len(tasks)",
        "await asyncio.wait(tasks)",
        "for number in {3, 1, 2}: pass",
        "for name in sorted({'b', 'a'}): pass",
        "for name in [1, 2]: pass",
        "asyncio.get_running_loop().time()",
        "await asyncio.wait_for(asyncio.sleep(1), 5)",
        "datetime(2024, 1, 1)",
        "time.strftime('%Y', (2024,) + (1,) * 8)",
    ],
)
def test_what_keeps_runs_alike_is_not_reported(program, tmp_path, line: str) -> None:
    assert reports(program(line), tmp_path) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("time.time()", "time"),
        ("monotonic()", "monotonic"),
        ("time.perf_counter_ns()", "perf_counter_ns"),
        ("time.sleep(0)", "sleep"),
        ("datetime.now()", "datetime.now"),
        ("date.today()", "date.today"),
    ],
)
def test_reads_of_the_real_clock_are_reported(program, tmp_path, line: str, name: str) -> None:
    (seen,) = reports(program(line, line), tmp_path)[:1]
    assert seen == f"program.py:8 in main: reads the real clock: {name}"


def test_a_place_is_reported_once_and_code_elsewhere_never(program, tmp_path) -> None:
    made = program("for _ in range(5): time.time()")
    assert len(reports(made, tmp_path)) == 1
    (tmp_path / "elsewhere").mkdir()
    assert reports(made, tmp_path / "elsewhere") == []


def test_the_executor_reads_no_clock_and_walks_no_set_of_tasks() -> None:
    """D1: held while every scenario of the library is played."""
    with watching(Path(executor.__file__).parent) as seen:
        for path in sorted(LIBRARY.rglob("*.yaml")):
            simulate(load(path))
    assert seen == []
