"""The README's snippets run, and what it shows is what comes out."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = BLOCK.findall(README)


def test_every_python_snippet_runs() -> None:
    snippets = [code for language, code in BLOCKS if language == "python"]
    assert snippets
    for code in snippets:
        done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, f"{code}\n{done.stderr}"
        shown = "".join(re.findall(r"^ *# > ?(.*\n)", code, re.MULTILINE))
        assert done.stdout == shown


def console_blocks() -> list[tuple[str, str]]:
    """Commands shown with their output: a line ``$ interlock …`` and what follows it."""
    return [
        (match.group(1), match.group(2))
        for language, text in BLOCKS
        if language == "console"
        for match in re.finditer(r"^\$ (interlock .*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    ]


@pytest.mark.parametrize(("command", "shown"), console_blocks())
def test_every_shown_command_prints_what_is_shown(command: str, shown: str) -> None:
    program = Path(sys.executable).with_name("interlock")
    done = subprocess.run(
        f"{program} {command.removeprefix('interlock ')}",
        shell=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    got = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    wanted = [line.rstrip() for line in shown.splitlines()]
    assert got == wanted if "…" not in wanted else all(line in got for line in wanted if line != "…")


def test_the_two_commands_are_goals_of_the_makefile() -> None:
    goals = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test", "check", "deep", "bench", "notebooks"} <= set(goals)
    shown = "".join(text for language, text in BLOCKS if language == "sh")
    assert "make demo" in shown
    assert "make test" in shown
