"""``interlock doctor``, on installations of our making."""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sim.cli import doctor, installed
from sim.cli.answers import answer_schema

REQUIRES = [
    "simpy>=4.1",
    "hypothesis>=6.100; extra == 'testing'",
    "pandas>=2.2; extra == 'analysis'",
    "pyarrow>=17; (python_version >= '3.0') and extra == 'analysis'",
    "trio; extra == 'bench'",
]
HERE = {"interlock": "0.1.0", "simpy": "4.1.2", "hypothesis": "6.1", "pandas": "3.0"}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The packages that are installed, by version; a test may change them."""
    packages = dict(HERE)

    def version(name: str) -> str:
        if name not in packages:
            raise PackageNotFoundError(name)
        return packages[name]

    monkeypatch.setattr(installed, "requires", lambda _name: REQUIRES)
    monkeypatch.setattr(installed, "version", version)
    monkeypatch.setattr(doctor, "version", version)
    monkeypatch.setattr(installed.shutil, "which", lambda name: f"/bin/{name}" if name == "google-chrome" else None)
    return packages


@pytest.mark.usefixtures("here")
def test_what_is_missing_is_told_with_what_it_is_for_and_how_to_get_it(interlock) -> None:
    ended = interlock("doctor")
    assert (ended.code, ended.err) == (0, "")
    first, _head, *rows = (" ".join(line.split()) for line in ended.out.splitlines())
    assert first.startswith("interlock 0.1.0 · Python 3.")
    assert rows == [
        "ready the executor; run, judge, explore, replay",
        "missing fuzz, conform, the pytest plugin hypothesis 6.1, needed >=6.100",
        "missing frames, figures, Parquet pyarrow",
        "ready tests in a browser",
        "for fuzz, conform, the pytest plugin: pip install 'interlock[testing]'",
        "for frames, figures, Parquet: pip install 'interlock[analysis]'",
        "shell commands: parsed",
        "output: no terminal, 120 columns, no colours, Unicode",
    ]


@pytest.mark.usefixtures("here")
def test_a_command_to_copy_is_never_cut(interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert "for frames, figures, Parquet: pip install 'interlock[analysis]'\n" in interlock("doctor").out


@pytest.mark.usefixtures("here")
def test_doctor_gives_its_documented_json(interlock) -> None:
    answer = json.loads(interlock("doctor", "--json").out)
    Draft202012Validator(answer_schema("doctor")).validate(answer)
    assert [(part["extra"], part["ready"]) for part in answer["parts"]] == [
        (None, True),
        ("testing", False),
        ("analysis", False),
        ("browser", True),
    ]
    assert answer["parts"][1]["packages"] == [
        {"name": "hypothesis", "needed": ">=6.100", "installed": "6.1", "fits": False}
    ]


def test_what_every_command_needs_must_be_there(interlock, here) -> None:
    del here["simpy"]
    ended = interlock("doctor")
    assert ended.code == 1
    assert "simpy" in ended.out


@pytest.mark.usefixtures("here")
def test_a_grammar_that_does_not_fit_its_parser_is_told(interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_text: str) -> None:
        raise ValueError("Incompatible Language version 99")

    monkeypatch.setattr("executor.safety.shell.classify_command", refuse)
    ended = interlock("doctor")
    assert ended.code == 1
    assert "shell commands: cannot be parsed: Incompatible Language version 99" in ended.out


def test_a_folder_that_was_never_installed_is_told_in_one_line(interlock, here) -> None:
    del here["interlock"]
    assert interlock("doctor") == (
        2,
        "",
        "interlock: interlock is not installed, only found in a folder: `pip install .` in that folder\n",
    )


@pytest.mark.parametrize(
    ("words", "module", "extra"),
    [
        ("fuzz", "hypothesis", "testing"),
        ("conform streaming:x", "hypothesis", "testing"),
        ("explore turn.yaml --scheduler hypothesis", "hypothesis", "testing"),
        ("export turn.yaml --to csv", "pandas", "analysis"),
        ("plot turn.yaml -o turn.svg", "matplotlib", "analysis"),
    ],
)
def test_a_command_that_needs_an_extra_says_which(words: str, module: str, extra: str, tmp_path: Path) -> None:
    (tmp_path / "turn.yaml").write_text("calls:\n  - {id: a}\n")
    (tmp_path / "streaming.py").write_text("async def x(stage): ...\n")
    without = f"import sys; sys.modules[{module!r}] = None; from sim.cli import main; main()"
    program = [sys.executable, "-c", without, *words.split()]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, check=False)
    told = f"interlock: this needs {module}, which is not installed: pip install 'interlock[{extra}]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
