"""``interlock run --library``: everything that comes with the project does what it says, to the byte."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from scenarios import loads
from scenarios.shipped import LIBRARY, library
from sim import simulate
from sim.cli import shelf
from sim.cli.answers import answer_schema
from sim.world.expectations import unmet


def test_every_run_of_the_library_gives_the_log_that_was_kept_of_it(interlock) -> None:
    """D1: a digest for each scenario under each engine that it is about."""
    ended = interlock("run", "--library", "--json")
    answer = json.loads(ended.out)
    Draft202012Validator(answer_schema("run")).validate(answer)
    rows = answer["runs"]
    assert (ended.code, [row for row in rows if row["wrong"]]) == (0, [])
    assert {(row["path"], row["engine"]) for row in rows} == {
        (path, engine) for path, engines in shelf.kept_digests().items() for engine in engines
    }


def test_a_log_that_moved_and_an_expectation_that_is_not_met_are_told_by_path_and_engine(
    interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a_block_that_is_cut_off.yaml"
    scenario = dict(library())[name]
    twisted = scenario.model_copy(update={"expect": scenario.expect.model_copy(update={"peak": 9})})
    monkeypatch.setattr(shelf, "library", lambda: iter([(name, twisted)]))
    monkeypatch.setattr(shelf, "kept_digests", dict)
    ended = interlock("run", "--library")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        f"{LIBRARY}/{name} --engine streaming: not as expected: peak: expected 9 bodies at once at most, got 1",
        f"{LIBRARY}/{name} --engine streaming: another event log than the one kept; where that is meant: "
        "interlock run --library --keep-digests",
        "1 scenario, 1 run (1 streaming): 1 broken",
    ]


def test_digests_are_kept_in_one_file(interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = shelf.kept_digests()
    monkeypatch.setattr(shelf, "files", lambda package: tmp_path)
    (tmp_path / "library").mkdir()
    assert interlock("run", "--library", "--keep-digests").code == 0
    assert shelf.kept_digests() == kept


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--library", "x.yaml"], "--library takes no files, got 1: leave one of the two out"),
        ([], "expected scenario files or --library, got neither; name a .yaml file"),
        (["x.yaml", "--keep-digests"], "--keep-digests goes with --library; leave it out"),
    ],
)
def test_what_does_not_go_together_is_told(interlock, arguments: list[str], problem: str) -> None:
    ended = interlock("run", *arguments)
    assert (ended.code, ended.err) == (2, f"interlock: {problem}\n")


def test_a_table_tells_each_row_that_comes_out_otherwise() -> None:
    """R1, R4."""
    table = loads(
        "table:\n"
        "- {cmd: ls, read_only: false}\n"
        "- {cmd: rm a, read_only: false}\n"
        "- {annotations: {readOnlyHint: true}, trusted: false, read_only: true}\n"
    )
    assert unmet(simulate(table)) == [
        "table[0]: expected read_only: false of 'ls', got the other",
        "table[2]: expected read_only: true of {'readOnlyHint': True}, got the other",
    ]
