"""The doors of shell safety: verdicts with their reasons, the safety of a tool, exit statuses, MCP annotations."""

import pytest

from executor import Tool, tool
from executor.safety.mcp import mcp_safety
from executor.safety.shell import Verdict, classify_command, is_answer, shell_safety


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cat a.txt | head -1", Verdict(True, "only reads: cat, head")),
        ("", Verdict(True, "runs nothing")),
        ("# only a comment", Verdict(True, "runs nothing")),
        ("ls; git branch newb", Verdict(False, "`git branch newb` creates a branch; with --list it would list")),
        ("sort -uo x a", Verdict(False, "`sort -uo x a` writes its result to a file (-o)")),
        ("find . -exec rm {} +", Verdict(False, "`find . -exec rm {} +` removes files")),
        ("ls > out.txt", Verdict(False, "`> out.txt` writes to a file")),
        ("x=1; ls", Verdict(False, "`x=1` sets a variable, which changes the shell")),
        ("for x in 1; do ls; done", Verdict(False, "`for x` sets a variable, which changes the shell")),
        ("frobnicate", Verdict(False, "`frobnicate` is not known: only commands with a rule run beside others")),
        ("ls 'a", Verdict(False, "its syntax is not understood")),
    ],
)
def test_a_verdict_names_the_part_and_the_reason(command: str, verdict: Verdict) -> None:
    """R1, R2"""
    assert classify_command(command) == verdict


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("grep x a", True), ("cat a | grep x", True), ("! grep -q x a", True), ("diff a b 2>/dev/null", True),
        ("test -f a", True), ("[ -f a ]", True), ("[[ -f a ]]", True), ("cmp a b", True), ("echo a; grep x b", True),
        ("make; grep x a", True), ("rg x", True), ("timeout 5 grep x a", True), ("LC_ALL=C grep x a", True),
        ("git diff --quiet", True), ("git grep x", True), ("git config user.name", True), ("command -v x", True),
        ("grep a b && diff a b", True), ("echo a && grep x b", True), ("which x", True), ("make || grep x a", True),
        ("grep x a | cat", False), ("make && grep x a", False), ("cd sub && grep x a", False), ("ls missing", False),
        ("false", False), ("git commit -m x", False), ("git", False), ("xargs grep x", False), ("$CMD", False),
        ("", False), ("if grep x a; then ls; fi", False), ("echo a", False), ("grep 'x", False), ("rm a", False),
    ],
)  # fmt: skip
def test_status_1_is_an_answer_of_those_that_answer_by_it(command: str, answer: bool) -> None:
    """R5"""
    assert is_answer(command, 1) is answer


def test_no_other_status_than_0_and_1_is_an_answer() -> None:
    """R5"""
    assert [is_answer("grep x a", status) for status in (0, 1, 2, 127, 130, -9)] == [True, True] + [False] * 4
    assert is_answer("make", 0)


def bash(safety) -> Tool:
    @tool(concurrency_safe=safety, cascades=True)
    async def bash(command: str) -> str:
        """Run a command."""
        return command

    return bash


def test_a_shell_tool_is_judged_by_command_or_as_a_whole() -> None:
    """R3"""
    by_command, by_tool = bash(shell_safety()), bash(shell_safety("tool"))
    for command, safe in (("ls -la", True), ("rm a", False)):
        assert by_command.is_concurrency_safe({"command": command}) is safe
        assert by_tool.is_concurrency_safe({"command": command}) is False


@pytest.mark.parametrize("validated", [{}, {"command": None}, {"command": ["ls"]}, {"cmd": "ls"}, {"command": 1}])
def test_input_without_a_command_is_exclusive(validated) -> None:
    """R2, R3"""
    assert shell_safety()(validated) is False


def test_another_way_to_classify_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="expected 'command' or 'tool', got 'word'"):
        shell_safety("word")  # type: ignore[arg-type]


@pytest.mark.parametrize("hint", [None, False, "true", "false", 1, [True]])
def test_only_a_plain_true_says_that_a_tool_reads(hint: object) -> None:
    """R4"""
    assert not mcp_safety({"readOnlyHint": hint}, trusted=True)
    assert mcp_safety({"readOnlyHint": True, "destructiveHint": hint}, trusted=True)


def test_a_destructive_tool_and_an_untrusted_server_are_exclusive_unless_the_operator_says_otherwise() -> None:
    """R4"""
    reads = {"readOnlyHint": True}
    assert mcp_safety(reads, trusted=True)
    assert not mcp_safety(reads, trusted=False)
    assert not mcp_safety(reads | {"destructiveHint": True}, trusted=True)
    assert not mcp_safety(reads, trusted=True, override=False)
    assert mcp_safety({}, trusted=False, override=True)
