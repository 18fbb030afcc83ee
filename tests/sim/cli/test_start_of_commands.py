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
    assert (
        ended.err == "interlock: no such command 'rnu'. Did you mean 'run'?; `interlock --help` tells what there is\n"
    )


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
    told = "no such option: --jsno (Possible options: --json); `interlock shell --help` tells what there is"
    assert ended.err == f"interlock: {told}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["plot"], "missing argument 'files'"),
        (["export", "a", "--to", "perfeto"], "invalid value for '--to': 'perfeto' is not one of 'perfetto', 'otlp', "),
        (["explore", "a", "--schedules", "abc"], "invalid value for '--schedules': Input should be a valid integer"),
        (["explore", "a", "b"], "got unexpected extra argument(s) (b)"),
    ],
)
def test_words_that_a_command_does_not_take_are_answered_in_one_line(interlock, words: list[str], told: str) -> None:
    ended = interlock(*words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"interlock: {told}")
    assert ended.err.endswith(f"; `interlock {words[0]} --help` tells what there is\n")


def test_a_width_that_is_asked_for_counts_in_a_file_too(interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = "scenarios/library/three_calls_in_a_stream.yaml"
    for columns in ("70", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        timeline = interlock("run", turn).out.splitlines()[1:7]
        assert max(map(len, timeline)) <= int(columns)
        assert max(map(len, timeline)) > int(columns) - 10
