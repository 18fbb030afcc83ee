"""Break each rule of the executor in a copy of the project, and see a test that cites it fail: ``make breaks``.

The rule: a break is an edit of the code that violates what the rule says, and a test that cites the rule has to fail by
what it asserts. ``breaks.yaml`` holds them.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

import yaml

ROOT: Final = Path(__file__).parents[2]
HIGHEST: Final = {"E": 13, "Q": 5, "C": 3, "A": 12, "X": 8, "H": 8, "R": 6, "W": 7}
RULES: Final = [f"{letter}{number}" for letter, highest in HIGHEST.items() for number in range(1, highest + 1)]
"""The rules of the executor."""

BREAKS: Final[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("breaks.yaml").read_text(encoding="utf-8"))
"""A break of each rule: what is broken in words, and the edits that do it."""

_COPIED: Final = ("executor", "scenarios", "sim", "tests", "pytest_interlock.py", "pyproject.toml", "RULES.md")
_LONGEST_S: Final = 300
"""Real seconds after which a test that hangs has noticed the break as well."""


class CitingTest(NamedTuple):
    """A test, where it is, and its own text."""

    path: str
    name: str
    text: str


class Seen(NamedTuple):
    """What became of a break: the test that failed, or that none did."""

    rule: str
    by: str | None


def each_test() -> Iterator[CitingTest]:
    """Give each test and its own text, so that a number in a helper or in a list of numbers counts for nothing."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                place = path.relative_to(ROOT).as_posix()
                yield CitingTest(place, node.name, ast.get_source_segment(text, node) or "")


def cited() -> dict[str, list[CitingTest]]:
    """Give the tests that cite each rule, by its number."""
    found: dict[str, list[CitingTest]] = {}
    for test in each_test():
        for rule in sorted(set(re.findall(r"\b[A-Z]\d{1,2}\b", test.text))):
            found.setdefault(rule, []).append(test)
    return found


def make_copy(folder: Path) -> Path:
    """Copy what the tests need."""
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def see_broken(rule: str, copy: Path, tests: list[CitingTest]) -> Seen:
    """Break a rule in a copy, run the tests that cite it up to the first that fails, and mend the copy."""
    # The executor's own tests are quick and exact; others are asked where it has none.
    own = [test for test in tests if test.path.startswith("tests/executor/")] or tests
    whole: dict[Path, str] = {}
    try:
        for edit in BREAKS[rule]["edits"]:
            path = copy / edit["file"]
            text = path.read_text(encoding="utf-8")
            whole.setdefault(path, text)
            path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")
        return Seen(rule, _first_to_fail(copy, own))
    finally:
        for path, text in whole.items():
            path.write_text(text, encoding="utf-8")


def _first_to_fail(copy: Path, tests: list[CitingTest]) -> str | None:
    """Run tests; an error that is no failed assertion, as one of collecting, is nobody's verdict."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "--tb=no", "-rf"]
    names = [f"{test.path}::{test.name}" for test in tests]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *names],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"one of {len(tests)} tests hangs"
    return next((line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")), None)


def see_all(rules: list[str], jobs: int = 2) -> Iterator[Seen]:
    """Break rules one after the other, in so many copies at once, and tell of each as it was seen."""
    tests = cited()
    with tempfile.TemporaryDirectory(prefix="interlock-breaks-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(make_copy(Path(folder) / str(number)))

        def see(rule: str) -> Seen:
            copy = copies.get()
            try:
                return see_broken(rule, copy, tests.get(rule, []))
            finally:
                copies.put(copy)

        yield from pool.map(see, rules)


def main(rules: list[str]) -> int:
    """Print the table; exit 1 where a break was not noticed."""
    missed = 0
    for seen in see_all(rules or RULES, os.cpu_count() or 1):
        missed += seen.by is None
        sys.stdout.write(f"{seen.rule:<4} {BREAKS[seen.rule]['broken']}\n     {seen.by or 'NOBODY NOTICED'}\n")
        sys.stdout.flush()
    told = f"{missed} of {len(rules or RULES)} breaks were not noticed" if missed else "every break was noticed"
    sys.stdout.write(f"{told}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
