"""Cuts what is to be compared into tasks, and does them: one after the other, or on several cores.

The rule: results come in the order of the tasks, whoever does them and whenever they are done.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Final

from scenarios import Scenario
from scenarios.traces.model import RecordedTurn
from sim.processes import workers

from .comparing import ComparedFile, ComparedTurn, Question, compare_file, compare_recorded, compare_scenario

Source = Scenario | RecordedTurn | str | Path
"""A turn, or the path of a recording, a scenario file, or a folder of them."""

Task = Path | tuple[tuple[int, Scenario | RecordedTurn], ...]
"""A file, or some turns with their numbers."""

_TOGETHER: Final = 32
"""How many turns that lie in no file are handed to a process at a time."""


def tasks(sources: Iterable[Source]) -> Iterator[Task]:
    """Cut sources into tasks; of a folder each file that is not hidden is one, in the order of their paths."""
    turns: list[tuple[int, Scenario | RecordedTurn]] = []
    for number, source in enumerate(sources, start=1):
        if isinstance(source, Scenario | RecordedTurn):
            turns.append((number, source))
        if turns and (len(turns) == _TOGETHER or not isinstance(source, Scenario | RecordedTurn)):
            yield tuple(turns)
            turns.clear()
        if isinstance(source, str | Path):
            yield from _files(Path(source))
    if turns:
        yield tuple(turns)


def results(
    of: Sequence[Task], question: Question, jobs: int | None, on_progress: Callable[[int, int], None]
) -> Iterator[ComparedFile]:
    """Give each task's result, in their order.

    Args:
        of: the tasks.
        question: what is asked of each turn.
        jobs: how many processes; as many as there are cores for ``None``.
        on_progress: told how many tasks are done, and of how many.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(of))
    if jobs <= 1:
        for done, task in enumerate(of, start=1):
            yield _result(task, question)
            on_progress(done, len(of))
        return
    with workers(jobs) as pool:
        try:
            # The largest first, so that none of them is left for the end, when the other processes have nothing to do.
            order = sorted(range(len(of)), key=lambda place: -_weight(of[place]))
            begun = {pool.submit(_result, of[place], question): place for place in order}
            ready: dict[int, ComparedFile] = {}
            next_one = 0
            for done, future in enumerate(as_completed(begun), start=1):
                ready[begun.pop(future)] = future.result()
                on_progress(done, len(of))
                while next_one in ready:
                    yield ready.pop(next_one)
                    next_one += 1
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _result(task: Task, question: Question) -> ComparedFile:
    if isinstance(task, Path):
        return compare_file(task, question)
    return ComparedFile([_turn(number, turn, question) for number, turn in task])


def _turn(number: int, turn: Scenario | RecordedTurn, question: Question) -> ComparedTurn:
    if isinstance(turn, RecordedTurn):
        return compare_recorded(turn, question)
    return compare_scenario(turn, question, number=number)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _weight(task: Task) -> int:
    try:
        return task.stat().st_size if isinstance(task, Path) else 0
    except OSError:
        return 0
