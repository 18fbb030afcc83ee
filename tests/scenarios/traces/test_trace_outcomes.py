"""What a recorded result's texts say about how its call ended (shared traces, README 1.2)."""

import pytest

from executor.calls.outcome import Outcome
from scenarios.traces.fields import instant_ns, summary_of
from scenarios.traces.outcomes import outcome_of
from scenarios.visible import visible

REFUSED = "The user doesn't want to proceed with this tool use. The rest of it."


@pytest.mark.parametrize(
    ("text", "short", "outcome"),
    [
        ("Exit code 1\nno such file", "Error: Exit code 1", Outcome.ERROR),
        ("<tool_use_error>File does not exist.</tool_use_error>", "Error: File", Outcome.ERROR),
        (
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            "Sibling tool call errored",
            Outcome.SIBLING_ERROR,
        ),
        (
            "<tool_use_error>Cancelled: parallel tool call Bash(mkdir build) errored</tool_use_error>",
            None,
            Outcome.SIBLING_ERROR,
        ),
        ("<tool_use_error>Cancelled: parallel tool call errored</tool_use_error>", None, Outcome.SIBLING_ERROR),
        (
            "<tool_use_error>Error: Streaming fallback - tool execution discarded</tool_use_error>",
            None,
            Outcome.STREAMING_FALLBACK,
        ),
        (REFUSED, "User rejected tool use", Outcome.USER_INTERRUPTED),
        (REFUSED, f"Error: {REFUSED}", Outcome.DENIED),
        (REFUSED, None, Outcome.USER_INTERRUPTED),
        ("[Request interrupted by user for tool use]", "Error: x", Outcome.USER_INTERRUPTED),
        ("<tool_use_error>Error: No such tool available: Foo</tool_use_error>", None, Outcome.UNKNOWN_TOOL),
        ("<tool_use_error>InputValidationError: Task failed</tool_use_error>", None, Outcome.INVALID_INPUT),
    ],
)
def test_an_error_s_beginning_tells_its_kind(text: str, short: str | None, outcome: Outcome) -> None:
    assert outcome_of(text, True, short) is outcome


@pytest.mark.parametrize("flag", [None, False, "true", 1])
def test_without_the_flag_no_text_makes_an_error(flag: object) -> None:
    assert outcome_of("<tool_use_error>Sibling tool call errored</tool_use_error>", flag, "Error: x") is Outcome.OK


def test_a_quotation_in_a_tool_s_own_error_decides_nothing() -> None:
    text = 'Exit code 1\ngrep: "Sibling tool call errored", "[Request interrupted by user]", InputValidationError'
    assert outcome_of(text, True, None) is Outcome.ERROR


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-01T00:00:00.001Z", 1_000_000),
        ("1970-01-01T01:00:00.000001+01:00", 1_000),
        ("1970-01-01T00:00:01", 1_000_000_000),
        ("", None),
        ("soon", None),
        (1_700_000_000, None),
        (None, None),
    ],
)
def test_a_time_is_exact_nanoseconds_or_unknown(value: object, expected: int | None) -> None:
    assert instant_ns(value) == expected


def test_a_summary_is_one_printable_line_of_at_most_forty_characters() -> None:
    assert summary_of({"command": "npm\n  test\t--all"}) == "npm test --all"
    assert summary_of({"pattern": "x" * 100}) == "x" * 39 + "…"
    assert summary_of({"file_path": "a\ud800\x1bb"}) == r"a\ud800\x1bb"
    assert summary_of({"todos": [1]}) == ""
    assert summary_of(None) == ""
    assert visible("toolu_\ud800") == r"toolu_\ud800"
