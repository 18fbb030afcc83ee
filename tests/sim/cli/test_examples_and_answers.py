"""Every command's help ends with examples, which run; every answer in JSON is what its schema says."""

import inspect
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sim.cli.answers import ANSWERS, answer_schema
from sim.cli.commands import COMMANDS, fetched

SCENARIOS = Path(str(files("scenarios")))
EXECUTOR = """
async def engine(stage):
    async for block in stage.blocks():
        stage.emit(await stage.call(block))
"""
HISTORY = [
    {"role": "user", "content": "Look at a.ts."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]},
]
QUICK = {
    "explore": ["--schedules", "5"],
    "fuzz": ["--minutes", "0"],
    "conform": ["--turns", "2"],
    "compare": ["--jobs", "1"],
}
"""What keeps the examples of commands that take long from doing so."""
WITHOUT_JSON = {"schema"}
"""What is JSON whatever it is asked."""


def examples() -> Iterator[tuple[str, str]]:
    """Give each command's examples, as its docstring has them."""
    for name, listed in COMMANDS.items():
        module, _, function = listed.place.partition(":")
        text = inspect.getdoc(getattr(import_module(f"sim.cli.{module}"), function))
        for line in text.partition("\nExamples:\n")[2].splitlines():
            yield name, line.strip()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with everything that examples name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(SCENARIOS / "library", "scenarios/library")
    shutil.copy("scenarios/library/a_limit_of_two.yaml", "turn.yaml")
    session = SCENARIOS / "samples" / "failing_call_and_interrupt.jsonl"
    project = tmp_path / ".claude" / "projects" / "ledger"
    project.mkdir(parents=True)
    shutil.copy(session, project / "1.jsonl")
    shutil.copy(session, "session.jsonl")
    Path("history.json").write_text(json.dumps(HISTORY))
    Path("mymodule.py").write_text(EXECUTOR)
    return tmp_path


def words_of(name: str, example: str) -> list[str]:
    """Take an example as a shell would, and make it a short one; of an option given twice the last counts."""
    words: list[str] = []
    for word in shlex.split(example)[1:]:
        if word == ">":
            break
        path = Path(word).expanduser()
        words += sorted(map(str, Path(path.anchor).glob(str(path.relative_to(path.anchor))))) if "*" in word else [word]
    return words + QUICK.get(name, [])


def test_every_command_has_examples_that_its_help_shows() -> None:
    given = list(examples())
    assert {name for name, _ in given} == COMMANDS.keys()
    for name, line in given:
        assert line.startswith(f"interlock {name}")
        assert line in fetched(name).epilog


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(("name", "example"), list(examples()))
def test_the_examples_of_the_help_run(interlock, name: str, example: str) -> None:
    ended = interlock(*words_of(name, example))
    assert ended.code in (0, 1), ended.err
    assert re.sub(r"(?m)^(interlock: wrote \S+|left out: .*|estimated: .*)\n", "", ended.err) == ""
    if "--json" in example:
        Draft202012Validator(answer_schema(name)).validate(json.loads(ended.out))


def test_every_command_that_has_json_declares_its_answer() -> None:
    speaking = {name for name in COMMANDS if any("--json" in option.opts for option in fetched(name).params)}
    assert speaking == COMMANDS.keys() - WITHOUT_JSON == ANSWERS.keys()


@pytest.mark.parametrize("name", ANSWERS)
def test_every_field_of_an_answer_is_described(interlock, name: str) -> None:
    ended = interlock("schema", "--of", name)
    schema = json.loads(ended.out)
    Draft202012Validator.check_schema(schema)
    for row in (schema, *schema["$defs"].values()) if "$defs" in schema else (schema,):
        assert row.get("additionalProperties") is not True
        assert all("description" in field for field in row.get("properties", {}).values())


ASKED = [
    "replay session.jsonl",
    "replay session.jsonl nowhere.jsonl",
    "compare session.jsonl turn.yaml broken.jsonl --limit 1 --jobs 1",
    "check session.jsonl history.json log.jsonl broken.jsonl",
    "repair history.json -o valid.json",
    "repair broken.json -o valid.json",
    "import session.jsonl -o turns --durations empirical",
    "import session.jsonl --turn 2 -o turns",
    "formats",
    "profiles",
    "run turn.yaml",
    "run hangs.yaml",
    "run nowhere.yaml",
    "explore turn.yaml --schedules 3",
    "explore hangs.yaml --schedules 1",
    "fuzz --minutes 0",
    "conform mymodule:engine --turns 2",
    "shell ls",
    "fmt turn.yaml --check",
    "plot turn.yaml -o turn.svg",
    "plot session.jsonl turn.yaml -o turns.svg",
    "export session.jsonl --to csv -o calls.csv",
]


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("words", ASKED)
def test_what_a_command_prints_as_json_is_what_its_schema_says(interlock, words: str) -> None:
    Path("hangs.yaml").write_text("calls:\n  - {id: a, ends: hang}\n")
    broken = [*HISTORY, {"role": "user", "content": "Go on."}]
    Path("broken.json").write_text(json.dumps(broken))
    Path("broken.jsonl").write_text("\n".join(map(json.dumps, broken)))
    interlock("run", "hangs.yaml", "--log", "log.jsonl")
    ended = interlock(*words.split(), "--json")
    Draft202012Validator(answer_schema(words.split()[0])).validate(json.loads(ended.out))


def test_an_unknown_command_has_no_schema(interlock) -> None:
    ended = interlock("schema", "--of", "replya")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"interlock: --of replya: expected one of {', '.join(ANSWERS)}; did you mean 'replay'?\n"
    assert interlock("schema", "--of", "run", "--reference").code == 2
