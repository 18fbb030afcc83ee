"""The table of known tools and their classes (R3, R4, R6)."""

import pytest

from scenarios.traces.agents import AGENTS, OTHERS
from scenarios.traces.builtins import ALIASES, CLASSES, classify, is_known
from scenarios.traces.choosing import choose

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


@pytest.mark.parametrize(
    ("program", "reads", "changes", "shell"),
    [
        ("Codex", "view_image", "apply_patch", "exec_command"),
        ("Copilot CLI", "view", "create", "bash"),
        ("Gemini CLI", "read_file", "replace", "run_shell_command"),
        ("opencode", "grep", "edit", "bash"),
        ("pi", "ls", "write", "bash"),
        ("OpenHands", "web_read", "str_replace_editor", "execute_bash"),
        ("SWE-agent", "search_dir", "edit", "python"),
        ("Inspect AI", "web_search", "python", "bash"),
    ],
)
def test_an_agent_s_own_tools_are_classed_by_its_own_table(program: str, reads: str, changes: str, shell: str) -> None:
    """R6, E2: and the same name means nothing elsewhere."""
    assert classify(reads, program).safe
    assert not classify(changes, program).safe
    assert classify(shell, program).cascades
    assert all(is_known(tool, program) for tool in (reads, changes, shell))
    assert not classify(reads).safe


def test_every_agent_s_shells_cascade_and_nothing_else_does() -> None:
    """A2."""
    shells = {tool for tools in AGENTS.values() for tool, known in tools.items() if known.cascades}
    assert shells == {
        *("exec_command", "shell", "shell_command", "local_shell", "command_execution"),
        *("bash", "powershell", "run_shell_command", "execute_bash"),
    }
    assert not [tool for tools in AGENTS.values() for tool, known in tools.items() if known.safe and known.command]


@pytest.mark.parametrize("program", sorted(AGENTS.keys() - OTHERS.keys()))
def test_a_tool_that_its_agent_is_not_known_for_is_exclusive(program: str) -> None:
    """E2: fail closed."""
    assert not is_known("Read", program)
    assert not classify("Read", program).safe


@pytest.mark.parametrize(
    ("program", "tool", "given", "safe"),
    [
        ("Claude Code", "Bash", {"command": "git log"}, True),
        ("Claude Code", "Bash", {"command": "git pull"}, False),
        ("Claude Code", "PowerShell", {"command": "git log"}, False),
        ("Gemini CLI", "run_shell_command", {"command": "ls -l"}, True),
        ("Gemini CLI", "run_shell_command", {"command": "rm x"}, False),
        ("opencode", "bash", {"command": "cat a"}, True),
        ("Inspect AI", "bash", {"cmd": "cat a"}, True),
        ("Inspect AI", "bash", {"command": "cat a"}, False),
        ("SWE-agent", "ls", {"command": "ls src"}, True),
        ("SWE-agent", "rm", {"command": "rm -r src"}, False),
        ("pi", "bash", None, False),
        ("nobody's", "Bash", {"command": "git log"}, True),
        ("nobody's", "bash", {"command": "git log"}, False),
    ],
)
def test_a_shell_s_commands_decide_where_the_input_holds_them(
    program: str, tool: str, given: dict[str, str] | None, safe: bool
) -> None:
    """R1: whoever has no profile is taken as the published design, with their own tools."""
    assert choose(program, "2.1.63" if program == "Claude Code" else None).assumed.is_safe(tool, given) is safe
