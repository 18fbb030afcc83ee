"""``interlock import``: recorded turns become scenario files that ``interlock run`` plays."""

import json
from pathlib import Path

import pytest

from scenarios import load
from scenarios.durations import Empirical
from sim import simulate

SAMPLES = Path(__file__).parents[3] / "scenarios" / "samples"
SAMPLE = SAMPLES / "failing_call_and_interrupt.jsonl"


def test_a_session_becomes_a_folder_of_scenarios_which_play_as_recorded(interlock, tmp_path: Path) -> None:
    ended = interlock("import", SAMPLE, "-o", tmp_path / "new" / "out")
    assert (ended.code, ended.err) == (0, "")
    first, second, third = sorted((tmp_path / "new" / "out").iterdir())
    assert ended.out.splitlines() == [
        f"{SAMPLE}: claude_transcript; 3 scenarios of 3 turns written",
        "  profile of 3 turns: claude-shell-error (2.1.63 is one of those from 2.1.46 on)",
        "  known: arrival told, start estimated, end told, progress told, error told, group told "
        "(interlock formats says by what)",
        "  starts: rule 7, unknown 2",
        f"play it: interlock run {first} --engine streaming",
    ]
    played = interlock("run", first, second, third)
    assert played.code == 0
    assert played.out.count("\nas expected\n") == 3
    assert load(second).expect.results == (
        ("toolu_b1", "ok"), ("toolu_b2", "error"), ("toolu_b3", "sibling_error"), ("toolu_b4", "sibling_error"),
    )  # fmt: skip


def test_one_turn_becomes_one_file_with_the_options_of_its_profile(interlock, tmp_path: Path) -> None:
    out = tmp_path / "turn.yaml"
    ended = interlock("import", SAMPLES / "batch_era.jsonl", "--turn", 2, "-o", out)
    assert ended.out.endswith(f"play it: interlock run {out} --engine batch\n")
    scenario = load(out)
    assert scenario.name == "batch_era.jsonl, turn 2, line 9; profile claude-batch, engine batch"
    assert (scenario.options.emission, scenario.options.cascade, scenario.options.max_concurrency) == (
        "eager", "never", 10,
    )  # fmt: skip
    assert scenario.expect.engines == ("batch",)


def test_another_profile_gives_other_options(interlock, tmp_path: Path) -> None:
    out = tmp_path / "turn.yaml"
    interlock("import", SAMPLES / "batch_era.jsonl", "--turn", 1, "--profile", "codex", "-o", out)
    assert load(out).options.emission == "ordered"


def test_durations_can_be_drawn_and_how_well_they_fit_is_told(interlock, tmp_path: Path) -> None:
    out = tmp_path / "turn.yaml"
    ended = interlock("import", SAMPLE, "--turn", 1, "--durations", "lognormal", "-o", out)
    assert "\n  Read takes: empirical, 3 values, of 3 measured; distance 0.00\n" in ended.out
    assert "\n  Grep takes: as recorded, of 1 measured\n" in ended.out
    scenario = load(out)
    assert isinstance(scenario.calls[0].takes, Empirical)
    assert scenario.expect.results is None
    assert simulate(scenario, seed=1).results


def test_json_tells_of_each_turn_where_it_went_or_why_it_did_not(interlock, tmp_path: Path) -> None:
    recording = SAMPLES / "formats" / "codex_rollout.jsonl"
    told = json.loads(interlock("import", recording, "-o", tmp_path, "--json").out)
    assert told["known"]["arrival"] == "estimated"
    assert {(row["file"] is None) == (row["why_not"] is not None) for row in told["turns"]} == {True}
    assert [row["profile"]["name"] for row in told["turns"]] == ["codex"] * len(told["turns"])


@pytest.mark.parametrize("name", sorted(path.name for path in (SAMPLES / "formats").iterdir()))
def test_recordings_of_every_format_become_scenarios_or_a_reason(name: str, interlock, tmp_path: Path) -> None:
    """B120: what is known well enough to be played plays as recorded; of the rest it is said what is unknown."""
    ended = interlock("import", SAMPLES / "formats" / name, "-o", tmp_path / "out")
    if ended.code == 2:
        assert "no turn of it can be played: " in ended.err
        assert ended.err.endswith("unknown\n")
        return
    assert ended.code == 0
    assert "plays otherwise" not in ended.out
    for path in (tmp_path / "out").iterdir():
        assert load(path).calls


def test_turns_that_cannot_be_played_are_told_by_the_reason(interlock, tmp_path: Path) -> None:
    """B085: the last two results are lost, one of them in the turn before the last."""
    lines = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [
        line for line in lines if '"tool_use_id": "toolu_b4"' not in line and '"tool_use_id": "toolu_c2"' not in line
    ]
    assert len(kept) == len(lines) - 2
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(kept), encoding="utf-8")
    ended = interlock("import", cut, "-o", tmp_path / "out")
    assert "\n  left out: a call has no result (turns 2, 3)\n" in ended.out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["turn-0001.yaml"]


def test_nothing_is_overwritten_unless_it_is_asked_for(interlock, tmp_path: Path) -> None:
    interlock("import", SAMPLE, "-o", tmp_path)
    mine = tmp_path / "turn-0002.yaml"
    mine.write_text("mine", encoding="utf-8")
    ended = interlock("import", SAMPLE, "-o", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"interlock: {tmp_path / 'turn-0001.yaml'} and 2 more: is there already; "
        "name another place, or add --overwrite\n"
    )
    assert mine.read_text(encoding="utf-8") == "mine"
    assert interlock("import", SAMPLE, "-o", tmp_path, "--overwrite").code == 0
    assert mine.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--turn", 9), "--turn 9: {file} has no such turn; its last is 3"),
        ((), "--out {out}: 3 turns do not fit into one file; choose --turn, or a folder"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(
    words: tuple[object, ...], told: str, interlock, tmp_path: Path
) -> None:
    out = tmp_path / "all.yaml"
    ended = interlock("import", SAMPLE, "-o", out, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"interlock: {told.format(file=SAMPLE, out=out)}\n"
    assert not out.exists()


def test_a_file_without_a_turn_that_can_be_played_says_why(interlock, tmp_path: Path) -> None:
    recording = SAMPLES / "formats" / "messages.sse"
    ended = interlock("import", recording, "-o", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"interlock: {recording}: no turn of it can be played: ")
    assert ended.err.endswith("its times are unknown\n")
