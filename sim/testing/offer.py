"""A scenario that a test failed with, offered as a file.

The rule: the name of the file comes from its content, so the same failure is the same file. No times here.
"""

import hashlib
import inspect
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scenarios import Scenario, dump
from sim.explore import Plan

from .judged import BrokenRun


def offer(
    name: str, error: BaseException, test: Callable[..., Any] | None, folder: str | None
) -> list[tuple[str, str]]:
    """Write down what a test failed with, and give sections for its report; none if it was no scenario.

    Args:
        name: the test's.
        error: what it failed with; of a group, every one of its errors.
        test: the test function, whose arguments and variables may be scenarios; none of a scenario file.
        folder: where to write; in the system's temporary folder without it.
    """
    if test is None:
        return []
    into = Path(folder) if folder else Path(tempfile.gettempdir(), "interlock-scenarios")
    sections = []
    for scenario, plan in _found(error, inspect.unwrap(test)):
        text = dump(scenario)
        stem = "".join(re.findall(r"[\w-]", name))
        path = into / f"{stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.scenario.yaml"
        into.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        again = f"interlock run {shlex.quote(str(path))}{f' {plan}' if plan is not None else ''}"
        sections.append(("failing scenario", f"{text}written to {path}\nagain: {again}\n"))
    return sections


def _found(error: BaseException, test: Callable[..., Any]) -> Iterator[tuple[Scenario, Plan | None]]:
    """Give the scenarios in an error, each with its plan where that is known."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _found(one, test)
    elif isinstance(error, BrokenRun):
        yield error.scenario, error.plan
    else:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code is test.__code__:
                yield from ((value, None) for value in trace.tb_frame.f_locals.values() if isinstance(value, Scenario))
            trace = trace.tb_next
