"""What a shell call is about, for permission rules: each part of a compound command by itself (H2, H3)."""

import pytest

from executor import PermissionRules, tool
from executor.safety.subjects import shell_subjects


@tool(name="Bash", subjects=shell_subjects)
async def bash(command: str) -> str:
    return command


@pytest.mark.parametrize(
    ("command", "subjects"),
    [
        ("ls", ["ls"]),
        ("ls   -l", ["ls -l"]),
        ("'rm' \"-r\" x", ["rm -r x"]),
        ("/bin/rm x", ["rm x"]),
        ("r\\m x", ["rm x"]),
        ("ls && rm x; cat a | wc", ["ls", "rm x", "cat a", "wc"]),
        ("echo $(rm x)", ["echo $(rm x)", "rm x"]),
        ("if test -f a; then rm a; fi", ["test -f a", "rm a"]),
        ("ls *.py", ["ls *.py"]),
        ("echo x > a", ["echo x", "> a"]),
        ("echo x >> $F", ["echo x", ">> $F"]),
        ("ls 2>/dev/null", ["ls"]),
        ("ls 2>&1 < in", ["ls"]),
        ("PATH=. ls", ["PATH=.", "ls"]),
        ("env A=1 rm x", ["env A=1 rm x", "A=1 rm x", "rm x", "x"]),
        ("bash -c 'rm x'", ["bash -c rm x", "-c rm x", "rm x"]),
        ("export A=1", ["export A=1", "`A=1` sets a variable, which changes the shell"]),
        ("ls; unset A", ["ls", "unset A"]),
        ("A=1", ["`A=1` sets a variable, which changes the shell"]),
        ("for f in a; do rm $f; done", ["rm $f", "`for f` sets a variable, which changes the shell"]),
        ("$X y", None),
        ("ls (", None),
        ("ls\0", None),
    ],
)
def test_the_parts_of_a_command(command: str, subjects: list[str] | None) -> None:
    """H2."""
    assert shell_subjects({"command": command}) == subjects


def test_a_function_is_a_part_that_no_allow_rule_foresees() -> None:
    """H2."""
    parts = shell_subjects({"command": "ls() { rm x; }; ls"})
    assert parts is not None
    assert {"rm x", "ls"} < set(parts)


def test_without_a_command_nothing_can_be_told() -> None:
    assert shell_subjects({}) is None
    assert shell_subjects({"command": 7}) is None


RULES = PermissionRules(deny=("Bash(rm:*)", "Bash(export:*)"), allow=("Bash(ls:*)", "Bash(cat:*)", "Bash(sudo ls:*)"))


@pytest.mark.parametrize(
    ("command", "decided"),
    [
        ("ls -l && cat a", "Allow"),
        ("ls; rm -r x", "Deny"),
        ("ls $(rm x)", "Deny"),
        ("sudo rm x", "Deny"),
        ("xargs -0 rm", "Deny"),
        ("bash -c 'rm x'", "Deny"),
        ("'r'm x", "Deny"),
        ("/bin/rm x", "Deny"),
        ("ls && export PATH=.", "Deny"),
        ("ls > a", None),
        ("LD_PRELOAD=./x.so ls", None),
        ("sudo ls", "Allow"),
        ("sudo cat a", None),
        ("ls; make", None),
        ("$X", "Ask"),
    ],
)
def test_rules_meet_any_part_and_cover_all(command: str, decided: str | None) -> None:
    """H2, H3: no deny rule is beaten by a compound, a wrapper or quotes; what may hide something is not allowed."""
    decision = RULES.decide(bash, {"command": command})
    assert (None if decision is None else type(decision).__name__) == decided
