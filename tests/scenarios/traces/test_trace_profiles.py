"""Which profile a recorded turn has, why, and what that makes of it (shared traces, README 0)."""

from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest

from scenarios.traces import PROFILES, Profile, choose, profile_named, read_trace, to_scenario

SIBLING = "<tool_use_error>Sibling tool call errored</tool_use_error>"


@pytest.mark.parametrize(
    ("version", "name", "sure"),
    [
        ("1.0.98", "claude-batch", True),
        ("2.1.22", "claude-batch", True),
        ("2.1.23", None, False),
        (None, None, False),
        ("2.1.25", "claude-any-error", True),
        ("2.1.45", "claude-any-error", True),
        ("2.1.46", "claude-shell-error", True),
        ("2.2.0", "claude-shell-error", True),
    ],
)
def test_the_version_in_the_file_chooses(version: str | None, name: str | None, sure: bool, session: Any) -> None:
    session.version = version
    _, (turn,) = session.call(0, "m", "a").call(1, "m", "b").result(2, "a").result(2, "b").read()
    assert (turn.choice.profile and turn.choice.profile.name, turn.choice.sure) == (name, sure)


@pytest.mark.parametrize(("version", "name"), [("2.1.24", "claude-any-error"), (None, "claude-shell-error")])
def test_a_result_before_the_last_block_tells_streaming_where_the_version_does_not(
    version: str | None, name: str, session: Any
) -> None:
    session.version = version
    _, (turn,) = session.call(0, "m", "a").result(1, "a").say(2, "m", {"type": "text", "text": "x"}).read()
    assert (turn.choice.assumed.name, turn.choice.sure) == (name, True)
    assert turn.choice.why.endswith("a result stands before the last block")


def test_a_cancelled_sibling_tells_the_cascade_where_the_version_does_not(session: Any) -> None:
    """A2."""
    session.version = None
    session.call(0, "m", "a").call(0, "m", "b").result(1, "a", error=True)
    _, (turn,) = session.result(1, "b", content=SIBLING, error=True).read()
    assert turn.choice.assumed.name == "claude-any-error"


def test_what_is_unknown_or_later_than_seen_is_said() -> None:
    assert str(choose("Claude Code", "2.1.220")) == (
        "claude-shell-error (2.1.220 is later than 2.1.63, the last one seen, and taken to be like it)"
    )
    assert str(choose("Claude Code", "2.1.23")) == (
        "none (no profile covers 2.1.23, and the order of its lines does not tell), "
        "taken as claude-shell-error, the published design"
    )
    assert str(choose("Codex", "0.40.0")) == "codex (no profile covers 0.40.0; it is the only one of Codex)"
    assert str(choose("Copilot CLI", None)) == "copilot (the file names no version; it is the only one of Copilot CLI)"
    assert str(choose("Copilot CLI", "1.0.64-3")) == "copilot (1.0.64 is like all versions seen)"
    assert choose(None, "1.0.0").profile is None


def test_each_choice_of_each_profile_names_its_source() -> None:
    chosen = {field.name for field in fields(Profile)} - {"name", "program", "first", "last", "seen", "sources"}
    for profile in PROFILES:
        assert set(profile.sources) == chosen
        assert all(profile.sources.values())


def test_the_profiles_of_one_program_follow_each_other() -> None:
    for earlier, later in pairwise(PROFILES):
        if earlier.program == later.program:
            assert earlier.last is not None
            assert later.first is not None
            assert earlier.seen <= earlier.last < later.first <= later.seen


def test_shell_commands_are_classed_by_what_they_do_and_the_scenario_says_it(session: Any) -> None:
    """R1, R3: also of a command too long to be kept in it."""
    long = "ls " + "a" * 200
    for n, command in enumerate(["ls", long, "rm a", "rm " + "a" * 200]):
        session.call(n / 10, "m", f"c{n}", "Bash", given={"command": command})
    for n, at_s in enumerate([5, 4, 6, 7]):
        session.result(at_s, f"c{n}")
    _, (turn,) = session.read()
    assert [call.safe for call in turn.calls] == [True, True, False, False]
    scenario = to_scenario(turn)
    assert scenario is not None
    assert scenario.tools["Bash"].safe is False
    assert [scenario.is_safe(call) for call in scenario.calls] == [True, True, False, False]
    assert [call.safe for call in scenario.calls] == [True, True, None, None]


def test_a_profile_that_is_asked_for_beats_the_version(session: Any) -> None:
    session.call(0, "m", "a").call(1, "m", "b").result(2, "a").result(2, "b").read()
    turn = next(iter(read_trace(session.path, profile=profile_named("claude-batch"))))
    assert str(turn.choice) == "claude-batch (it was asked for)"
    assert [call.started_ns for call in turn.calls] == [turn.last_block_ns] * 2


@pytest.mark.parametrize(
    ("name", "tool", "command", "safe"),
    [
        ("copilot", "bash", "rm a", True),
        ("codex", "exec_command", "rm a", True),
        ("codex", "apply_patch", "", False),
        ("claude-batch", "Bash", "ls", True),
        ("claude-batch", "PowerShell", "ls", False),
    ],
)
def test_each_program_has_its_own_classes(name: str, tool: str, command: str, safe: bool) -> None:
    assert profile_named(name).is_safe(tool, {"command": command}) is safe
