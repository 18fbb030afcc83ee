"""The goals of the Makefile are listed and explained, and run what the documents say they run; extras are as said."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
GOALS = re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def made(*words: str) -> list[str]:
    """Give the lines that make prints, which knows nothing of a make that may run the tests."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_make_alone_lists_every_goal_with_what_it_does() -> None:
    listed = dict(re.fullmatch(r"  make (\S+) +(\S.*)", line).groups() for line in made())  # type: ignore[union-attr]
    assert list(listed) == GOALS


def test_no_file_or_folder_of_a_goals_name_keeps_the_goal_from_running() -> None:
    """``make mutants`` leaves a folder of that name."""
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert phony
    assert phony[1].split() == GOALS


def test_contributing_tells_of_every_goal_but_the_two_that_explain_themselves() -> None:
    told = re.findall(r"^\| `make ([a-z-]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(told) == sorted(set(GOALS) - {"help", "clean"})


def test_make_notebooks_opens_jupyterlab_which_root_has_to_allow() -> None:
    allowed = ["--allow-root"] if os.getuid() == 0 else []
    assert made("--dry-run", "notebooks")[-1].split() == [".venv/bin/jupyter", "lab", *allowed, "notebooks"]


def test_the_readme_says_how_each_extra_for_users_is_installed() -> None:
    told = set(re.findall(r"'\.\[(\w+)\]'", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert told == {"analysis", "testing", "notebooks"}
    assert told <= EXTRAS.keys()
