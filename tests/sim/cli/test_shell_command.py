"""``interlock shell``."""

import json


def test_shell_prints_the_class_and_the_reason(interlock) -> None:
    """R1, R2"""
    assert interlock("shell", "git log | head") == (0, "concurrency-safe: only reads: git, head\n", "")
    assert interlock("shell", "ls > out.txt") == (0, "exclusive: `> out.txt` writes to a file\n", "")


def test_shell_gives_its_documented_json(interlock) -> None:
    ended = interlock("shell", "tee out.txt", "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == {"concurrency_safe": False, "why": "`tee out.txt` writes files"}


def test_shell_takes_a_command_that_is_no_text(interlock) -> None:
    ended = interlock("shell", "ls \udcff", "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == {"concurrency_safe": False, "why": "it is no valid Unicode"}


def test_shell_without_a_command_is_unusable(interlock) -> None:
    assert interlock("shell").code == 2
