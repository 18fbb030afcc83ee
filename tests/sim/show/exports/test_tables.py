"""CSV and Parquet: the columns of a frame of calls, read back as they were."""

import io
from importlib.resources import files
from pathlib import Path

import pytest

from scenarios import Call, Scenario, read_trace
from sim import simulate
from sim.analysis.columns import COLUMNS
from sim.analysis.courses import courses
from sim.analysis.placed import PlacedTurn

pd = pytest.importorskip("pandas", reason="the analysis extra brings it")
pytest.importorskip("pyarrow", reason="the analysis extra brings it")

SAMPLES = Path(str(files("scenarios") / "samples"))
TURNS = [
    PlacedTurn(f"turn {turn.number}", "main", turn.first_ns, courses(turn))
    for turn in read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")
]


def test_both_tables_hold_a_row_for_each_call_and_read_back_as_the_frame() -> None:
    from sim.analysis.frames import calls_frame
    from sim.show.exports.tables import write_csv, write_parquet

    text, binary = io.StringIO(), io.BytesIO()
    assert write_csv(TURNS, text) == write_parquet(TURNS, binary) == []
    frame = calls_frame(turn.course for turn in TURNS)
    assert len(frame) == 9
    pd.testing.assert_frame_equal(pd.read_parquet(binary), frame)
    types = {column.name: column.dtype for column in COLUMNS["calls"]}
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text.getvalue()), dtype=types), frame)


def test_what_is_not_known_is_an_empty_cell_and_is_said() -> None:
    """B120."""
    from sim.show.exports.tables import write_csv

    hang = simulate(Scenario(calls=[Call(id="a,\n", ends="hang")]))
    text = io.StringIO()
    said = write_csv([PlacedTurn("t", "e", 0, courses(hang))], text)
    assert said == ["1 call whose end is not known"]
    (row,) = pd.read_csv(io.StringIO(text.getvalue())).to_dict("records")
    assert (row["call"], row["started_ns"], row["ended_ns"] != row["ended_ns"]) == (r"a,\n", 0, True)


def test_no_calls_at_all_give_the_header_alone() -> None:
    from sim.show.exports.tables import write_csv

    text = io.StringIO()
    write_csv([], text)
    assert text.getvalue() == ",".join(column.name for column in COLUMNS["calls"]) + "\n"
