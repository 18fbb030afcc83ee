"""``interlock formats``: the importers' own declarations as a table."""

import json
from pathlib import Path

from scenarios.traces import read_trace
from scenarios.traces.formats import FORMATS

SAMPLES = Path(__file__).parents[3] / "scenarios" / "samples"


def test_each_source_has_a_row_and_says_of_each_fact_how_it_is_known(interlock) -> None:
    ended = interlock("formats")
    assert (ended.code, ended.err) == (0, "")
    rows = [line.split() for line in ended.out.splitlines()]
    assert rows[0] == ["format", "arrival", "start", "end", "progress", "error", "group"]
    for source, row in zip(FORMATS, rows[1:], strict=False):
        assert row == [source.name, *(fact.how for fact in source.facts)]


def test_json_says_what_each_fact_is_read_from_wherever_it_is_known(interlock) -> None:
    told = json.loads(interlock("formats", "--json").out)
    assert list(told) == [source.name for source in FORMATS]
    for source in told.values():
        for fact in source["facts"].values():
            assert bool(fact["by"]) == (fact["how"] != "unknown")


def test_recordings_of_several_sources_are_replayed_together(interlock) -> None:
    files = sorted((SAMPLES / "formats").iterdir())
    ended = interlock("replay", *files)
    assert (ended.code, ended.err) == (0, "")
    # The pi agent's events are of the same run as its session, so they count once (B094).
    assert "\n  several formats: 43 turns with 63 calls\n" in ended.out


def test_every_source_that_can_be_read_has_a_sample() -> None:
    assert {read_trace(path).format for path in [*SAMPLES.glob("*.jsonl"), *(SAMPLES / "formats").iterdir()]} == {
        source.name for source in FORMATS
    }
