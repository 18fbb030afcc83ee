"""What the README and the guides show is what comes out, snippet by snippet."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_COMMAND = re.compile(r"^\$ (interlock|pytest) (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
NAME = re.compile(r"# (\S+\.(?:py|yaml))$")


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder in which the project's files are where they are in the project."""
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_comes_out(page: Path, desk: Path) -> None:
    """Code runs, and prints its ``# >`` lines; a command prints what follows it, ``…`` aside.

    What begins with ``# NAME`` is kept under that name, for the commands that follow.
    """
    for block in blocks_of(page):
        first, _, _ = block.text.partition("\n")
        if named := NAME.match(first):
            (desk / named[1]).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            assert_it_runs(block.text, desk)
        if block.language == "console":
            for program, words, shown in SHOWN_COMMAND.findall(block.text):
                assert_it_prints(program, words, shown, desk)


def assert_it_runs(code: str, desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=desk,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert done.returncode == 0, f"{code}\n{done.stderr}"
    shown = "".join(re.findall(r"^ *# > ?(.*\n)", code, re.MULTILINE))
    assert done.stdout == shown


def assert_it_prints(program: str, words: str, shown: str, desk: Path) -> None:
    done = subprocess.run(
        f"{Path(sys.executable).with_name(program)} {words}",
        shell=True,
        capture_output=True,
        text=True,
        cwd=desk,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    got = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    wanted = [line.rstrip() for line in shown.splitlines()]
    if "…" not in wanted:
        assert got == wanted
    assert [line for line in wanted if line != "…" and line not in got] == []


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda page: page.name)
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(((?!https?:|#)[^)#\s]+)", text)
    assert not re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.M), "a merge was left half done"
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_two_commands_are_goals_of_the_makefile() -> None:
    goals = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test", "check", "deep", "bench", "notebooks"} <= set(goals)
    shown = "".join(block.text for block in blocks_of(ROOT / "README.md") if block.language == "sh")
    assert "make demo" in shown
    assert "make test" in shown
