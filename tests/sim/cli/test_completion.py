"""Completion, as the shells ask for it: by the variables that the scripts of ``--show-completion`` set."""

import os
import subprocess
import sys

import pytest

from sim.cli.commands import COMMANDS

PROGRAM = [sys.executable, "-c", "import sys; sys.argv[0] = 'interlock'; from sim.cli import main; main()"]


def completed(shell: str, words: str) -> str:
    """Ask for completion as a shell does, the cursor at the end of the last word."""
    asked = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    environment = os.environ | asked | {"_INTERLOCK_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_completes_commands(shell: str) -> None:
    shown = completed(shell, "interlock ")
    assert [name for name in COMMANDS if name not in shown] == []


def test_options_of_a_command_and_their_values_are_completed() -> None:
    assert completed("bash", "interlock run --check-").split() == ["--check-determinism"]
    assert completed("bash", "interlock run --engine s").split() == ["streaming", "serial"]
    assert completed("bash", "interlock explore --scheduler ex").split() == ["exhaustive"]
    assert completed("bash", "interlock compare --emission ").split() == ["ordered", "eager"]
    assert completed("bash", "interlock compare --classify c").split() == ["command"]
    assert completed("bash", "interlock schema --of re").split() == ["repair", "replay"]
    for command in ("replay", "import", "compare"):
        assert "claude-shell-error" in completed("bash", f"interlock {command} --profile claude-").split()


@pytest.mark.parametrize("command", ["run", "compare", "explore", "fuzz", "plot", "export"])
def test_engines_are_completed_wherever_one_is_chosen(command: str) -> None:
    assert completed("bash", f"interlock {command} --engine ").split() == ["streaming", "batch", "serial"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(interlock, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    ended = interlock("--show-completion")
    assert ended.code == 0
    assert f"_INTERLOCK_COMPLETE=complete_{shell}" in ended.out
