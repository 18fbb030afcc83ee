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
    assert "\n  several formats: 45 turns with 66 calls\n" in ended.out


def test_every_source_that_can_be_read_has_a_sample() -> None:
    assert {read_trace(path).format for path in [*SAMPLES.glob("*.jsonl"), *(SAMPLES / "formats").iterdir()]} == {
        source.name for source in FORMATS
    }


def test_an_event_log_is_replayed_with_its_own_classes_and_judged_by_all_rules(interlock, tmp_path) -> None:
    """DESIGN 5: whatever wrote the log, it is a recording like any other."""
    scenario, log = tmp_path / "turn.yaml", tmp_path / "log.jsonl"
    scenario.write_text("calls:\n  - {id: a, at: 1s, takes: 2s}\n  - {id: b, at: 2s, takes: 2s}\n")
    assert interlock("run", scenario, "--log", log).code == 0
    ended = interlock("replay", log)
    assert (ended.code, ended.err) == (0, "")
    assert "\n  rules: all hold that the log tells enough for\n" in ended.out
    assert "\n  assumed safe: Read 2\n" in ended.out
    told = json.loads(interlock("replay", log, "--json").out)["files"][0]
    assert told["format"] == "event_log"
    assert told["turns"][0]["makespan_s"] == {"recorded": 4.0, "streaming": 4.0, "batch": 4.0, "serial": 6.0}
    rows = log.read_text(encoding="utf-8").splitlines(keepends=True)
    entered = next(n for n, row in enumerate(rows) if '"entered"' in row)
    log.write_text("".join([*rows[: entered + 1], *rows[entered:]]), encoding="utf-8")
    told = json.loads(interlock("replay", log, "--json").out)["files"][0]
    assert {violation["rule"] for violation in told["turns"][0]["violations"]} >= {"S7"}


def test_a_file_with_the_logs_of_several_turns_is_judged_turn_by_turn(interlock, tmp_path) -> None:
    scenario, log = tmp_path / "turn.yaml", tmp_path / "log.jsonl"
    scenario.write_text("calls:\n  - {id: a}\n")
    interlock("run", scenario, "--log", log)
    whole = log.read_text(encoding="utf-8")
    unanswered = "".join(line for line in whole.splitlines(keepends=True) if '"emitted"' not in line)
    log.write_text(whole + unanswered + whole, encoding="utf-8")
    ended = interlock("check", log, "--json")
    (row,) = json.loads(ended.out)["files"]
    assert (ended.code, row["turns"]) == (1, 3)
    assert {violation["turn"] for violation in row["violations"]} == {2}
