"""What the command line does before a command runs: it lists, suggests, and ends quietly."""

import subprocess
import sys
from pathlib import Path

import pytest

from sim.cli.commands import COMMANDS, fetched
from sim.cli.exits import MEANINGS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_command_is_there_and_says_what_it_does(name: str) -> None:
    command = fetched(name)
    assert command.name == name
    assert command.help[0].isupper()
    assert COMMANDS[name].summary.endswith(".")


def test_the_help_lists_every_command_and_every_exit_code(interlock) -> None:
    ended = interlock("--help")
    assert ended.code == 0
    assert all(one.summary in ended.out for one in COMMANDS.values())
    assert all(f"{code} {meaning.split()[0]}" in ended.out for code, meaning in MEANINGS.items())


def test_an_unknown_command_is_answered_with_the_nearest(interlock) -> None:
    ended = interlock("rnu")
    assert ended.code == 2
    assert "No such command 'rnu'. Did you mean 'run'?" in ended.err


def test_the_version_is_told(interlock) -> None:
    assert interlock("--version").out.startswith("interlock ")


def test_ctrl_c_while_the_command_line_starts_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from sim.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_in_the_midst_of_a_command_ends_it_quietly(interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.cli.shell.classify_command", interrupt)
    assert interlock("shell", "ls") == (130, "", "")


def test_an_unknown_option_is_answered_with_the_nearest(interlock) -> None:
    ended = interlock("shell", "ls", "--jsno")
    assert ended.code == 2
    assert "No such option: --jsno (Possible options: --json)" in ended.err
