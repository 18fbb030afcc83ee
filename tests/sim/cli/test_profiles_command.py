"""``interlock profiles`` and ``--profile``: how the recorded programs ran their calls."""

import json
from pathlib import Path

from scenarios.traces import PROFILES

SAMPLE = Path(__file__).parents[3] / "scenarios" / "samples" / "failing_call_and_interrupt.jsonl"


def test_each_profile_has_a_row_and_json_says_what_each_choice_rests_on(interlock) -> None:
    ended = interlock("profiles")
    assert (ended.code, ended.err) == (0, "")
    assert [line.split()[0] for line in ended.out.splitlines()[1:-3] if line[0] != " "] == [
        profile.name for profile in PROFILES
    ]
    told = json.loads(interlock("profiles", "--json").out)
    assert {name: profile["sources"] for name, profile in told.items()} == {
        profile.name: dict(profile.sources) for profile in PROFILES
    }


def test_replay_says_which_profile_it_chose_and_why(interlock) -> None:
    ended = interlock("replay", SAMPLE)
    assert "\n  profile: claude-shell-error (2.1.63 is one of those from 2.1.46 on)\n" in ended.out
    (turn, *_) = json.loads(interlock("replay", SAMPLE, "--json").out)["files"][0]["turns"]
    assert turn["profile"] == {
        "name": "claude-shell-error", "why": "2.1.63 is one of those from 2.1.46 on", "sure": True,
    }  # fmt: skip


def test_a_profile_that_is_named_is_taken(interlock) -> None:
    ended = interlock("replay", SAMPLE, "--profile", "claude-batch")
    assert "\n  profile: claude-batch (it was asked for)\n" in ended.out


def test_an_unknown_profile_is_refused_and_the_known_ones_are_listed(interlock) -> None:
    ended = interlock("replay", SAMPLE, "--profile", "claude-bach")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "interlock: --profile: expected one of claude-batch, claude-any-error, claude-shell-error, codex, copilot, "
        "got 'claude-bach'; did you mean 'claude-batch'?\n"
    )
