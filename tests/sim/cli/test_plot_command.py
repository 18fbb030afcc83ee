"""``interlock plot``: which picture it draws of what, and what it refuses."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

figures = pytest.importorskip("sim.show.figures", reason="the analysis extra brings matplotlib and pandas")

LIBRARY = Path(str(files("scenarios") / "library"))
SAMPLES = Path(str(files("scenarios") / "samples"))
FIGURE = LIBRARY / "three_calls_in_a_stream.yaml"
SESSION = SAMPLES / "failing_call_and_interrupt.jsonl"


@pytest.fixture
def drawn(monkeypatch) -> list[str]:
    """The names of the figures that are drawn."""
    names: list[str] = []

    def noted(name, draw):
        def note(*given):
            names.append(name)
            return draw(*given)

        return note

    for name in set(figures.__all__) - {"save", "kind_of", "notes"}:
        monkeypatch.setattr(figures, name, noted(name, getattr(figures, name)))
    return names


@pytest.mark.parametrize(
    ("words", "figure", "estimated"),
    [
        ([FIGURE], "side_by_side", 0),
        ([FIGURE, "--kind", "gantt"], "gantt", 0),
        ([SESSION], "session_timeline", 3),
        ([SESSION, "--turn", 2], "gantt", 0),
        ([SESSION, "--turn", 2, "--kind", "engines"], "side_by_side", 0),
        ([SESSION, FIGURE], "latency_ecdf", 9),
        ([SESSION, "--kind", "saving"], "saving_by_calls", 3),
        ([SESSION, "--kind", "map"], "savings_map", 3),
        ([FIGURE, "--kind", "outcomes", "--engine", "batch"], "exploration_outcomes", 0),
    ],
)
def test_the_picture_is_the_one_asked_for_or_that_the_files_suggest(
    interlock, tmp_path, drawn, words, figure, estimated
) -> None:
    """B121: figures of many turns say of how many the times are estimates; those of one have it in their title."""
    out = tmp_path / "picture.svg"
    ended = interlock("plot", *words, "-o", out)
    told = f"estimated: the times of {estimated} turns\n" if estimated else ""
    assert (ended.code, ended.out, ended.err) == (0, "", told)
    assert drawn == [figure]
    assert out.read_text(encoding="utf-8").startswith("<?xml")


def test_what_a_picture_says_of_itself_is_said_on_the_terminal_too(interlock, tmp_path) -> None:
    turn = tmp_path / "turn.yaml"
    turn.write_text("calls:\n  - {id: 检, takes: 1s}\n  - {id: b, ends: hang}\n", encoding="utf-8")
    out = tmp_path / "a.svg"
    ended = interlock("plot", turn, "--kind", "gantt", "-o", out)
    told = [
        "1 call whose end is not known, drawn to the last instant that is",
        "\N{REPLACEMENT CHARACTER} stands for characters that the font does not have",
    ]
    assert (ended.code, ended.out, ended.err.splitlines()) == (0, "", told)
    answer = json.loads(interlock("plot", turn, "--kind", "gantt", "-o", out, "--json").out)
    assert answer == {"file": str(out), "kind": "gantt", "notes": told, "left_out": []}


def test_the_same_words_draw_the_same_bytes(interlock, tmp_path) -> None:
    """D1."""
    for name in ("one.svg", "two.svg"):
        assert interlock("plot", FIGURE, "-o", tmp_path / name).code == 0
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([FIGURE, "-o", "a.bmp"], "-o a.bmp: expected a name that ends in .svg, .png, .pdf, got .bmp"),
        ([FIGURE, "-o", "nowhere/a.svg"], "-o nowhere/a.svg: cannot write it: there is no folder nowhere"),
        (["nowhere.yaml", "-o", "a.svg"], "nowhere.yaml"),
        (["nowhere.jsonl", "--kind", "session", "-o", "a.svg"], "nowhere.jsonl: no such file"),
        ([SESSION, "--kind", "gantt", "-o", "a.svg"], "--kind gantt draws one turn, got 3: choose one by --turn N"),
        ([SESSION, "--kind", "engines", "-o", "a.svg"], "--kind engines draws one turn: choose one by --turn N"),
        ([SESSION, FIGURE, "--kind", "gantt", "-o", "a.svg"], "this kind draws one file, got 2"),
        ([SESSION, "--turn", 7, "-o", "a.svg"], "--turn 7: .* has no such turn; its last is 3"),
        ([FIGURE, "--engine", "warp", "-o", "a.svg"], "--engine: expected streaming, batch, serial or MODULE:FUNCTION"),
        ([SESSION, "--kind", "outcomes", "-o", "a.svg"], "failing_call_and_interrupt.jsonl"),
    ],
)
def test_what_cannot_be_drawn_is_one_line_and_leaves_no_file(interlock, tmp_path, monkeypatch, words, told) -> None:
    monkeypatch.chdir(tmp_path)
    ended = interlock("plot", *words)
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert re.search(told, ended.err)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_read_are_told_and_the_others_drawn(interlock, tmp_path) -> None:
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("")
    ended = interlock("plot", nothing, SESSION, "-o", tmp_path / "a.svg")
    assert ended.code == 0
    assert "nothing.jsonl" in ended.err
    ended = interlock("plot", nothing, "--kind", "map", "-o", tmp_path / "b.svg")
    assert ended.code == 2
    assert ended.err.endswith("none of the files can be read\n")


def test_what_else_lies_in_a_folder_is_counted_and_what_is_named_is_told(interlock, tmp_path) -> None:
    folder = tmp_path / "turns"
    folder.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (folder / name).write_text("import os\n", encoding="utf-8")
    (folder / "turn.yaml").write_bytes(FIGURE.read_bytes())
    told = interlock("plot", folder, tmp_path / "missing.jsonl", "-o", tmp_path / "turns.svg").err.splitlines()
    assert [line for line in told if "missing.jsonl" in line] == told[:1]
    assert told[1:] == ["left out: 4 files that cannot be read"]
