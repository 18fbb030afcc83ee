"""The table of known tools and their classes (R3, R4, R6)."""

import pytest

from scenarios.traces.builtins import ALIASES, CLASSES, classify, is_known

SAFE = (
    *("Read", "Grep", "Glob", "WebFetch", "WebSearch", "ToolSearch", "LSP", "Brief", "Config"),
    *("TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "CronList", "SyntheticOutput", "RemoteTrigger"),
)


@pytest.mark.parametrize("tool", SAFE)
def test_tools_that_only_read_or_look_up_are_safe(tool: str) -> None:
    """R6."""
    assert classify(tool).safe


@pytest.mark.parametrize(
    "tool", ["Edit", "Write", "NotebookEdit", "Bash", "PowerShell", "ExitPlanMode", "EnterPlanMode"]
)
def test_tools_that_change_something_are_exclusive(tool: str) -> None:
    """R6, R3: a shell counts per tool here."""
    assert not classify(tool).safe
    assert is_known(tool)


@pytest.mark.parametrize("tool", ["mcp__github__get_issue", "BrandNew", "", "read"])
def test_unknown_and_mcp_tools_are_exclusive_and_block(tool: str) -> None:
    """E2, R4: fail closed."""
    assert not is_known(tool)
    assert (classify(tool).safe, classify(tool).cascades, classify(tool).interrupt) == (False, False, "block")


def test_only_shells_cascade() -> None:
    """A2."""
    assert {tool for tool, known in CLASSES.items() if known.cascades} == {"Bash", "PowerShell"}


def test_only_reads_and_searches_may_be_cut_off_by_a_submit() -> None:
    """A7."""
    cut_off = {tool for tool, known in CLASSES.items() if known.interrupt == "cancel"}
    assert cut_off == {"Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch"}


def test_a_retired_name_has_the_class_of_what_it_became() -> None:
    for retired, current in ALIASES.items():
        assert classify(retired) == classify(current)
        assert is_known(current)
