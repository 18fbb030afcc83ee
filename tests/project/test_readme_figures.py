"""The README's pictures are those that `make figures` draws with the project's own commands."""

import re
import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from sim.cli.commands import fetched

ROOT = Path(__file__).parents[2]
GOAL = re.search(r"^figures:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
COMMANDS = re.findall(r"interlock plot (.*)", GOAL.group(1)) if GOAL else []
PHOTOGRAPHS = re.findall(r"--screenshot=(\S+)", GOAL.group(1)) if GOAL else []
"""Pictures that a browser takes; other fonts give other bytes."""
PINNED = re.search(r"^matplotlib==(.*)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_picture_of_the_readme_is_drawn_by_make_figures() -> None:
    shown = set(re.findall(r"!\[[^]]+\]\((.*?)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    drawn = {shlex.split(command)[-1] for command in COMMANDS} | set(PHOTOGRAPHS)
    kept = {f"docs/figures/{path.name}" for path in (ROOT / "docs" / "figures").iterdir() if path.suffix != ".yaml"}
    assert shown
    assert shown <= drawn == kept


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_is_what_its_command_draws_today(tmp_path, monkeypatch, command: str) -> None:
    pytest.importorskip("matplotlib", reason="the analysis extra brings it")
    if PINNED is None or version("matplotlib") != PINNED.group(1):
        pytest.skip("another matplotlib than the one that drew the pictures")
    monkeypatch.chdir(ROOT)
    words = shlex.split(command)
    kept = ROOT / words[-1]
    again = tmp_path / kept.name
    fetched("plot").main([*words[:-1], str(again)], standalone_mode=False)
    assert again.read_bytes() == kept.read_bytes()
