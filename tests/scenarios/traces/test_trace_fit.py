"""From a recorded turn to a scenario: what was recorded is kept, what an engine decides is left to it."""

from pathlib import Path
from typing import Any

import pytest

from scenarios import Scenario
from scenarios.traces import obstacle, read_trace, to_scenario

CANCELLED = {"content": "<tool_use_error>Sibling tool call errored</tool_use_error>", "error": True}
REFUSED = {"content": "The user doesn't want to proceed with this tool use. Stop.", "error": True}
MS = 10**6


def fit(session: Any) -> Scenario:
    _, (turn,) = session.read()
    scenario = to_scenario(turn)
    assert scenario is not None
    return scenario


def bodies(scenario: Scenario) -> list[tuple[str, str, int, object, str]]:
    return [(call.id, call.tool, call.at_ns // MS, call.takes, call.ends) for call in scenario.calls]


def happenings(scenario: Scenario) -> list[tuple[str, int]]:
    return [(event.do, event.at_ns // MS) for event in scenario.events]


def test_the_turn_starts_at_its_first_block_and_arrivals_and_durations_are_as_recorded(session: Any) -> None:
    session.say(10, "m", {"type": "text", "text": "x"}).call(10.5, "m", "a", given={"file_path": "a.py"})
    session.call(11, "m", "b", "Edit").result(11.25, "a").say(12, "m", {"type": "text", "text": "y"})
    session.result(13, "b", content="Exit code 1", error=True)
    scenario = fit(session)
    assert bodies(scenario) == [("a", "Read", 500, 750 * MS, "ok"), ("b", "Edit", 1000, 1750 * MS, "error")]
    assert happenings(scenario) == [("stream_end", 2000)]
    assert scenario.calls[0].input == {"file_path": "a.py"}
    assert {name: (tool.safe, tool.cascades) for name, tool in scenario.tools.items()} == {
        "Read": (True, False),
        "Edit": (False, False),
    }
    assert scenario.options.emission == "eager"


@pytest.mark.parametrize(
    ("version", "cascade", "cascading"),
    [
        ("2.1.22", "never", {"Bash"}),
        ("2.1.25", "any", {"Bash", "Read"}),
        ("2.1.45", "any", {"Bash", "Read"}),
        ("2.1.46", "any", {"Bash"}),
        (None, "any", {"Bash"}),
    ],
)
def test_the_cascade_is_that_of_the_version(version: str, cascade: str, cascading: set[str], session: Any) -> None:
    """A2, and README 0.2 of the shared traces."""
    session.version = version
    session.call(0, "m", "a").call(0, "m", "b", "Bash").result(1, "a").result(2, "b")
    scenario = fit(session)
    assert scenario.options.cascade == cascade
    assert {name for name, tool in scenario.tools.items() if tool.cascades} == cascading


def test_cancelled_calls_outlast_the_error_that_cuts_them(session: Any) -> None:
    """One before the culprit may be run first by a serial engine, so it ends some time; one behind it is always cut."""
    session.version = "2.1.37"
    session.call(0, "m", "before").call(1, "m", "bad").call(1.5, "m", "behind").result(3, "bad", error=True)
    session.result(3, "before", **CANCELLED).result(3, "behind", **CANCELLED)
    scenario = fit(session)
    assert bodies(scenario) == [
        ("before", "Read", 0, 4000 * MS, "ok"),
        ("bad", "Read", 1000, 2000 * MS, "error"),
        ("behind", "Read", 1500, 0, "hang"),
    ]


def test_a_user_s_stop_is_an_event_and_what_it_met_hangs_until_then(session: Any) -> None:
    session.call(0, "m", "a", "Edit").call(1, "m", "b", "Bash").result(0.5, "a")
    session.result(4, "b", toolUseResult="User rejected tool use", **REFUSED)
    session.prompt(4.002, "[Request interrupted by user for tool use]")
    scenario = fit(session)
    assert bodies(scenario) == [("a", "Edit", 0, 500 * MS, "ok"), ("b", "Bash", 1000, 0, "hang")]
    assert happenings(scenario) == [("stream_end", 1000), ("stop", 4000)]


def test_an_interrupt_after_the_last_result_stops_nothing(session: Any) -> None:
    session.call(0, "m", "a").result(1, "a").prompt(2, "[Request interrupted by user]")
    assert happenings(fit(session)) == [("stream_end", 0)]


def test_a_refusal_takes_its_wait_and_cancels_nobody(session: Any) -> None:
    """A3."""
    session.call(0, "m", "a", "Bash").call(1, "m", "b", "Bash")
    session.result(9, "a", toolUseResult="Error: The user doesn't want to", **REFUSED).result(10, "b")
    scenario = fit(session)
    assert bodies(scenario) == [
        ("a", "Bash (denied)", 0, 9000 * MS, "error"),
        ("b", "Bash", 1000, 1000 * MS, "ok"),
    ]
    assert {name: tool.cascades for name, tool in scenario.tools.items()} == {"Bash (denied)": False, "Bash": True}


def test_invalid_input_and_unknown_tools_have_no_body(session: Any) -> None:
    session.call(0, "m", "a").call(0, "m", "b", "Foo")
    session.result(1, "a", content="<tool_use_error>InputValidationError: x</tool_use_error>", error=True)
    session.result(1, "b", content="<tool_use_error>Error: No such tool available: Foo</tool_use_error>", error=True)
    scenario = fit(session)
    assert [(call.id, call.valid, call.takes) for call in scenario.calls] == [("a", False, 0), ("b", True, 0)]
    assert {name: tool.available for name, tool in scenario.tools.items()} == {"Read": True, "Foo (unknown)": False}


def test_progress_is_counted_from_the_start_and_stays_inside_the_body(session: Any) -> None:
    session.call(0, "m", "a", "Bash")
    for at_s in (2, 3, 3, 5):
        session.progress(at_s, "a", type="bash_progress")
    scenario = fit(session.result(4, "a"))
    assert scenario.calls[0].progress == (2000 * MS, 3000 * MS)


def test_arrivals_that_step_back_keep_their_order(session: Any) -> None:
    """B100."""
    session.call(1, "m", "a").call(2, "m", "b").call(1.99, "m", "c").result(3, "a").result(3, "b").result(3, "c")
    assert [call.at_ns // MS for call in fit(session).calls] == [0, 1000, 1000]


def test_long_or_unprintable_inputs_are_left_out(session: Any) -> None:
    given = {"file_path": "a", "content": "x" * 1000, "n": 3, "all": True, "edits": [1], "odd": "a\nb", "far": 1e400}
    session.call(0, "m", "a", "Write", given=given).result(1, "a")
    assert fit(session).calls[0].input == {"file_path": "a", "n": 3, "all": True}


def test_a_turn_with_an_unknown_time_gives_no_scenario_and_says_why(session: Any) -> None:
    session.call(None, "m1", "a").result(None, "a")
    session.call(0, "m2", "b").result(None, "b")
    session.call(1, "m3", "c")
    session.call(2, "m4", "d").result(3, "d", **CANCELLED)
    session.call(4, "m5", "e")
    session.result(5, "e", content="<tool_use_error>Streaming fallback - tool execution discarded", error=True)
    session.call(6, "m6", "f").add("system", 7, subtype="compact_boundary").result(8, "f")
    _, turns = session.read()
    assert [to_scenario(turn) for turn in turns] == [None] * 6
    assert [obstacle(turn) for turn in turns] == [
        "its times are unknown",
        "the times of a call are unknown",
        "a call has no result",
        "a call was cancelled by an error that is not in the file",
        "a call was discarded with its attempt, and the retry is another response",
        "a result is split from its call by compaction",
    ]


def test_every_recorded_turn_gives_a_scenario_or_a_reason(recorded: Path) -> None:
    for path in sorted((recorded / "claude_transcript").iterdir()):
        for turn in read_trace(path):
            scenario = to_scenario(turn)
            assert (scenario is None) == (obstacle(turn) is not None)
            if scenario is not None:
                assert [call.id for call in scenario.calls] == [call.id for call in turn.calls]
